"""Counts of a frame to a stored version of a model, and back."""

from __future__ import annotations

import uuid
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as F

from nbspark.arrays.frame import spark_schema
from nbspark.counting.facts import MISSING, READ, UNDECODABLE, UNLABELLED, add_up, class_docs, facts_of
from nbspark.counting.frame import counts_in_files, sum_counts
from nbspark.counting.writing import WrittenFile, adopt, part_name, write_files
from nbspark.errors import DocumentsError
from nbspark.files.patterns import literal
from nbspark.schemas import ADDITIVE, COUNTS, WRITTEN
from nbspark.smoothing.totals import require_classes
from nbspark.store import COUNTS_FOLDER, Store, Version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from nbspark.files.protocol import Files
    from nbspark.spec import Spec


# Spark's own option for paths that it wrote itself. Escapes would do, but for a folder with a colon in its name: Hadoop
# goes through patterns folder by folder, and fails at such a one.
NO_PATTERN = ("__globPaths__", "false")


class Learned(NamedTuple):
    """What is in some counts.

    Attributes
    ----------
    rows : dict of str to int
        What became of the rows read, by ``counting.facts.ROW_FACTS``, and ``n_pairs``; rows in which a feature was
        missing are under ``missing.FEATURE``.
    class_docs : dict of str to float
        Documents of each class.
    """

    rows: dict[str, int]
    class_docs: dict[str, float]

    @classmethod
    def of(cls, files: pa.Table) -> Learned:
        """Return what is in files of ``schemas.WRITTEN``."""
        facts = facts_of(files)
        return cls(add_up(facts), class_docs(facts))


def require_learned(spec: Spec, learned: Learned, *, max_undecodable: float | None = None) -> Learned:
    """Return what was learned, or raise an error if it is nothing, or if a prior does not fit the classes.

    Parameters
    ----------
    max_undecodable : float, optional
        The largest share of learned documents that may hold U+FFFD.

    Raises
    ------
    DocumentsError
        No row has a label, no labelled row has a term or a number, or too many documents are undecodable.
    SpecError
        A given prior or class weight lacks a class, or names one that no document has.
    """
    rows = learned.rows
    n_learned = rows[READ] - rows[UNLABELLED]
    if not n_learned:
        raise DocumentsError(
            f"documents: no row has a label ({rows[READ]:,} read), so there is nothing to learn. "
            "Check the label column."
        )
    numbers = [one for one in spec.numeric_features if rows[f"{MISSING}.{one.name}"] < n_learned]
    if not rows["n_pairs"] and not numbers:
        raise DocumentsError(
            f"documents: no term and no number in any of {n_learned:,} labelled rows. "
            "Check the feature columns and the tokenizer's options."
        )
    require_classes(spec, list(learned.class_docs))
    _require_decodable(rows, max_undecodable)
    return learned


def _require_decodable(rows: Mapping[str, int], limit: float | None) -> None:
    """Raise an error if too many of the learned documents hold U+FFFD."""
    n_learned = rows[READ] - rows[UNLABELLED]
    if limit is not None and rows[UNDECODABLE] > limit * n_learned:
        raise DocumentsError(
            f"documents: {rows[UNDECODABLE]:,} of {n_learned:,} hold U+FFFD, which stands for bytes that are not valid "
            "in the encoding. Read them in the encoding they have (--encoding gb18030, cp1252, ...), or learn them "
            "as they are (--allow-undecodable; in Python max_undecodable=1.0)."
        )


def write_counts(counts: DataFrame, store: Store, folder: str) -> tuple[Learned, list[WrittenFile] | None]:
    """Run counts, ``schemas.COUNT_FILES``, and write them to a batch's folder.

    Returns
    -------
    learned : Learned
    written : list of WrittenFile, or None
        The files; None where Spark wrote them.
    """
    target = f"{folder}/{COUNTS_FOLDER}"
    local = store.files.local(target)
    if local is not None:
        return _write_local(counts, local)
    kept = counts.persist()  # the facts and the counts come from one run
    try:
        learned = Learned.of(kept.drop("content").toArrow())
        counts_in_files(kept).write.parquet(target)
    finally:
        kept.unpersist()
    return learned, None


def _write_local(counts: DataFrame, folder: str) -> tuple[Learned, list[WrittenFile]]:
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
        return write_files(batches, str(attempts))

    written = counts.mapInArrow(write, spark_schema(WRITTEN)).toArrow()
    return Learned.of(written), adopt(written, str(attempts), folder)


def create_files(counts: pa.Table, files: Files, folder: str) -> list[WrittenFile]:
    """Write counts in memory, ``schemas.COUNT_FILES``, to a batch's folder, on any file system."""
    written = []
    for i, row in enumerate(counts.select(["n_bytes", "sha256", "content"]).to_pylist()):
        written.append(WrittenFile(part_name(i), row["n_bytes"], row["sha256"]))
        files.create(f"{folder}/{COUNTS_FOLDER}/{written[-1].name}", row["content"])
    return written


def publish(
    store: Store, folder: str, *, batch: str, rows: Mapping[str, int], written: list[WrittenFile] | None
) -> Version:
    """Publish a batch's folder as the first version of a new model."""
    return store.publish([store.describe_batch(batch, folder, rows, written=written)], note={})


def publish_learned(
    files: DataFrame, store: Store, spec: Spec, *, batch: str, max_undecodable: float | None = None
) -> Version:
    """Run counts, ``schemas.COUNT_FILES``, and publish them as the first version of a new model.

    Raises
    ------
    DocumentsError, SpecError
        As in ``require_learned``; nothing is then published.
    """
    with store.new_batch(batch) as folder:
        learned, written = write_counts(files, store, folder)
        require_learned(spec, learned, max_undecodable=max_undecodable)
        return publish(store, folder, batch=batch, rows=learned.rows, written=written)


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
