"""Counts of batches in memory, read and written: for what is small, or has to look at every row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from nbspark.counting.counter import Counter
from nbspark.counting.parcels import merge_parcels
from nbspark.counting.writing import decode_counts, encode_counts
from nbspark.errors import StoreError
from nbspark.schemas import COUNT_FILES, COUNTS
from nbspark.store.learned import Learned, create_files
from nbspark.store.versions import COUNTS_FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nbspark.spec import Spec
    from nbspark.store import Batch, LearnedBatch, Store


def count_in_memory(spec: Spec, documents: Iterable[pa.RecordBatch]) -> pa.Table:
    """Return the counts of documents, ``schemas.COUNT_FILES``, by the kernels that Spark runs."""
    return as_files(count_rows(spec, documents).to_batches())


def count_rows(spec: Spec, documents: Iterable[pa.RecordBatch]) -> pa.Table:
    """Return the same as ``schemas.COUNTS``."""
    return pa.Table.from_batches(merge_parcels(Counter(spec).count(documents)), COUNTS)


def as_files(counts: Iterable[pa.RecordBatch]) -> pa.Table:
    """Return complete counts as files, ``schemas.COUNT_FILES``."""
    return pa.Table.from_batches(list(encode_counts(counts)), COUNT_FILES)


def rows_of(files: pa.Table) -> pa.Table:
    """Return the ``schemas.COUNTS`` in files."""
    return pa.Table.from_batches(list(decode_counts(files.to_batches())), COUNTS)


def read_batch(store: Store, batch: Batch) -> pa.Table:
    """Return the counts of a stored batch, without its weight.

    Raises
    ------
    StoreError
        A file is missing or cannot be read.
    """
    tables = []
    for file in batch.files:
        if not file.name.startswith(f"{COUNTS_FOLDER}/"):
            continue
        where = f"{store.root}/{batch.folder}/{file.name}"
        try:
            with store.files.open(where) as opened:
                tables.append(pq.read_table(opened, schema=COUNTS))
        except (FileNotFoundError, pa.ArrowException) as error:
            raise StoreError(f"{where}: no counts can be read: {str(error).splitlines()[0]} Restore it.") from error
    return pa.concat_tables(tables)


def write_batch(store: Store, folder: str, files: pa.Table, *, learned: Sequence[LearnedBatch]) -> Batch:
    """Write files of counts to the folder of a new batch and return what it then is; nothing is published."""
    written = create_files(files, store.files, folder)
    return store.describe_batch(learned[-1].batch, folder, Learned.of(files).rows, written=written, learned=learned)
