"""Documents to counts on Spark: explode inside Arrow batches, one shuffle, one sum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as T

from nbspark.counting import Counter
from nbspark.errors import DocumentsError
from nbspark.frames import column, require_columns, spark_schema
from nbspark.schemas import COUNTS, LABEL_COLUMN, feature_column

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

    from nbspark.spec import Spec

_NO_SCALAR = (T.ArrayType, T.MapType, T.StructType, T.BinaryType, T.VariantType)


def count(documents: DataFrame, spec: Spec) -> DataFrame:
    """Return the counts of labelled documents, a frame of ``schemas.COUNTS``; lazy.

    Raises
    ------
    DocumentsError
        A column is missing or has a type that the model cannot read.
    """
    return documents.transform(explode_terms, spec=spec).transform(sum_counts)


def explode_terms(documents: DataFrame, *, spec: Spec) -> DataFrame:
    """Return partial counts: rows of ``schemas.COUNTS``, each key at most a few times per partition."""
    require_columns(documents, [spec.label, *spec.columns()])
    require_scalar(documents, spec.label, role="label")
    inputs = documents.select(column(spec.label).alias(LABEL_COLUMN), *feature_inputs(documents, spec))
    features = spec.resolved().features

    def explode(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return Counter(features).count(batches)

    return inputs.mapInArrow(explode, spark_schema(COUNTS))


def sum_counts(counts: DataFrame) -> DataFrame:
    """Sum counts to one row per (label, feature, term); totals are rows with nulls and sum alike."""
    return counts.groupBy("label", "feature", "term").agg(
        F.sum("n_tokens").alias("n_tokens"), F.sum("n_docs").alias("n_docs")
    )


def feature_inputs(documents: DataFrame, spec: Spec) -> list[Column]:
    """Return one column a feature, named as the kernels expect, after a check of its type."""
    require_columns(documents, spec.columns())
    wrong = []
    for feature in spec.features:
        found = documents.schema[feature.column].dataType
        if not isinstance(found, T.StringType | T.NullType):
            wrong.append(f"{feature.column!r} is {found.simpleString()}")
    if wrong:
        raise DocumentsError(f"documents: a text column must be string; {', '.join(wrong)}. Cast it, or name another.")
    return [column(feature.column).cast("string").alias(feature_column(i)) for i, feature in enumerate(spec.features)]


def require_scalar(documents: DataFrame, name: str, *, role: str) -> DataFrame:
    """Return ``documents``, or raise an error when a label or category column holds more than one value a row."""
    found = documents.schema[name].dataType
    if isinstance(found, _NO_SCALAR):
        raise DocumentsError(
            f"documents: the {role} column {name!r} is {found.simpleString()}; it must hold one value a row. "
            "Select or cast the value that is meant."
        )
    return documents
