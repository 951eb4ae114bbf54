"""Counts to Parquet files, written by the workers themselves where all see one disk.

Spark would take the counts back from Python row by row, which doubles the time of training (docs/performance.md).
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
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from nbspark.counting.facts import tally
from nbspark.errors import StoreError
from nbspark.schemas import COUNTS, WRITTEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class WrittenFile(NamedTuple):
    """One file of counts: its name in the folder of counts, its size and its SHA-256."""

    name: str
    n_bytes: int
    sha256: str


def write_counts(batches: Iterable[pa.RecordBatch], folder: str) -> Iterator[pa.RecordBatch]:
    """Write ``schemas.COUNTS`` to one new file, and yield what is in it; for no rows do neither.

    A task that runs twice writes two files. Whoever ran the tasks knows which of them counts: the one whose rows
    came back.

    Parameters
    ----------
    batches : iterable of RecordBatch
    folder : str
        A local path.

    Yields
    ------
    RecordBatch of ``schemas.WRITTEN``

    Raises
    ------
    StoreError
        There is no such folder on this machine.
    """
    left = iter(batches)
    first = next(left, None)
    if first is None:
        return
    if not Path(folder).is_dir():
        raise StoreError(
            f"{folder}: the driver made this folder, and a worker on {platform.node()} does not see it. "
            "Put the model on a disk that all machines share, or on a file system such as hdfs: or s3a:."
        )
    path = Path(folder, f"{uuid.uuid4().hex}.parquet")
    with path.open("xb") as file:
        hashed = _HashedFile(file)
        with pq.ParquetWriter(hashed, COUNTS, compression="zstd") as writer:
            [facts] = tally(_written(chain([first], left), writer))
        file.flush()
        os.fsync(file.fileno())
    of_file = [pa.repeat(value, facts.num_rows) for value in (path.name, hashed.tell(), hashed.sha256())]
    yield pa.record_batch([*of_file, *facts.columns], schema=WRITTEN)


class _HashedFile(io.RawIOBase):
    """A file that hashes what is written to it, so that nobody has to read it again for that."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self._n_bytes = 0

    def writable(self) -> bool:
        """Say that this file takes bytes."""
        return True

    def write(self, data: Any) -> int:
        """Write all of the bytes."""
        self._file.write(data)
        self._digest.update(data)
        self._n_bytes += len(data)
        return len(data)

    def tell(self) -> int:
        """Return how many bytes were written."""
        return self._n_bytes

    def sha256(self) -> str:
        """Return the hexadecimal SHA-256 of what was written."""
        return self._digest.hexdigest()


def _written(batches: Iterable[pa.RecordBatch], writer: pq.ParquetWriter) -> Iterator[pa.RecordBatch]:
    """Yield batches after writing them."""
    for batch in batches:
        writer.write_batch(batch)
        yield batch


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
    found = {row["file"]: row for row in written.select(["file", "n_bytes", "sha256"]).to_pylist()}
    files = []
    for i, (name, row) in enumerate(sorted(found.items())):
        files.append(WrittenFile(f"part-{i:05}.parquet", row["n_bytes"], row["sha256"]))
        Path(attempts, name).rename(Path(folder, files[-1].name))
    shutil.rmtree(attempts, ignore_errors=True)  # a task that is given up may still be writing; hidden, it harms nobody
    return files
