"""A trained model: counts that can be read, saved and scored with."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from nbspark.arrays.frame import column, require_columns, require_frame, require_scalar
from nbspark.counts import CountsAsTable, CountsInMemory
from nbspark.errors import SpecError, StoreError
from nbspark.features.frame import feature_inputs
from nbspark.files.choose import files_for
from nbspark.files.protocol import path_text
from nbspark.insight.explain import Explainer
from nbspark.local import count_table, read_counts, require_version
from nbspark.runtime.failures import own_errors
from nbspark.schemas import IS_ERROR
from nbspark.scoring.broadcast import score_broadcast
from nbspark.scoring.frame import Columns
from nbspark.scoring.join import score_join
from nbspark.scoring.kernel import Scorer
from nbspark.scoring.raw import RawScorer
from nbspark.scoring.thresholds import Thresholds
from nbspark.smoothing.frame import log_likelihoods, term_parameters
from nbspark.spec import Spec, changed_spec
from nbspark.store import Store
from nbspark.store.aliases import resolve
from nbspark.store.frame import read_batches
from nbspark.store.learned import publish_first
from nbspark.store.options import under_options

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from nbspark.counting.table import CountTable
    from nbspark.counts import Counts
    from nbspark.features import Feature
    from nbspark.smoothing.likelihoods import Likelihoods
    from nbspark.store import Version

log = logging.getLogger("nbspark")

PLANS = ("auto", "broadcast", "join")
BROADCAST_PAIRS = 10_000_000  # (label, term) pairs that go to every worker: 12 bytes each, and the terms


class Model:
    """Counts under a spec.

    Made by ``NaiveBayes.fit``, ``NaiveBayes.learn`` or ``nbspark.load``.

    Parameters
    ----------
    spec : Spec
    counts : Counts
        The counts under the spec, in this process or as a table.
    rows : dict of str to int
        What became of the rows that were read (``counting.facts.ROW_FACTS``), and ``n_pairs``.
    path, version : str and int, optional
        Where the model is stored, and which version of it this is.

    Attributes
    ----------
    path, version : str and int, or None
        None for a model that is not on disk.
    """

    def __init__(
        self, spec: Spec, counts: Counts, rows: dict[str, int], *, path: str | None = None, version: int | None = None
    ) -> None:
        self.spec = spec
        self.rows = rows
        self.path = path
        self.version = version
        self._counts = counts

    def __repr__(self) -> str:
        where = "not saved" if self.path is None else f"version {self.version} of {self.path}"
        return f"<Model of {self.spec.label!r}: {self.rows['n_pairs']:,} (label, term) pairs, {where}>"

    @property
    def counts(self) -> DataFrame:
        """The counts, a frame of ``schemas.COUNTS``; lazy."""
        return self._counts.frame

    @property
    @own_errors()
    def labels(self) -> list[str]:
        """The classes, in string order. Of a large model the first look runs a job."""
        return list(self._counts.class_docs)

    @property
    @own_errors()
    def class_docs(self) -> dict[str, float]:
        """Documents of each class that was learned, before any class weight. Of a large model a job."""
        return dict(self._counts.class_docs)

    @property
    @own_errors()
    def n_terms(self) -> dict[str, int]:
        """Terms in the vocabulary of each feature that has one, after its limits. Of a large model a few jobs."""
        return {name: one.n_terms for name, one in self._counts.totals.features.items()}

    def with_options(self, *, feature: str | None = None, **options: Any) -> Model:
        """Return the same counts under other options; no document is read.

        Parameters
        ----------
        feature : str, optional
            The feature to change, by its name; else the model, and every feature that has the option.
        **options
            ``alpha``, ``prior``, ``prior_smoothing``, ``class_weight``, ``temperature``, ``temperature_exponent``,
            ``class_bias``, and of features ``alpha``, ``event``, ``norm``, ``var_smoothing``, ``drop_top``,
            ``min_count``, ``min_docs``, ``max_docs``, ``max_terms``.

        Raises
        ------
        SpecError
            The option is unknown, needs the documents again, or no feature has it.
        """
        spec = changed_spec(self.spec, feature=feature, **options)
        return Model(spec, self._counts.under(spec), self.rows)

    @own_errors()
    def transform(
        self,
        documents: DataFrame,
        *,
        plan: str = "auto",
        probabilities: bool | str = False,
        top_k: int = 0,
        truth: str | None = None,
        keep: Sequence[str] | None = None,
        calibrated: bool = True,
        min_probability: float | None = None,
        min_margin: float | None = None,
        min_known: int | None = None,
        min_evidence: float | None = None,
        costs: Mapping[str, Mapping[str, float]] | None = None,
        with_version: bool = False,
    ) -> DataFrame:
        """Return ``documents`` with their predictions; lazy in the documents.

        The model is read at once: a small one into this process, of a large one the totals, by a few jobs.

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
        calibrated : bool
            Whether ``temperature`` and ``class_bias`` of the spec are applied; False gives the raw probabilities.
        min_probability, min_margin : float, optional
            Withhold a prediction whose probability is lower, or where the highest probability is above the second one
            by less: ``prediction`` is null, and ``reason`` names what was missed.
        min_known, min_evidence : int and float, optional
            The same by the document's known terms, and by the documents of the predicted class in training.
        costs : mapping of str to mapping of str to float, optional
            What each predicted label costs, for each true one: the prediction is the label of least expected cost, and
            ``probability`` that label's. What is right costs 0 unless it is given.
        with_version : bool
            Add ``model_version``, the stored model's.

        Returns
        -------
        DataFrame
            One row per document: its own columns, then ``schemas.PREDICTIONS`` and what was asked for besides.

        Raises
        ------
        DocumentsError
            A column is missing, of the wrong type, or already called as one that scoring adds.
        SpecError
            A threshold is out of range, the costs do not fit the classes, or the model has no version.
        """
        if top_k < 0:
            raise SpecError(f"top_k wants a number >= 0, found {top_k}.")
        thresholds = Thresholds(min_known, min_evidence, min_probability, min_margin)
        if min_evidence is not None:
            thresholds = thresholds.of_model(self._counts.class_docs)
        version = require_version(self.version) if with_version else None
        asked: dict[str, Any] = {"probabilities": probabilities, "top_k": top_k, "calibrated": calibrated}
        scorer = partial(Scorer, **asked, thresholds=thresholds, costs=costs, version=version)
        return self._scored(documents, scorer, plan=plan, truth=truth, keep=keep)

    @own_errors()
    def explain(
        self,
        documents: DataFrame,
        *,
        top: int | None = 10,
        against: str | None = None,
        truth: str | None = None,
        errors_only: bool = False,
        plan: str = "auto",
        keep: Sequence[str] | None = None,
    ) -> DataFrame:
        """Return ``documents`` with their predictions, and why each got its own; lazy in the documents.

        Parameters
        ----------
        documents, plan, keep
            As of ``transform``.
        top : int or None
            List so many terms of each document, those that add or take most; None for all.
        against : str, optional
            Compare the prediction with this class; with the runner-up unless given, or where it is the prediction.
        truth : str, optional
            A column with the true label: adds ``is_error``, and compares what is wrong with the true class.
        errors_only : bool
            Return documents only whose prediction is not the true label.

        Returns
        -------
        DataFrame
            One row per document: its own columns, ``schemas.PREDICTIONS`` and ``schemas.EXPLANATION``. In it
            ``prior + bias + terms + other + numbers`` is ``difference``, by how many nats the prediction is above the
            other class. It is null where there is no prediction, or no other class.

        Raises
        ------
        DocumentsError, SpecError
            As ``transform``; there is no such class; or errors are asked for without the true labels.
        """
        if errors_only and truth is None:
            raise SpecError("explain: errors_only wants truth, the column with the true label.")
        scorer = partial(Explainer, top=top, against=against, errors_only=errors_only)
        explained = self._scored(documents, scorer, plan=plan, truth=truth, keep=keep)
        return explained.where(F.col(IS_ERROR.name)) if errors_only else explained

    @own_errors()
    def raw_scores(self, documents: DataFrame) -> DataFrame:
        """Return what a calibration is fitted to: each document's weight, and the columns of ``scoring.raw``; lazy.

        Parameters
        ----------
        documents : DataFrame
            With the columns of the spec: features, label and weight.
        """
        own = {name: f"nbspark.{name}" for name in ("label", "weight")}  # names that no column should have
        spec = self.spec
        require_columns(documents, [spec.label, *([] if spec.weight is None else [spec.weight])])
        require_scalar(documents, spec.label, role="label")
        weight = F.lit(1.0) if spec.weight is None else column(spec.weight).cast("double")
        named = [column(spec.label).alias(own["label"]), weight.alias(own["weight"])]
        inputs = documents.select(*map(column, spec.columns()), *named)
        return self._scored(inputs, RawScorer, plan="auto", truth=own["label"], keep=[own["weight"]])

    def _scored(
        self,
        documents: DataFrame,
        scorer_of: Callable[[Sequence[Feature], Likelihoods], Scorer],
        *,
        plan: str,
        truth: str | None,
        keep: Sequence[str] | None,
    ) -> DataFrame:
        """Return the documents with what a scorer adds, by the plan that is asked for."""
        if plan not in PLANS:
            raise SpecError(f"plan={plan!r} is not one of {list(PLANS)}.")
        feature_inputs(require_frame(documents), self.spec)
        if truth is not None:
            require_columns(documents, [truth], asked_by="truth")
            require_scalar(documents, truth, role="label")
        require_columns(documents, keep or (), asked_by="keep")
        features = self.spec.features
        columns = Columns.of(documents, [feature.column for feature in features], truth=truth, keep=keep)
        if self.choose_plan(plan) == "broadcast":
            scorer = scorer_of(features, self._counts.likelihoods)
            return score_broadcast(documents, scorer=scorer, columns=columns)
        scorer = scorer_of(features, self._counts.of_classes)
        parameters = term_parameters(self._counts.pairs, spec=self.spec, totals=self._counts.totals)
        return score_join(documents, scorer=scorer, parameters=parameters, features=features, columns=columns)

    @own_errors()
    def log_likelihoods(self) -> DataFrame:
        """Return the model as people query it, a frame of ``schemas.LOG_LIKELIHOODS``.

        Of a large model its totals are summed at once, by a few jobs; the rest is lazy.
        """
        counts = self._counts
        return log_likelihoods(counts.pairs, spec=self.spec, totals=counts.totals, likelihoods=counts.of_classes)

    @own_errors()
    def top_terms(self, n: int = 10, by: str = "log_odds", *, label: str | None = None) -> pa.Table:
        """Return the terms that say most for each class, a table in this process.

        Parameters
        ----------
        n : int
            Terms of each class and feature, at most; only terms that the class has seen.
        by : {"log_odds", "likelihood", "chi2", "mutual_information", "npmi"}
            ``log_odds`` is the z-score of the log odds ratio against all other classes with an informative prior, by
            which rare terms do not lead; ``likelihood`` log P(t|c) as the model has it, by which the most frequent
            terms do. The others are of documents that have the term, or not, and are of the class, or not: chi-square,
            mutual information in nats, and normalised pointwise mutual information.
        label : str, optional
            One class only.

        Returns
        -------
        pyarrow.Table of ``schemas.TOP_TERMS``
            Terms by name, with their score, tokens and documents. Of a large model by a few jobs.

        Raises
        ------
        SpecError
            There is no such measure, or no such class.
        """
        return self._counts.top_terms(n=n, by=by, label=label)

    @own_errors()
    def save(self, path: str | PathLike[str], *, batch: str = "1") -> Model:
        """Write the model to a new folder at once, as version 1 with one batch, and return it as it is stored.

        Raises
        ------
        PathError
            The path is there already: a model is never overwritten.
        """
        spark = self.counts.sparkSession
        store = Store.create(path, self.spec.to_dict(), files_for(path, spark))
        with store.new_batch(batch) as folder:
            learned, written = self._counts.write(store, folder)
            learned = learned._replace(rows=self.rows)
            version = publish_first(store, folder, batch=batch, learned=learned, written=written)
        return Model(self.spec, self._counts, self.rows, path=store.root, version=version.version)

    def choose_plan(self, asked: str = "auto") -> str:
        """Return the plan that ``transform`` uses, and log why."""
        plan = asked if asked != "auto" else "broadcast" if is_small(self.rows) else "join"
        log.info("plan %s (asked for: %s): %s", plan, asked, self.size)
        return plan

    @property
    def size(self) -> str:
        """What ``auto`` goes by, for a log or a report."""
        return f"{self.rows['n_pairs']:,} pairs, broadcast up to {BROADCAST_PAIRS:,}"


def is_small(rows: Mapping[str, int]) -> bool:
    """Say whether a model goes to every worker."""
    return rows["n_pairs"] <= BROADCAST_PAIRS


@own_errors()
def load(
    path: str | PathLike[str],
    *,
    version: int | None = None,
    alias: str | None = None,
    spark: SparkSession | None = None,
) -> Model:
    """Return a stored model: its champion, if one was promoted, else its newest version.

    Parameters
    ----------
    path : str or PathLike
        The model's folder, local or on any file system of the session.
    version, alias : int or str, optional
        Another version, by its number or by an alias.
    spark : SparkSession, optional
        The active session unless given.

    Raises
    ------
    StoreError
        There is no model, it is damaged, or it was written by a newer nbspark.
    """
    path = path_text(path)
    spark = spark or SparkSession.getActiveSession()
    if spark is None:
        raise StoreError(f"load {path!r}: no active Spark session. Start one, pass spark=, or use nbspark.local.")
    store = Store.open(path, files_for(path, spark))
    found = resolve(store, version, alias)
    spec = store.read_spec()
    # Hashing a large model would take as long as reading it, which the join plan never does as a whole.
    store.verify(store.to_read(found), checksums=is_small(found.rows))
    return stored_model(spec, store, found, spark)


def stored_model(spec: Spec, store: Store, version: Version, spark: SparkSession) -> Model:
    """Return a version of a stored model, under its options; unread and unchecked."""
    spec = under_options(spec, version.options, where=f"{store.root}, version {version.version}")
    rows, version = version.rows, store.to_read(version)
    is_local = store.files.local(store.root) is not None
    counts = read_batches(store, version, spark)

    def read() -> CountTable:
        return read_counts(store, version) if is_local else count_table(store, version, counts.toArrow())

    place: Counts = CountsInMemory(spec, read, lambda: counts) if is_small(rows) else CountsAsTable(spec, counts, read)
    return Model(spec, place, rows, path=store.root, version=version.version)
