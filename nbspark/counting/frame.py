"""Documents to counts on Spark: count inside Arrow batches, one shuffle, merge inside Arrow batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import types as T

from nbspark.arrays.frame import column, require_columns, require_scalar, spark_schema
from nbspark.counting.counter import Counter
from nbspark.counting.merging import merge, pack
from nbspark.errors import DocumentsError
from nbspark.features.frame import feature_inputs
from nbspark.schemas import COUNTS, LABEL_COLUMN, PACKED_COUNTS, WEIGHT_COLUMN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from nbspark.spec import Spec


def count(documents: DataFrame, spec: Spec) -> DataFrame:
    """Return the counts of labelled documents, a frame of ``schemas.COUNTS``; lazy.

    Raises
    ------
    DocumentsError
        A column is missing or has a type that the model cannot read.
    """
    return documents.transform(explode_terms, spec=spec).transform(merge_counts)


def explode_terms(documents: DataFrame, *, spec: Spec) -> DataFrame:
    """Return partial counts, ``schemas.PACKED_COUNTS``: each term once or a few times for every task."""
    weight = [] if spec.weight is None else [spec.weight]
    require_columns(documents, [spec.label, *weight, *spec.columns()])
    require_scalar(documents, spec.label, role="label")
    inputs = [column(spec.label).alias(LABEL_COLUMN), *feature_inputs(documents, spec)]
    if spec.weight is not None:
        _require_number(documents, spec.weight, "a weight")
        inputs.append(column(spec.weight).cast("double").alias(WEIGHT_COLUMN))
    resolved = spec.resolved()

    def explode(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return Counter(resolved).count(batches)

    return documents.select(*inputs).mapInArrow(explode, spark_schema(PACKED_COUNTS))


def merge_counts(packed: DataFrame) -> DataFrame:
    """Sum partial counts to ``schemas.COUNTS``, one row per (label, feature, term); totals sum alike.

    The rows of a term meet in one partition, which is sorted and merged inside Arrow batches.
    """
    return packed.transform(with_terms_together).mapInArrow(merge, spark_schema(COUNTS))


def sum_counts(counts: DataFrame) -> DataFrame:
    """Sum the counts of several batches to one row per (label, feature, term)."""
    return counts.transform(pack_counts).transform(merge_counts)


def pack_counts(counts: DataFrame) -> DataFrame:
    """Return counts as ``schemas.PACKED_COUNTS``, so that they can be merged, or cross a shuffle, as fewer rows."""
    return counts.mapInArrow(pack, spark_schema(PACKED_COUNTS))


def with_terms_together(rows: DataFrame) -> DataFrame:
    """Return the same rows, those of a (feature, term) in one partition."""
    return rows.repartition("feature", "term")


def _require_number(documents: DataFrame, name: str, what: str) -> None:
    """Raise an error unless a column holds numbers."""
    found = documents.schema[name].dataType
    if not isinstance(found, T.NumericType):
        raise DocumentsError(f"documents: column {name!r} is {found.simpleString()}; {what} is a number. Cast it.")
