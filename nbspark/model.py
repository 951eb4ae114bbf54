"""A trained model: counts that can be read, saved and scored with."""

from __future__ import annotations

import logging
from functools import cached_property, reduce
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from nbspark.counting import ROW_FACTS
from nbspark.errors import DocumentsError, SpecError, StoreError
from nbspark.frames import require_columns, spark_schema
from nbspark.learning import feature_inputs, require_scalar, sum_counts
from nbspark.likelihoods import CountTable, Likelihoods, ModelTotals, explode_log_likelihoods, model_totals, smooth, unseen_log_likelihoods
from nbspark.schemas import COUNTS, LOG_LIKELIHOODS
from nbspark.local import read_counts
from nbspark.scoring.broadcast import score_broadcast
from nbspark.scoring.join import score_join, term_weights
from nbspark.scoring.kernel import Scorer
from nbspark.spec import Spec
from nbspark.store import COUNTS_FOLDER, Store, Version, files_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import DataFrame

log = logging.getLogger("nbspark")

PLANS = ("auto", "broadcast", "join")
BROADCAST_PAIRS = 10_000_000  # (label, term) pairs that go to every worker: 12 bytes each, and the terms


class Model:
    """Counts under a spec.

    Made by ``NaiveBayes.fit``, ``NaiveBayes.learn`` or ``nbspark.load``.

    Parameters
    ----------
    spec : Spec
    counts : DataFrame of ``schemas.COUNTS``
    rows : dict of str to int
        What became of the rows that were read (``counting.ROW_FACTS``), and ``n_pairs``.
    table : CountTable, optional
        The same counts in memory; needed for the broadcast plan, read when first used if not given.

    Attributes
    ----------
    labels : list of str
        The classes in string order.
    """

    def __init__(self, spec: Spec, counts: DataFrame, rows: dict[str, int], table: CountTable | None = None) -> None:
        self.spec = spec
        self.counts = counts
        self.rows = rows
        self._given = table

    @cached_property
    def _table(self) -> CountTable:
        """The counts in memory."""
        return self._given or CountTable.from_arrow(self.counts.toArrow())

    @cached_property
    def _likelihoods(self) -> Likelihoods:
        """What scoring adds up, in memory."""
        return smooth(self.spec, self._table)

    @property
    def _totals(self) -> ModelTotals:
        """The totals of the counts."""
        return model_totals(self.spec, self._table)

    @property
    def labels(self) -> list[str]:
        """The classes, in string order."""
        return self._table.labels

    @property
    def class_docs(self) -> list[float]:
        """Documents of each class, in the order of ``labels``."""
        return [float(n) for n in self._table.docs]

    @property
    def n_terms(self) -> int:
        """Terms in the vocabularies of all features."""
        return sum(len(one.terms) for one in self._table.features.values())

    def transform(
        self,
        documents: DataFrame,
        *,
        plan: str = "auto",
        probabilities: bool = False,
        top_k: int = 0,
        truth: str | None = None,
    ) -> DataFrame:
        """Return ``documents`` with their predictions; lazy.

        Parameters
        ----------
        documents : DataFrame
            Any columns; those of the features must be there.
        plan : {"auto", "broadcast", "join"}
            ``broadcast`` sends the model to every worker, ``join`` lets each block of documents fetch the terms
            it needs; ``auto`` takes ``broadcast`` up to ``BROADCAST_PAIRS`` pairs. The answers are the same.
        probabilities : bool
            Add ``probabilities``: a map from label to probability.
        top_k : int
            Add ``top_k``: the k best labels with their probabilities, best first.
        truth : str, optional
            A column with the true label: add ``log_loss``, -log P(true label) in nats, null where the label is
            null or unknown to the model.

        Returns
        -------
        DataFrame
            One row per document: its own columns, then ``schemas.PREDICTIONS``.

        Raises
        ------
        DocumentsError
            A column is missing, of the wrong type, or already called as one that scoring adds.
        """
        if plan not in PLANS:
            raise SpecError(f"plan={plan!r} is not one of {list(PLANS)}.")
        if top_k < 0:
            raise SpecError(f"top_k wants a number >= 0, found {top_k}.")
        feature_inputs(documents, self.spec)
        if truth is not None:
            require_columns(documents, [truth], asked_by="truth")
            require_scalar(documents, truth, role="label")
        if self._plan(plan) == "broadcast":
            scorer = Scorer(self.spec.features, self._likelihoods, probabilities=probabilities, top_k=top_k)
            columns = [feature.column for feature in self.spec.features]
            return score_broadcast(documents, scorer=scorer, columns=columns, truth=truth)
        likelihoods = self._likelihoods.without_terms()
        scorer = Scorer(self.spec.features, likelihoods, probabilities=probabilities, top_k=top_k)
        weights = term_weights(self.counts, spec=self.spec, totals=self._totals)
        return score_join(documents, scorer=scorer, weights=weights, features=self.spec.features, truth=truth)

    def log_likelihoods(self) -> DataFrame:
        """Return the model as people query it, a frame of ``schemas.LOG_LIKELIHOODS``; lazy."""
        totals, likelihoods = self._totals, self._likelihoods
        names = [str(feature.name) for feature in self.spec.features]
        floors = {name: one.floor for name, one in zip(names, likelihoods.features, strict=True)}

        def explode(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                yield from explode_log_likelihoods(batch, totals.labels, floors)

        schema = spark_schema(LOG_LIKELIHOODS)
        seen = term_weights(self.counts, spec=self.spec, totals=totals).mapInArrow(explode, schema)
        unseen = unseen_log_likelihoods(likelihoods, names)
        return seen.unionByName(self.counts.sparkSession.createDataFrame(unseen, schema))

    def save(self, path: str, *, batch: str = "1") -> Model:
        """Write the model to a new folder, as version 1 with one batch, and return it.

        Raises
        ------
        PathError
            The path is there already: a model is never overwritten.
        """
        publish(self.spec, self.counts, path, batch=batch, rows=self.rows)
        return self

    def unpersist(self) -> Model:
        """Let go of the counts that ``fit`` keeps in Spark's cache."""
        self.counts.unpersist()
        return self

    def _plan(self, asked: str) -> str:
        """Return the plan to use, and log why."""
        n_pairs = self.rows["n_pairs"]
        fits = n_pairs <= BROADCAST_PAIRS
        plan = asked if asked != "auto" else "broadcast" if fits else "join"
        log.info("plan %s (asked: %s): %d pairs, broadcast up to %d", plan, asked, n_pairs, BROADCAST_PAIRS)
        return plan


def summarize(counts: DataFrame) -> dict[str, int]:
    """Run the counts: return what became of the rows read, and the number of (label, feature, term) rows."""
    facts = (
        counts.where(F.col("term").isNotNull() | F.col("label").isNull())
        .groupBy(F.when(F.col("label").isNull(), F.col("feature")).otherwise("n_pairs").alias("fact"))
        .agg(F.sum(F.when(F.col("label").isNull(), F.col("n_docs")).otherwise(1.0)).alias("n"))
    )
    found = {row["fact"]: int(row["n"]) for row in facts.collect()}
    return {name: found.get(name, 0) for name in (*ROW_FACTS, "n_pairs")}


def require_learned(rows: dict[str, int]) -> dict[str, int]:
    """Return what became of the rows, or raise an error if nothing was learned from them."""
    n_learned = rows["rows_read"] - rows["unlabelled"]
    if not n_learned:
        raise DocumentsError(
            f"documents: no row has a label ({rows['rows_read']:,} read), so there is nothing to learn. "
            "Check the label column."
        )
    if not rows["n_pairs"]:
        raise DocumentsError(
            f"documents: no term in any of {n_learned:,} labelled rows. Check the text columns and the tokenizer's options."
        )
    return rows


def publish(spec: Spec, counts: DataFrame, path: str, *, batch: str, rows: dict[str, int] | None = None) -> Store:
    """Write counts as the first version of a new model.

    Raises
    ------
    PathError
        The path is there already.
    DocumentsError
        There is nothing to learn; no model is then left behind.
    """
    spark = counts.sparkSession
    store = Store.create(path, spec.resolved().to_dict(), files_for(path, spark))
    folder = store.new_batch_folder(batch)
    written = f"{folder}/{COUNTS_FOLDER}"
    counts.write.parquet(written)
    if rows is None:
        rows = require_learned(summarize(spark.read.schema(spark_schema(COUNTS)).parquet(written)))
    store.publish([store.describe_batch(batch, folder, rows)], note={})
    return store


def load(path: str, *, spark: SparkSession | None = None) -> Model:
    """Return the newest version of a stored model.

    Parameters
    ----------
    path : str
        The model's folder, local or on any file system of the session.
    spark : SparkSession, optional
        The active session unless given.

    Raises
    ------
    StoreError
        There is no model, it is damaged, or it was written by a newer nbspark.
    """
    spark = spark or SparkSession.getActiveSession()
    if spark is None:
        raise StoreError(f"load {path!r}: no active Spark session. Start one, pass spark=, or use nbspark.local.")
    store = Store.open(path, files_for(path, spark))
    version = store.latest()
    rows: dict[str, int] = {}
    for one in version.batches:
        for fact, n in one.rows.items():
            rows[fact] = rows.get(fact, 0) + n
    fits = rows["n_pairs"] <= BROADCAST_PAIRS
    store.verify(version, checksums=fits)
    counts = read_batches(store, version, spark)
    table = read_counts(store, version) if fits else None
    return Model(Spec.from_dict(dict(store.spec), where=path), counts, rows, table)


def read_batches(store: Store, version: Version, spark: SparkSession) -> DataFrame:
    """Return a version's counts, a frame of ``schemas.COUNTS``: its batches, weighted and summed; lazy."""
    schema = spark_schema(COUNTS)
    batches = []
    for folder, weight in store.counts_paths(version):
        counts = spark.read.schema(schema).parquet(folder)
        if weight != 1.0:
            counts = counts.withColumns({name: F.col(name) * weight for name in ("n_tokens", "n_docs")})
        batches.append(counts)
    if len(batches) == 1:
        return batches[0]
    return sum_counts(reduce(lambda left, right: left.unionByName(right), batches))
