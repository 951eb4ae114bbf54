"""Metrics of the tallies of predictions: from small tables, whoever added them up. No pyspark in it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.errors import DocumentsError
from nbspark.evaluation.confusion_table import Confusion
from nbspark.evaluation.coverage import points
from nbspark.evaluation.evaluation import Evaluation, ReliabilityBin
from nbspark.evaluation.intervals import Interval, of_mean, reflected, replicates, wilson
from nbspark.evaluation.reliability import bounds, calibration_error
from nbspark.evaluation.tallies import with_ranking

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

TOP = (1, 2, 3, 5, 10)  # k of top-k accuracy


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
        coverage=points(rows.get("coverage", []), confusion.total),
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
    mean = row["total"] / row["weight"]
    if row["squares"] is None:  # of a confusion table
        return row["n_docs"], mean, None
    return (
        row["n_docs"],
        mean,
        of_mean(*(row[one] for one in ("weight", "weight_squares", "total", "cross", "squares"))),
    )


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
