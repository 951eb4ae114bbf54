"""The figures of an evaluation as a page shows them: headline, all metrics, reliability and coverage. No pyspark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nbspark.report import svg
from nbspark.report.numbers import between, number, share, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbspark.evaluation.evaluation import Evaluation

LEAST = 10  # documents of a point of the coverage curve
HEADLINE = ("accuracy", "macro_f1", "log_loss", "calibration_error")
ABOUT = {
    "accuracy": "documents that got their label",
    "balanced_accuracy": "mean recall of the classes",
    "macro_f1": "mean of the classes' F1",
    "log_loss": "mean −log P(true label), nats; less is better",
    "calibration_error": "how far confidence is from accuracy; less is better",
    "brier": "mean squared error of the probabilities; less is better",
    "cohens_kappa": "agreement beyond chance",
    "matthews": "correlation of labels and predictions",
    "macro_roc_auc": "mean over classes, each against the rest",
    "macro_average_precision": "mean over classes, each against the rest",
}
PLAIN = {"log_loss", "brier", "cohens_kappa", "matthews", "macro_roc_auc", "macro_average_precision"}
_WORDS = {"f1": "F1", "roc": "ROC", "auc": "AUC", "cohens": "Cohen's"}


@dataclass(frozen=True)
class Figure:
    """A metric by its name, with its value, its interval and what it is, all as text."""

    name: str
    value: str
    interval: str
    about: str


def headline(evaluation: Evaluation) -> list[Figure]:
    """Return the figures that come first; those that are not known are left out."""
    return [_figure(evaluation, name) for name in HEADLINE if getattr(evaluation, name) is not None]


def every(evaluation: Evaluation) -> list[Figure]:
    """Return all metrics of an evaluation that are known."""
    names = dict.fromkeys([*HEADLINE, *ABOUT])
    found = [_figure(evaluation, name) for name in names if getattr(evaluation, name) is not None]
    for k, value in evaluation.top_k_accuracy.items():
        if k > 1:
            interval = between(evaluation.intervals.get(f"top_{k}_accuracy"))
            found.append(Figure(f"Top {k} accuracy", share(value), interval, f"label among the best {k}"))
    return found


def in_words(name: str) -> str:
    """Return a metric's name for people.

    >>> in_words("macro_f1"), in_words("log_loss"), in_words("macro_roc_auc")
    ('Macro F1', 'Log loss', 'Macro ROC AUC')
    """
    told = " ".join(_WORDS.get(one, one) for one in name.split("_"))
    return told[:1].upper() + told[1:]


def _figure(evaluation: Evaluation, name: str) -> Figure:
    """Return a metric as text."""
    value, interval = getattr(evaluation, name), evaluation.intervals.get(name)
    is_plain = name in PLAIN
    told = number(value) if is_plain else share(value)
    return Figure(in_words(name), told, between(interval, in_percent=not is_plain), ABOUT[name])


@dataclass(frozen=True)
class Plot:
    """A drawing, the names of its series, and its numbers as a table."""

    drawing: svg.Drawing
    names: Sequence[str]
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


def reliability(evaluation: Evaluation, raw: Evaluation | None = None) -> Plot | None:
    """Return confidence beside accuracy, before calibration, too, where that is given; None without probabilities."""
    named = {"calibrated" if raw else "predictions": evaluation} | ({"before calibration": raw} if raw else {})
    if not evaluation.reliability:
        return None
    series = [
        svg.Series(
            name,
            [(one.confidence, one.accuracy) for one in each.reliability],
            shares=[one.n_docs / each.n_docs for one in each.reliability],
        )
        for name, each in named.items()
    ]
    drawing = svg.chart(
        series,
        svg.shares("confidence, %"),
        svg.shares("accuracy, %"),
        title="Reliability: accuracy by confidence. On the diagonal both are the same.",
        diagonal=True,
    )
    rows = [
        [
            name,
            f"{100 * one.low:.0f} – {100 * one.high:.0f} %",
            whole(one.n_docs),
            share(one.confidence),
            share(one.accuracy),
        ]
        for name, each in named.items()
        for one in each.reliability
    ]
    return Plot(drawing, list(named), ["", "bin", "documents", "mean confidence", "accuracy"], rows)


def coverage(evaluation: Evaluation) -> Plot | None:
    """Return what thresholds would buy: coverage and accuracy of each; None where nothing was tallied for any.

    Points of fewer than ``LEAST`` documents are in the table alone: their accuracy says little.
    """
    drawn = [one for one in evaluation.coverage if one.n_docs >= LEAST and one.accuracy is not None]
    if len({one.coverage for one in drawn}) < 2:
        return None
    names = list(dict.fromkeys(one.threshold for one in drawn))
    series = [
        svg.Series(_threshold(name), [(one.coverage, one.accuracy or 0.0) for one in drawn if one.threshold == name])
        for name in names
    ]
    drawing = svg.chart(
        series,
        svg.axis("documents that keep their prediction, %", [one.coverage for one in drawn], in_percent=True),
        svg.axis("accuracy, %", [one.accuracy or 0.0 for one in drawn], in_percent=True),
        title="Coverage: accuracy of the documents whose prediction reaches a threshold.",
    )
    rows = [
        [_threshold(one.threshold), f"{one.value:g}", share(one.coverage), share(one.accuracy), whole(one.n_docs)]
        for one in evaluation.coverage
    ]
    heads = ["threshold", "value", "coverage", "accuracy", "documents"]
    return Plot(drawing, [one.name for one in series], heads, rows)


def _threshold(name: str) -> str:
    """Return what a threshold is of, as a legend has it.

    >>> _threshold("min_known")
    'known'
    """
    return name.removeprefix("min_").replace("_", " ")
