"""The columns of a frame as the kernels read them: one a feature, of a type that it can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import types as T

from nbspark.arrays.frame import NO_SCALAR, column, require_columns
from nbspark.errors import DocumentsError
from nbspark.features import Categorical, Numeric, Text
from nbspark.schemas import feature_column

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from nbspark.features import Feature
    from nbspark.spec import Spec


def feature_inputs(documents: DataFrame, spec: Spec) -> list[Column]:
    """Return one column a feature, named as the kernels expect.

    Raises
    ------
    DocumentsError
        Columns are missing, or have types that their features cannot read; the message lists all.
    """
    require_columns(documents, spec.columns())
    wrong = [told for feature in spec.features if (told := _misfit(feature, documents.schema[feature.column].dataType))]
    if wrong:
        raise DocumentsError(f"documents: {'; '.join(wrong)}. Cast the column, or name another.")
    return [column(feature.column).alias(feature_column(i)) for i, feature in enumerate(spec.features)]


def _misfit(feature: Feature, found: T.DataType) -> str | None:
    """Return why a column's type does not fit a feature, or None."""
    if isinstance(found, T.NullType):
        return None
    if isinstance(feature, Text):
        wants, fits = "text", isinstance(found, T.StringType)
    elif isinstance(feature, Numeric):
        wants, fits = "a number", isinstance(found, T.NumericType)
    elif isinstance(feature, Categorical):
        wants, fits = "one value a row", not isinstance(found, NO_SCALAR)
    else:
        wants, fits = "an array of strings, a map from string to number, or a vector", _holds_terms(found)
    if fits:
        return None
    return f"column {feature.column!r} is {found.simpleString()}; a {feature.kind} feature wants {wants}"


def _holds_terms(found: T.DataType) -> bool:
    """Say whether a type holds terms: an array of strings, a map from string to number, a Spark ML vector."""
    if isinstance(found, T.ArrayType):
        return isinstance(found.elementType, T.StringType)
    if isinstance(found, T.MapType):
        return isinstance(found.keyType, T.StringType) and isinstance(found.valueType, T.NumericType)
    return found.typeName() == "vectorudt" or found.simpleString() == "vector"
