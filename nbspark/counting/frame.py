"""Documents to counts on Spark: count inside Arrow batches, one shuffle, merge inside Arrow batches."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from pyspark.sql import types as T

from nbspark.arrays.frame import column, require_columns, require_frame, require_scalar, spark_schema
from nbspark.counting.counter import Counter
from nbspark.counting.merging import merge, pack
from nbspark.counting.parcels import merge_parcels
from nbspark.counting.writing import decode_counts, encode_merged
from nbspark.errors import DocumentsError
from nbspark.features.frame import feature_inputs
from nbspark.schemas import COUNT_FILES, COUNTS, LABEL_COLUMN, PACKED_COUNTS, PARCELS, WEIGHT_COLUMN
from nbspark.spec import Spec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql import Column, DataFrame


def counts_of(documents: DataFrame, *, spec: Spec) -> DataFrame:
    """Return the counts of labelled documents, a frame of ``schemas.COUNTS``; lazy.

    Parameters
    ----------
    spec : Spec
        Resolved.

    Raises
    ------
    DocumentsError
        A column is missing or has a type that the model cannot read.
    """
    return documents.transform(partial_counts_of, spec=spec).transform(merge_partial)


def kernel_columns(documents: DataFrame, spec: Spec) -> list[Column]:
    """Return the columns of documents under the names that ``Counter`` knows; errors are those of ``counts_of``."""
    require_frame(documents)
    weight = [] if spec.weight is None else [spec.weight]
    require_columns(documents, [spec.label, *weight, *spec.columns()])
    require_scalar(documents, spec.label, role="label")
    inputs = [column(spec.label).alias(LABEL_COLUMN), *feature_inputs(documents, spec)]
    if spec.weight is not None:
        _require_number(documents, spec.weight, "a weight")
        inputs.append(column(spec.weight).cast("double").alias(WEIGHT_COLUMN))
    return inputs


def partial_counts_of(
    documents: DataFrame,
    *,
    spec: Spec,
    more: Sequence[Column] = (),
    before: Callable[[pa.RecordBatch], pa.RecordBatch] | None = None,
) -> DataFrame:
    """Return partial counts, ``schemas.PARCELS``: each term once or a few times for every task; lazy.

    Parameters and errors are those of ``counts_of``, and two for counts by more than the label:

    Parameters
    ----------
    more : sequence of Column
        What the workers get besides the columns that are counted.
    before : callable, optional
        What they do to each batch before it is counted.
    """
    inputs = kernel_columns(documents, spec)

    plain = Spec(**{field.name: getattr(spec, field.name) for field in fields(Spec)})  # workers need no estimator

    def count(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return Counter(plain).count(batches if before is None else map(before, batches))

    return documents.select(*inputs, *more).mapInArrow(count, spark_schema(PARCELS))


def merge_partial(parcels: DataFrame) -> DataFrame:
    """Sum partial counts to ``schemas.COUNTS``, one row per (label, feature, term); totals sum alike.

    The parcels of a term meet in one partition and are merged there inside Arrow batches.
    """
    return parcels.transform(with_parcels_together).mapInArrow(merge_parcels, spark_schema(COUNTS))


def count_files(parcels: DataFrame) -> DataFrame:
    """Return the same as ``merge_partial`` in Parquet files, ``schemas.COUNT_FILES``: few rows leave the workers."""
    return parcels.transform(with_parcels_together).mapInArrow(encode_merged, spark_schema(COUNT_FILES))


def with_parcels_together(parcels: DataFrame) -> DataFrame:
    """Return the same rows, those of a feature and a parcel in one partition."""
    return parcels.repartition("feature", "parcel")


def counts_in_files(files: DataFrame) -> DataFrame:
    """Return the ``schemas.COUNTS`` in files, ``schemas.COUNT_FILES``."""
    return files.select("content").mapInArrow(decode_counts, spark_schema(COUNTS))


def sum_counts(counts: DataFrame) -> DataFrame:
    """Sum the counts of several batches to one row per (label, feature, term)."""
    together = counts.transform(pack_counts).transform(with_terms_together)
    return together.mapInArrow(merge, spark_schema(COUNTS))


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
