"""Counts to Parquet files: made in memory by the workers, and written by them where all see one disk.

Spark would take the counts back from Python row by row, which doubles the time of training (docs/performance.md). So a
file is what a worker hands over: to the disk, or as bytes to the driver or to Spark's cache.
"""

from __future__ import annotations

import hashlib
import io
import os
import platform
import shutil
import uuid
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from nbspark.counting.facts import tally
from nbspark.counting.fingerprint import partial_fingerprint, wrapped
from nbspark.counting.merging import merge
from nbspark.errors import StoreError
from nbspark.files.local import flush_folders
from nbspark.schemas import COUNT_FILES, COUNTS, WRITTEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FOLDERS_ABOVE = 4  # that may be new with a batch: its own, that of all batches, the model's, and where that is
FILE_BYTES = 64 << 20  # about the size of a file; a worker holds one


class WrittenFile(NamedTuple):
    """One file of counts: its name in the folder of counts, its size and its SHA-256."""

    name: str
    n_bytes: int
    sha256: str


def encode_counts(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield ``schemas.COUNT_FILES`` for ``schemas.COUNTS``: one row a file, a new file about every ``FILE_BYTES``.

    No rows make no file.
    """
    left = iter(batches)
    while (first := next(left, None)) is not None:
        sink = io.BytesIO()
        with pq.ParquetWriter(sink, COUNTS, compression="zstd") as writer:
            parts: list[int] = []
            [facts] = tally(_written(chain([first], left), writer, sink, parts))
        content = sink.getvalue()
        row = {
            "file": f"{uuid.uuid4().hex}.parquet",
            "n_bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
            "fingerprint": wrapped(parts),
            "facts": facts.to_pylist(),
            "content": content,
        }
        yield pa.RecordBatch.from_pylist([row], schema=COUNT_FILES)


def encode_merged(packed: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield ``schemas.COUNT_FILES`` for ``schemas.PACKED_COUNTS`` that hold all rows of each of their terms."""
    return encode_counts(merge(packed))


def _written(
    batches: Iterable[pa.RecordBatch], writer: pq.ParquetWriter, sink: io.BytesIO, fingerprints: list[int]
) -> Iterator[pa.RecordBatch]:
    """Yield batches after writing them and noting their fingerprints, until the file is large enough."""
    for batch in batches:
        writer.write_batch(batch)
        fingerprints.append(partial_fingerprint(batch))
        yield batch
        if sink.tell() >= FILE_BYTES:
            return


def decode_counts(files: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield ``schemas.COUNTS`` for ``schemas.COUNT_FILES``.

    >>> counts = pa.RecordBatch.from_pylist([{"label": "spam", "n_docs": 2.0}], schema=COUNTS)
    >>> [found] = decode_counts(encode_counts([counts]))
    >>> found.equals(counts)
    True
    """
    for batch in files:
        for content in batch.column("content"):
            yield from pq.ParquetFile(pa.BufferReader(content.as_buffer())).iter_batches()


def write_files(files: Iterable[pa.RecordBatch], folder: str) -> Iterator[pa.RecordBatch]:
    """Write ``schemas.COUNT_FILES`` to a local folder and yield what was written, ``schemas.WRITTEN``.

    A task that runs twice writes its files twice, under other names. Whoever ran the tasks knows which of them count:
    those whose rows came back.

    Raises
    ------
    StoreError
        There is no such folder on this machine.
    """
    for batch in files:
        if not Path(folder).is_dir():
            raise StoreError(
                f"{folder}: the driver made this folder, and a worker on {platform.node()} does not see it. "
                "Put the model on a disk that all machines share, or on a file system such as hdfs: or s3a:."
            )
        for name, content in zip(batch.column("file"), batch.column("content"), strict=True):
            with Path(folder, name.as_py()).open("xb") as file:
                file.write(content.as_buffer())
                file.flush()
                os.fsync(file.fileno())
        yield batch.select(WRITTEN.names)


def adopt(written: pa.Table, attempts: str, folder: str) -> list[WrittenFile]:
    """Move the files that count out of the folder of attempts, and remove that with what is left in it.

    Parameters
    ----------
    written : Table of ``schemas.WRITTEN``
        What the tasks that ended well returned.
    attempts, folder : str
        Local paths.

    Returns
    -------
    list of WrittenFile
        The files under their new names.
    """
    files = []
    rows = written.select(["file", "n_bytes", "sha256"]).to_pylist()
    for i, row in enumerate(sorted(rows, key=lambda row: row["file"])):
        files.append(WrittenFile(part_name(i), row["n_bytes"], row["sha256"]))
        Path(attempts, row["file"]).rename(Path(folder, files[-1].name))
    flush_folders(Path(folder), above=_FOLDERS_ABOVE)
    shutil.rmtree(attempts, ignore_errors=True)  # a task that is given up may still be writing; hidden, it harms nobody
    return files


def part_name(i: int) -> str:
    """Return the name of the i-th file of a batch.

    >>> part_name(0)
    'part-00000.parquet'
    """
    return f"part-{i:05}.parquet"
