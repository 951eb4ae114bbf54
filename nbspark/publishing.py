"""Counts to a stored version of a model, and back."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from nbspark.counting.counter import MISSING, READ, ROW_FACTS, UNLABELLED
from nbspark.errors import DocumentsError
from nbspark.features import Numeric
from nbspark.frames import spark_schema
from nbspark.learning import sum_counts
from nbspark.likelihoods import require_classes
from nbspark.schemas import ADDITIVE, COUNTS
from nbspark.store import COUNTS_FOLDER, Store, Version, files_for

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from nbspark.spec import Spec


def summarize(counts: DataFrame) -> dict[str, int]:
    """Run the counts: return what became of the rows read, by ``counting.counter.ROW_FACTS``, and ``n_pairs``.

    Rows in which a feature was missing are under ``missing.FEATURE``.
    """
    is_fact = F.col("label").isNull()
    rows = counts.where(F.col("term").isNotNull() | is_fact)
    fact = F.when(is_fact, F.col("feature")).otherwise("n_pairs").alias("fact")
    detail = F.when(is_fact, F.col("term")).alias("detail")
    n = F.sum(F.when(is_fact, F.col("n_docs")).otherwise(1.0)).alias("n")
    found = {(row["fact"], row["detail"]): int(row["n"]) for row in rows.groupBy(fact, detail).agg(n).collect()}
    facts = {name: found.pop((name, None), 0) for name in (*ROW_FACTS, "n_pairs") if name != MISSING}
    return facts | {f"{name}.{feature}": n for (name, feature), n in sorted(found.items())}


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


def publish(spec: Spec, counts: DataFrame, path: str, *, batch: str, rows: dict[str, int] | None = None) -> Store:
    """Write counts as the first version of a new model.

    Parameters
    ----------
    rows : dict of str to int, optional
        What ``summarize`` gives; looked up in what was written unless given.

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
    counts.write.parquet(written)
    read = spark.read.schema(spark_schema(COUNTS)).parquet(written)
    if rows is None:
        rows = require_learned(spec, summarize(read))
    if isinstance(spec.prior, dict) or isinstance(spec.class_weight, dict):  # before readers fail on them
        of_class = read.where(F.col("label").isNotNull() & F.col("feature").isNull()).select("label")
        require_classes(spec, sorted(row["label"] for row in of_class.collect()))
    store.publish([store.describe_batch(batch, folder, rows)], note={})
    return store


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
