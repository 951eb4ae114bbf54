"""Small makers that several tests share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from nbspark.counting.counter import Counter
from nbspark.counting.parcels import merge_parcels
from nbspark.counting.table import CountTable
from nbspark.counting.writing import encode_counts
from nbspark.files.local import LocalFiles
from nbspark.schemas import COUNTS, WEIGHT_COLUMN, feature_column
from nbspark.scoring.kernel import Scorer
from nbspark.smoothing.likelihoods import smooth
from nbspark.spec import Spec
from nbspark.store import Batch, Store

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike


def spec_of(*features: object, **options: object) -> Spec:
    """Return a spec of these features whose label is y."""
    return Spec("y", features, **options)


def count_rows(spec: Spec, *streams: Sequence[pa.RecordBatch]) -> pa.Table:
    """Return the counts of streams of documents, merged as at the end of a shuffle, without Spark."""
    return pa.Table.from_batches(merge_parcels(batch for stream in streams for batch in Counter(spec).count(stream)))


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


def counts_rows(*rows: tuple[str | None, str | None, str | None, float, float]) -> pa.Table:
    """Return rows of counts: label, feature, term, tokens and documents; without moments."""
    return pa.Table.from_pylist([dict(zip(COUNTS.names, row, strict=False)) for row in rows], COUNTS)


def store_batch(store: Store, batch: str, *files: pa.Table, n_pairs: int) -> Batch:
    """Write a batch of counts, a table a file, without Spark."""
    folder = store.new_batch_folder(batch)
    for i, table in enumerate(files):
        [encoded] = encode_counts(table.to_batches())
        store.files.create(f"{folder}/counts/part-{i:05}.parquet", encoded.column("content")[0].as_py())
    return store.describe_batch(batch, folder, {"rows_read": 9, "unlabelled": 0, "n_pairs": n_pairs})


def store_model(path: str | PathLike[str], spec: Spec, *files: pa.Table, n_pairs: int) -> Store:
    """Write a model of one batch of counts, a table a file, without Spark."""
    store = Store.create(path, spec.to_dict(), LocalFiles())
    store.publish([store_batch(store, "1", *files, n_pairs=n_pairs)], note={})
    return store
