"""Counts of a frame to a stored version of a model, and back."""

from __future__ import annotations

import uuid
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from nbspark.arrays.frame import spark_schema
from nbspark.counting.frame import counts_in_files, sum_counts
from nbspark.counting.writing import WrittenFile, adopt, write_files
from nbspark.files.patterns import literal
from nbspark.schemas import ADDITIVE, COUNT_FILES, COUNTS, WRITTEN
from nbspark.store import COUNTS_FOLDER, Store, Version
from nbspark.store.learned import Learned, publish_first, require_learned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from nbspark.spec import Spec

    Encode = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


# Spark's own option for paths that it wrote itself. Escapes would do, but for a folder with a colon in its name: Hadoop
# goes through patterns folder by folder, and fails at such a one.
NO_PATTERN = ("__globPaths__", "false")


def write_counts(
    rows: DataFrame, store: Store, folder: str, *, encode: Encode
) -> tuple[Learned, list[WrittenFile] | None]:
    """Run a frame whose partitions hold counts, and write them to a batch's folder.

    Parameters
    ----------
    encode : callable
        Makes ``schemas.COUNT_FILES`` of the rows of a partition. It runs in the worker that writes: a second step in
        Python would be a second process, which is as slow to start.

    Returns
    -------
    learned : Learned
    written : list of WrittenFile, or None
        The files; None where Spark wrote them.
    """
    target = f"{folder}/{COUNTS_FOLDER}"
    local = store.files.local(target)
    if local is not None:
        return _write_local(rows, local, encode)
    kept = rows.mapInArrow(encode, spark_schema(COUNT_FILES)).persist()  # the facts and the counts come from one run
    try:
        learned = Learned.of(kept.drop("content").toArrow())
        counts_in_files(kept).write.parquet(target)
    finally:
        kept.unpersist()
    return learned, None


def _write_local(rows: DataFrame, folder: str, encode: Encode) -> tuple[Learned, list[WrittenFile]]:
    """Let the workers write the counts to a folder on a disk that all machines share.

    A task may run twice, or be lost after it wrote. So all write to a hidden folder, and the files that belong are
    then moved: those that finished tasks reported.

    Raises
    ------
    StoreError
        A worker does not see the folder.
    """
    attempts = Path(folder, f"_attempts-{uuid.uuid4().hex}")
    attempts.mkdir(parents=True)

    def write(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return write_files(encode(batches), str(attempts))

    written = rows.mapInArrow(write, spark_schema(WRITTEN)).toArrow()
    return Learned.of(written), adopt(written, str(attempts), folder)


def publish_learned(
    rows: DataFrame,
    store: Store,
    spec: Spec,
    *,
    encode: Encode,
    batch: str,
    date: str | None = None,
    max_undecodable: float | None = None,
) -> Version:
    """Run a frame whose partitions hold counts, as ``write_counts`` does, and publish the first version of a model.

    Raises
    ------
    DocumentsError, SpecError
        As in ``require_learned``; nothing is then published.
    """
    with store.new_batch(batch) as folder:
        learned, written = write_counts(rows, store, folder, encode=encode)
        require_learned(spec, learned, max_undecodable=max_undecodable)
        return publish_first(store, folder, batch=batch, learned=learned, written=written, date=date)


def read_batches(store: Store, version: Version, spark: SparkSession) -> DataFrame:
    """Return a version's counts, a frame of ``schemas.COUNTS``: its batches, weighted and summed; lazy."""
    schema = spark_schema(COUNTS)
    batches = []
    for folder, weight in store.counts_paths(version):
        reader = spark.read.schema(schema)
        if literal(folder) != folder:
            reader = reader.option(*NO_PATTERN)
        counts = reader.parquet(folder)
        if weight != 1.0:
            counts = counts.withColumns({name: F.col(name) * weight for name in ADDITIVE})
        batches.append(counts)
    if len(batches) == 1:
        return batches[0]
    return sum_counts(reduce(lambda left, right: left.unionByName(right), batches))
