"""Metrics of the tallies of predictions: from small tables, whoever added them up. No pyspark in it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.errors import DocumentsError
from nbspark.evaluation.confusion import ClassMetrics, ConfusedPair, Confusion
from nbspark.evaluation.intervals import Interval, of_mean, reflected, replicates, wilson
from nbspark.evaluation.reliability import bounds, calibration_error
from nbspark.evaluation.tallies import with_ranking

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

TOP = (1, 2, 3, 5, 10)  # k of top-k accuracy


@dataclass(frozen=True)
class ReliabilityBin:
    """Documents whose predictions have a probability above ``low``, and up to ``high``.

    ``confidence`` is the mean probability, ``accuracy`` the share that is right.
    """

    low: float
    high: float
    n_docs: int
    confidence: float
    accuracy: float


@dataclass(frozen=True)
class Evaluation:
    """What predictions are worth. All shares and means are over the documents that have a label, by their weights.

    Attributes
    ----------
    n_docs : int
        Documents with a label.
    n_unlabelled : int
        Documents without one; left out of everything else.
    n_unpredicted : int
        Documents with a label but a null prediction: every class was impossible. They count as wrong.
    accuracy : float
    balanced_accuracy : float
        The mean recall of the labels that documents have.
    cohens_kappa, matthews : float or None
        Agreement beyond chance, 1 at best; None where there is a single label on both sides.
    macro_precision, macro_recall, macro_f1 : float
        Means over ``classes``, each with the same weight; a class never predicted counts with precision 0.
    micro_precision, micro_recall, micro_f1 : float
        Of all documents together; the accuracy, unless there are documents without a prediction.
    weighted_precision, weighted_recall, weighted_f1 : float
        Means over ``classes`` by their documents.
    log_loss : float or None
        Mean of -log P(true label) in nats over the ``n_log_loss`` documents that have one; None if none has.
    brier : float or None
        Mean over the ``n_brier`` documents, whose label the model knows, of the sum over classes of
        (probability - 1 or 0)^2, for two classes its half; None without the probabilities of all classes.
    calibration_error : float or None
        Expected calibration error of the predicted class over ``reliability``; None without probabilities.
    macro_roc_auc, macro_average_precision : float or None
        Means over the classes that have one, see ``ClassMetrics``.
    ranking_error_at_most : float or None
        How far one of a class may be from the exact one: 0 up to ``ranking.MAX_SCORES`` distinct scores a class.
    top_k_accuracy : mapping of int to float
        Share of documents whose label is among the best k.
    unseen_labels : mapping of str to int
        Labels that no prediction can be right about, and their documents: those the model does not know, or,
        where the model's labels were not given, those that were never predicted.
    n_known_labels : int or None
        How many labels the model knows; None where they were not given.
    classes : tuple of ClassMetrics
        Every label that occurs as a true one or a predicted one, in string order.
    pairs : tuple of ConfusedPair
        The confusion table, only the pairs that occur, in string order.
    reliability : tuple of ReliabilityBin
        The bins of the probability of the predicted class that have documents.
    intervals : mapping of str to Interval
        95 % intervals of the metrics above by their names; of top-k accuracy ``top_3_accuracy``.
    """

    n_docs: int
    n_unlabelled: int
    n_unpredicted: int
    accuracy: float
    balanced_accuracy: float
    cohens_kappa: float | None
    matthews: float | None
    macro_precision: float
    macro_recall: float
    macro_f1: float
    micro_precision: float
    micro_recall: float
    micro_f1: float
    weighted_precision: float
    weighted_recall: float
    weighted_f1: float
    log_loss: float | None
    n_log_loss: int
    brier: float | None
    n_brier: int
    calibration_error: float | None
    macro_roc_auc: float | None
    macro_average_precision: float | None
    ranking_error_at_most: float | None
    top_k_accuracy: Mapping[int, float]
    unseen_labels: Mapping[str, int]
    n_known_labels: int | None
    classes: tuple[ClassMetrics, ...]
    pairs: tuple[ConfusedPair, ...]
    reliability: tuple[ReliabilityBin, ...]
    intervals: Mapping[str, Interval]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON. JSON knows no infinite number: such a log loss is the text "Infinity"."""
        plain = asdict(self)
        for name in ("classes", "pairs", "reliability"):
            plain[name] = list(plain[name])
        plain["top_k_accuracy"] = {str(k): share for k, share in self.top_k_accuracy.items()}
        if self.log_loss is not None and math.isinf(self.log_loss):
            plain["log_loss"] = "Infinity"
        return plain


def measure(tallies: pa.Table, *, known_labels: Collection[str] | None = None, intervals: bool = True) -> Evaluation:
    """Return the metrics of merged tallies.

    Parameters
    ----------
    tallies : Table of ``schemas.TALLIES``
    known_labels : collection of str, optional
        The labels that the model knows, as text.
    intervals : bool
        Whether to give intervals: a bootstrap, so most of the time of a small evaluation.

    Raises
    ------
    DocumentsError
        No document has a label, or the weights of those that have one are 0.

    Examples
    --------
    >>> from nbspark.evaluation.tallies import tally
    >>> batch = pa.record_batch({"label": ["a", "a", "b"], "prediction": ["a", "b", "b"]})
    >>> found = measure(tally(batch))
    >>> found.macro_f1 == (2 / 3 + 2 / 3) / 2, found.intervals["accuracy"].method
    (True, 'wilson')
    """
    rows = _by_measure(with_ranking(tallies))
    pairs = rows.get("pair", [])
    labelled = [row for row in pairs if row["label"] is not None]
    n_docs, n_rows = sum(row["n_docs"] for row in labelled), sum(row["n_docs"] for row in pairs)
    if not n_docs:
        raise DocumentsError(
            f"evaluation: none of the {n_rows} documents has a label. Name the column that holds the true label."
        )
    confusion = Confusion.of(labelled)
    if not confusion.total:
        raise DocumentsError(f"evaluation: the {n_docs} documents with a label all have weight 0.")
    support = {label: n for label, n in confusion.support.items() if n}
    known = set(confusion.predicted if known_labels is None else known_labels)
    found: dict[str, Interval | None] = dict(confusion.intervals()) if intervals else {}
    means: dict[str, Any] = {}
    for name in ("log_loss", "brier"):
        means[f"n_{name}"], means[name], found[name] = _mean(rows.get(name, []))
    error, bins, found["calibration_error"] = _calibration(rows.get("confidence", []), intervals)
    top_k, of_top_k = _top_k(rows.get("rank", []))
    auc, precision = ({row["label"]: row for row in rows.get(one, [])} for one in ("roc_auc", "average_precision"))
    _require_every_class(auc | precision)
    bound = max((row["cross"] for one in (auc, precision) for row in one.values()), default=None)
    found |= of_top_k
    return Evaluation(
        n_docs=n_docs,
        n_unlabelled=n_rows - n_docs,
        n_unpredicted=sum(row["n_docs"] for row in labelled if row["prediction"] is None),
        **confusion.overall(),
        **means,
        calibration_error=error,
        macro_roc_auc=_macro(auc),
        macro_average_precision=_macro(precision),
        ranking_error_at_most=bound,
        top_k_accuracy=top_k,
        unseen_labels={label: n for label, n in support.items() if label not in known},
        n_known_labels=None if known_labels is None else len(known),
        classes=confusion.classes(_totals(auc), _totals(precision), intervals=intervals),
        pairs=confusion.pairs(),
        reliability=bins,
        intervals={name: one for name, one in found.items() if one is not None and intervals},
    )


def count_documents(tallies: pa.Table) -> tuple[int, int]:
    """Return how many documents were tallied, and how many of them have a label."""
    pairs = tallies.filter(pc.equal(tallies["measure"], "pair"))
    n_labelled = pc.sum(pairs.filter(pairs["label"].is_valid())["n_docs"]).as_py() or 0
    return pc.sum(pairs["n_docs"]).as_py() or 0, n_labelled


def _by_measure(tallies: pa.Table) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each measure, sums in one number, in an order that no partitioning changes."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in tallies.drop_columns(["scores"]).to_pylist():
        row["weight"] += row["weight_rest"] or 0.0
        row["total"] = (row["total"] or 0.0) + (row["total_rest"] or 0.0)
        rows.setdefault(row["measure"], []).append(row)
    for some in rows.values():
        some.sort(
            key=lambda row: (row["label"] or "", row["prediction"] is None, row["prediction"] or "", row["place"] or 0)
        )
    return rows


def _mean(rows: list[dict[str, Any]]) -> tuple[int, float | None, Interval | None]:
    """Return the number of documents that have a value, its mean, and the interval of that."""
    if not rows or not rows[0]["weight"]:
        return 0, None, None
    [row] = rows
    sums = [row[name] for name in ("weight", "weight_squares", "total", "cross", "squares")]
    return row["n_docs"], row["total"] / row["weight"], of_mean(*sums)


def _calibration(
    rows: list[dict[str, Any]], intervals: bool
) -> tuple[float | None, tuple[ReliabilityBin, ...], Interval | None]:
    """Return the expected calibration error, its bins, and its interval."""
    rows = [row for row in rows if row["weight"]]
    if not rows:
        return None, (), None
    place, weight, squares, total = (
        np.array([row[name] for row in rows]) for name in ("place", "weight", "weight_squares", "total")
    )
    error = float(calibration_error(place, weight, total))
    bins = []
    for number in np.unique(place // 2):
        cells = place // 2 == number
        docs = weight[cells].sum()
        right = float(weight[cells & (place % 2 == 1)].sum() / docs)
        n = sum(row["n_docs"] for row, own in zip(rows, cells, strict=True) if own)
        bins.append(ReliabilityBin(*bounds(number), n, float(total[cells].sum() / docs), right))
    if not intervals:
        return error, tuple(bins), None
    drawn = replicates(weight, squares)
    return error, tuple(bins), reflected(calibration_error(place, drawn, drawn * (total / weight)), error)


def _top_k(rows: list[dict[str, Any]]) -> tuple[dict[int, float], dict[str, Interval | None]]:
    """Return the share of documents whose label is among the best k, for those k that are known, and intervals."""
    weight = math.fsum(row["weight"] for row in rows)
    if not weight:
        return {}, {}
    n, is_plain = sum(row["n_docs"] for row in rows), all(row["weight"] == row["n_docs"] for row in rows)
    deepest = min(-row["place"] for row in rows if row["place"] < 0)
    found, intervals = {}, {}
    for k in (k for k in TOP if k <= deepest):
        hits = math.fsum(row["weight"] for row in rows if 0 < row["place"] <= k)
        found[k] = hits / weight
        if is_plain:
            intervals[f"top_{k}_accuracy"] = wilson(hits, n)
    return found, intervals


def _totals(rows: Mapping[str, dict[str, Any]]) -> dict[str, float]:
    """Return the value of each class."""
    return {label: row["total"] for label, row in rows.items()}


def _macro(rows: Mapping[str, dict[str, Any]]) -> float | None:
    """Return the mean over classes, None of none."""
    return math.fsum(_totals(rows).values()) / len(rows) if rows else None


def _require_every_class(rows: Mapping[str, dict[str, Any]]) -> None:
    """Raise an error if some rows had a probability for one class and not for another."""
    numbers = {row["n_docs"] for row in rows.values()}
    if len(numbers) > 1:
        raise DocumentsError(
            f"evaluation: some classes have probabilities in {max(numbers):,} rows and others in {min(numbers):,}. "
            "Score all documents with one model."
        )
