"""Documents of a fold as a few rows of bytes: how they cross to where their fold is scored. No pyspark in it."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.batches import gather
from nbspark.schemas import FOLD_BLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from nbspark.selection.folds import Folds

PART_BYTES = 4 << 20  # of documents in a row


def by_fold(
    tables: Iterable[pa.Table], folds: Folds, places: Sequence[int], carried: Sequence[int]
) -> Iterator[tuple[str, pa.Table]]:
    """Yield each fold's documents of some tables.

    Parameters
    ----------
    places : sequence of int
        Where the columns are that decide the fold.
    carried : sequence of int
        Where the columns are that the documents keep, in this order.
    """
    for table in tables:
        names = folds.names([table.column(place).combine_chunks() for place in places])
        documents = table.select(list(carried))
        for fold in pc.unique(names).to_pylist():
            yield fold, documents.filter(pc.equal(names, fold))


def write_blocks(
    batches: Iterable[pa.RecordBatch], folds: Folds, places: Sequence[int], carried: Sequence[int], n_chunks: int
) -> Iterator[pa.RecordBatch]:
    """Yield ``schemas.FOLD_BLOCKS`` for documents; the parameters are those of ``by_fold``.

    Parameters
    ----------
    n_chunks : int
        In how many places the documents of a fold are scored; a checksum says in which.
    """
    for fold, documents in by_fold(gather(batches), folds, places, carried):
        rows = max(1, documents.num_rows * PART_BYTES // max(PART_BYTES, documents.nbytes))
        for start in range(0, documents.num_rows, rows):
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, documents.schema) as writer:
                writer.write_table(documents.slice(start, rows))
            content = sink.getvalue().to_pybytes()
            row = {"fold": fold, "chunk": zlib.crc32(content) % n_chunks, "documents": content}
            yield pa.RecordBatch.from_pylist([row], schema=FOLD_BLOCKS)


def read_blocks(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str, pa.Table]]:
    """Yield folds and their documents for ``schemas.FOLD_BLOCKS``.

    >>> from nbspark.selection.folds import Folds
    >>> docs = pa.record_batch({"year": ["2024", "2025", "2024"], "body": ["a", "b", "c"]})
    >>> [(fold, found["body"].to_pylist()) for fold, found in read_blocks(
    ...     write_blocks([docs], Folds(("year",), None), [0], [1], 1))]
    [('2024', ['a', 'c']), ('2025', ['b'])]
    """
    for batch in batches:
        for fold, documents in zip(batch.column("fold"), batch.column("documents"), strict=True):
            yield fold.as_py(), pa.ipc.open_stream(documents.as_buffer()).read_all()
