"""Counts to a stored version of a model, and back."""

from __future__ import annotations

import uuid
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from nbspark.arrays.frame import spark_schema
from nbspark.counting.facts import MISSING, READ, UNLABELLED, add_up, tally
from nbspark.counting.frame import merge_counts, sum_counts, with_terms_together
from nbspark.counting.merging import merge
from nbspark.counting.writing import WrittenFile, adopt, write_counts
from nbspark.errors import DocumentsError
from nbspark.features import Numeric
from nbspark.files.choose import files_for
from nbspark.schemas import ADDITIVE, COUNTS, FACTS, WRITTEN
from nbspark.smoothing.likelihoods import require_classes
from nbspark.store import COUNTS_FOLDER, Store, Version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from nbspark.spec import Spec


def summarize(counts: DataFrame) -> dict[str, int]:
    """Run the counts: return what became of the rows read, by ``counting.facts.ROW_FACTS``, and ``n_pairs``.

    Rows in which a feature was missing are under ``missing.FEATURE``.
    """
    return add_up(counts.mapInArrow(tally, spark_schema(FACTS)).toArrow())


def require_learned(spec: Spec, rows: dict[str, int]) -> dict[str, int]:
    """Return what became of the rows, or raise an error if nothing was learned from them."""
    n_learned = rows[READ] - rows[UNLABELLED]
    if not n_learned:
        raise DocumentsError(
            f"documents: no row has a label ({rows[READ]:,} read), so there is nothing to learn. "
            "Check the label column."
        )
    numbers = [one for one in spec.features if isinstance(one, Numeric) and rows[f"{MISSING}.{one.name}"] < n_learned]
    if not rows["n_pairs"] and not numbers:
        raise DocumentsError(
            f"documents: no term and no number in any of {n_learned:,} labelled rows. "
            "Check the feature columns and the tokenizer's options."
        )
    return rows


def publish(spec: Spec, counts: DataFrame, path: str, *, batch: str, is_partial: bool = False) -> Store:
    """Write counts as the first version of a new model.

    Parameters
    ----------
    counts : DataFrame
        Of ``schemas.COUNTS``; of ``schemas.PACKED_COUNTS``, still to be merged, if ``is_partial``.

    Raises
    ------
    PathError
        The path is there already.
    DocumentsError
        There is nothing to learn; no model is then left behind.
    SpecError
        A given prior or class weight lacks a class, or names one that is none.
    """
    spark = counts.sparkSession
    store = Store.create(path, spec.resolved().to_dict(), files_for(path, spark))
    folder = store.new_batch_folder(batch)
    written = f"{folder}/{COUNTS_FOLDER}"
    local = store.files.local(written)
    if local is None:
        merged = merge_counts(counts) if is_partial else counts
        merged.write.parquet(written)
        rows = summarize(spark.read.schema(spark_schema(COUNTS)).parquet(written))
        files = None
    else:
        rows, files = write_local(counts, local, is_partial=is_partial)
    require_learned(spec, rows)
    if isinstance(spec.prior, dict) or isinstance(spec.class_weight, dict):  # before readers fail on them
        read = spark.read.schema(spark_schema(COUNTS)).parquet(written)
        of_class = read.where(F.col("label").isNotNull() & F.col("feature").isNull()).select("label")
        require_classes(spec, sorted(row["label"] for row in of_class.collect()))
    store.publish([store.describe_batch(batch, folder, rows, written=files)], note={})
    return store


def write_local(counts: DataFrame, folder: str, *, is_partial: bool) -> tuple[dict[str, int], list[WrittenFile]]:
    """Let the workers write the counts to a folder on a disk that all machines share.

    Returns the facts in them, and the files that were written.

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
        return write_counts(merge(batches) if is_partial else batches, str(attempts))

    partitions = with_terms_together(counts) if is_partial else counts
    written = partitions.mapInArrow(write, spark_schema(WRITTEN)).toArrow()
    return add_up(written), adopt(written, str(attempts), folder)


def read_batches(store: Store, version: Version, spark: SparkSession) -> DataFrame:
    """Return a version's counts, a frame of ``schemas.COUNTS``: its batches, weighted and summed; lazy."""
    schema = spark_schema(COUNTS)
    batches = []
    for folder, weight in store.counts_paths(version):
        counts = spark.read.schema(schema).parquet(folder)
        if weight != 1.0:
            counts = counts.withColumns({name: F.col(name) * weight for name in ADDITIVE})
        batches.append(counts)
    if len(batches) == 1:
        return batches[0]
    return sum_counts(reduce(lambda left, right: left.unionByName(right), batches))
