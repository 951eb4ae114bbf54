"""A trained model: counts that can be read, saved and scored with."""

from __future__ import annotations

import logging
from dataclasses import fields
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from nbspark.arrays.frame import require_columns, require_scalar
from nbspark.counting.table import CountTable
from nbspark.errors import SpecError, StoreError
from nbspark.features.checks import replace, require_known
from nbspark.features.frame import feature_inputs
from nbspark.files.choose import files_for
from nbspark.local import read_counts
from nbspark.scoring.broadcast import score_broadcast
from nbspark.scoring.frame import Columns
from nbspark.scoring.join import score_join
from nbspark.scoring.kernel import Scorer
from nbspark.smoothing.frame import (
    collect_likelihoods,
    collect_totals,
    limited_pairs,
    log_likelihoods,
    term_parameters,
)
from nbspark.smoothing.likelihoods import Likelihoods, ModelTotals, class_factors, model_totals, prepare, smooth
from nbspark.spec import Spec
from nbspark.store import Store
from nbspark.store.frame import publish, read_batches

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame

log = logging.getLogger("nbspark")

PLANS = ("auto", "broadcast", "join")
BROADCAST_PAIRS = 10_000_000  # (label, term) pairs that go to every worker: 12 bytes each, and the terms

# What can be changed on a trained model, because it works on counts.
READ_TIME_OPTIONS = (
    "alpha", "prior", "prior_smoothing", "class_weight", "event", "norm", "var_smoothing",
    "drop_top", "min_count", "min_docs", "max_docs", "max_terms",
)  # fmt: skip


class Model:
    """Counts under a spec.

    Made by ``NaiveBayes.fit``, ``NaiveBayes.learn`` or ``nbspark.load``.

    Parameters
    ----------
    spec : Spec
    counts : DataFrame of ``schemas.COUNTS``
    rows : dict of str to int
        What became of the rows that were read (``counting.facts.ROW_FACTS``), and ``n_pairs``.
    read : callable, optional
        Returns the same counts in memory. Called when a small model is first used, or any model in the broadcast
        plan; without it the counts are collected through Spark.

    Attributes
    ----------
    labels : list of str
        The classes in string order.
    """

    def __init__(
        self, spec: Spec, counts: DataFrame, rows: dict[str, int], read: Callable[[], CountTable] | None = None
    ) -> None:
        self.spec = spec
        self.counts = counts
        self.rows = rows
        self._read = read
        self._is_small = rows["n_pairs"] <= BROADCAST_PAIRS

    @cached_property
    def _table(self) -> CountTable:
        """The counts in memory, read when first used."""
        return self._read() if self._read else CountTable.from_arrow(self.counts.toArrow())

    @cached_property
    def _pairs(self) -> DataFrame:
        """The (label, feature, term) rows of the limited vocabulary."""
        return limited_pairs(self.counts, self.spec)

    @cached_property
    def _totals(self) -> tuple[ModelTotals, np.ndarray | None]:
        """The totals, and what multiplies each class's counts; from memory if the counts are small."""
        if not self._is_small:
            return collect_totals(self.counts, self._pairs, self.spec)
        factors = class_factors(self.spec, self._table.labels, self._table.docs)
        return model_totals(self.spec, prepare(self.spec, self._table)), factors

    @cached_property
    def _likelihoods(self) -> Likelihoods:
        """What scoring adds up, with its terms, in memory."""
        return smooth(self.spec, self._table)

    @cached_property
    def _of_classes(self) -> Likelihoods:
        """What every class adds, without terms; from memory if the counts are small."""
        if not self._is_small:
            return collect_likelihoods(self._pairs, self.spec, *self._totals)
        return self._likelihoods.without_terms()

    @cached_property
    def _class_docs(self) -> dict[str, float]:
        """Documents of each class, labels in string order."""
        if self._is_small:
            return dict(zip(self._table.labels, map(float, self._table.docs), strict=True))
        of_class = self.counts.where(F.col("label").isNotNull() & F.col("feature").isNull())
        return {row["label"]: row["n_docs"] for row in of_class.orderBy("label").collect()}

    @property
    def labels(self) -> list[str]:
        """The classes, in string order."""
        return list(self._class_docs)

    @property
    def class_docs(self) -> dict[str, float]:
        """Documents of each class that was learned, before any class weight."""
        return dict(self._class_docs)

    @property
    def n_terms(self) -> dict[str, int]:
        """Terms in the vocabulary of each feature that has one, after its limits."""
        totals, _ = self._totals
        return {name: one.n_terms for name, one in totals.features.items()}

    def with_options(self, *, feature: str | None = None, **options: Any) -> Model:
        """Return the same counts under other options; no document is read.

        Parameters
        ----------
        feature : str, optional
            The feature to change, by its name; else the model, and every feature that has the option.
        **options
            ``alpha``, ``prior``, ``prior_smoothing``, ``class_weight``, and of features ``alpha``, ``event``,
            ``norm``, ``var_smoothing``, ``drop_top``, ``min_count``, ``min_docs``, ``max_docs``, ``max_terms``.

        Raises
        ------
        SpecError
            The option is unknown, needs the documents again, or no feature has it.
        """
        require_known(options, list(READ_TIME_OPTIONS), "with_options (others need the documents again)")
        names = [one.name for one in self.spec.features]
        if feature is not None and feature not in names:
            raise SpecError(f"with_options: no feature {feature!r}; found {names}.")
        of_model = {field.name for field in fields(self.spec)} if feature is None else set()
        left = set(options) - of_model
        features = []
        unused = set(left)
        for one in self.spec.features:
            own = {field.name for field in fields(one)} & left if feature in (None, one.name) else set()
            features.append(replace(one, **{name: options[name] for name in own}))
            unused -= own
        if unused:
            asked = "no feature has" if feature is None else f"feature {feature!r} has no"
            raise SpecError(f"with_options: {asked} {sorted(unused)}; features: {names}.")
        of_spec = {name: value for name, value in options.items() if name in of_model}
        spec = replace(self.spec, features=tuple(features), **of_spec)
        return Model(spec, self.counts, self.rows, lambda: self._table)

    def transform(
        self,
        documents: DataFrame,
        *,
        plan: str = "auto",
        probabilities: bool | str = False,
        top_k: int = 0,
        truth: str | None = None,
        keep: Sequence[str] | None = None,
    ) -> DataFrame:
        """Return ``documents`` with their predictions; lazy.

        Parameters
        ----------
        documents : DataFrame
            Any columns; those of the features must be there.
        plan : {"auto", "broadcast", "join"}
            ``broadcast`` sends the model to every worker, ``join`` lets each block of documents fetch the terms
            it needs; ``auto`` takes ``broadcast`` up to ``BROADCAST_PAIRS`` pairs. The answers are the same.
        probabilities : bool or "array"
            Add ``probabilities``: a map from label to probability; ``"array"`` gives the probabilities alone, in the
            order of ``labels``, which is smaller and quicker to write.
        top_k : int
            Add ``top_k``: the k best labels with their probabilities, best first.
        truth : str, optional
            A column with the true label: add ``log_loss``, -log P(true label) in nats, null where the label is
            null or unknown to the model.
        keep : sequence of str, optional
            The columns of the documents to return; all unless given. A long text that is left out does not travel
            back from the workers, which dropping it afterwards cannot save.

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
        require_columns(documents, keep or (), asked_by="keep")
        features = self.spec.features
        columns = Columns.of(documents, [feature.column for feature in features], truth=truth, keep=keep)
        if self.choose_plan(plan) == "broadcast":
            scorer = Scorer(features, self._likelihoods, probabilities=probabilities, top_k=top_k)
            return score_broadcast(documents, scorer=scorer, columns=columns)
        scorer = Scorer(features, self._of_classes, probabilities=probabilities, top_k=top_k)
        totals, factors = self._totals
        parameters = term_parameters(self._pairs, spec=self.spec, totals=totals, factors=factors)
        return score_join(documents, scorer=scorer, parameters=parameters, features=features, columns=columns)

    def log_likelihoods(self) -> DataFrame:
        """Return the model as people query it, a frame of ``schemas.LOG_LIKELIHOODS``; lazy."""
        totals, factors = self._totals
        return log_likelihoods(
            self._pairs, spec=self.spec, totals=totals, factors=factors, likelihoods=self._of_classes
        )

    def save(self, path: str, *, batch: str = "1") -> Model:
        """Write the model to a new folder, as version 1 with one batch, and return it.

        Raises
        ------
        PathError
            The path is there already: a model is never overwritten.
        """
        publish(self.spec, self.counts, path, batch=batch)
        return self

    def unpersist(self) -> Model:
        """Let go of the counts that ``fit`` keeps in Spark's cache."""
        self.counts.unpersist()
        return self

    def choose_plan(self, asked: str = "auto") -> str:
        """Return the plan that ``transform`` uses, and log why."""
        plan = asked if asked != "auto" else "broadcast" if self._is_small else "join"
        log.info("plan %s (asked for: %s): %s", plan, asked, self.size)
        return plan

    @property
    def size(self) -> str:
        """What ``auto`` goes by, for a log or a report."""
        return f"{self.rows['n_pairs']:,} pairs, broadcast up to {BROADCAST_PAIRS:,}"


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
    # Hashing a large model would take as long as reading it, which the join plan never does as a whole.
    store.verify(version, checksums=rows["n_pairs"] <= BROADCAST_PAIRS)
    is_local = store.local_counts_files(version) is not None
    return Model(
        Spec.from_dict(dict(store.spec), where=path),
        read_batches(store, version, spark),
        rows,
        partial(read_counts, store, version) if is_local else None,
    )
