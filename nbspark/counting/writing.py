"""Counts to Parquet files, written by the workers themselves where all see one disk.

Spark would take the counts back from Python row by row, which doubles the time of training (docs/performance.md).
"""

from __future__ import annotations

import os
import platform
import shutil
import uuid
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from nbspark.counting.facts import tally
from nbspark.errors import StoreError
from nbspark.schemas import COUNTS, WRITTEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


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
        with pq.ParquetWriter(file, COUNTS, compression="zstd") as writer:
            [facts] = tally(_written(chain([first], left), writer))
        file.flush()
        os.fsync(file.fileno())
    yield pa.record_batch([pa.repeat(path.name, facts.num_rows), *facts.columns], schema=WRITTEN)


def _written(batches: Iterable[pa.RecordBatch], writer: pq.ParquetWriter) -> Iterator[pa.RecordBatch]:
    """Yield batches after writing them."""
    for batch in batches:
        writer.write_batch(batch)
        yield batch


def adopt(names: Iterable[str], attempts: str, folder: str) -> None:
    """Move the files that count out of the folder of attempts, and remove that with what is left in it."""
    for i, name in enumerate(sorted(names)):
        Path(attempts, name).rename(Path(folder, f"part-{i:05}.parquet"))
    shutil.rmtree(attempts, ignore_errors=True)  # a task that is given up may still be writing; hidden, it harms nobody
