"""Small makers that several tests share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from nbspark.counting.counter import Counter
from nbspark.counting.merging import merge
from nbspark.counting.table import CountTable
from nbspark.schemas import WEIGHT_COLUMN, feature_column
from nbspark.scoring.kernel import Scorer
from nbspark.smoothing.likelihoods import smooth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbspark.spec import Spec


def count_rows(spec: Spec, *streams: Sequence[pa.RecordBatch]) -> pa.Table:
    """Return the counts of streams of documents, merged as at the end of a shuffle, without Spark."""
    return pa.Table.from_batches(merge(batch for stream in streams for batch in Counter(spec).count(stream)))


def documents(
    labels: Sequence[object], *columns: Sequence[object], weights: Sequence[float] | None = None
) -> pa.RecordBatch:
    """Return documents as a kernel reads them, one column a feature."""
    arrays = {"label": pa.array(labels), **{feature_column(i): _array(values) for i, values in enumerate(columns)}}
    if weights is not None:
        arrays[WEIGHT_COLUMN] = pa.array(weights, pa.float64())
    return pa.record_batch(arrays)


def _array(values: object) -> pa.Array:
    """Return values as Arrow has them."""
    return values if isinstance(values, pa.Array) else pa.array(values)


def count_table(
    spec: Spec, labels: Sequence[object], *columns: Sequence[object], weights: Sequence[float] | None = None
) -> CountTable:
    """Return the counts of documents, one column a feature, without Spark."""
    return CountTable.from_arrow(count_rows(spec, [documents(labels, *columns, weights=weights)]))


def trained(
    spec: Spec,
    labels: Sequence[object],
    *columns: Sequence[object],
    weights: Sequence[float] | None = None,
    **asked: object,
) -> Scorer:
    """Return the scorer of a model trained without Spark."""
    return Scorer(spec.features, smooth(spec, count_table(spec, labels, *columns, weights=weights)), **asked)
