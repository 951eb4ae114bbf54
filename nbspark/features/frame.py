"""The columns of a frame as the kernels read them: one a feature, of a type that it can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import types as T

from nbspark.arrays.frame import NO_SCALAR, column, require_columns
from nbspark.features import Categorical, Numeric, Text
from nbspark.features.fits import misfit, require_fits
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
    types = [(feature, documents.schema[feature.column].dataType) for feature in spec.features]
    require_fits([misfit(feature, found.simpleString()) for feature, found in types if not _fits(feature, found)])
    return [column(feature.column).alias(feature_column(i)) for i, feature in enumerate(spec.features)]


def _fits(feature: Feature, found: T.DataType) -> bool:
    """Say whether a feature can read a column's type."""
    if isinstance(found, T.NullType):
        return True
    if isinstance(feature, Text):
        return isinstance(found, T.StringType)
    if isinstance(feature, Numeric):
        return isinstance(found, T.NumericType)
    if isinstance(feature, Categorical):
        return not isinstance(found, NO_SCALAR)
    return _holds_terms(found)


def _holds_terms(found: T.DataType) -> bool:
    """Say whether a type holds terms: an array of strings, a map from string to number, a Spark ML vector."""
    if isinstance(found, T.ArrayType):
        return isinstance(found.elementType, T.StringType)
    if isinstance(found, T.MapType):
        return isinstance(found.keyType, T.StringType) and isinstance(found.valueType, T.NumericType)
    return found.typeName() == "vectorudt" or found.simpleString() == "vector"
