"""Metrics of a confusion table: plain arithmetic on the pairs that occur. No pyspark in it."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from nbspark.errors import DocumentsError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    import pyarrow as pa


@dataclass(frozen=True)
class ClassMetrics:
    """How one label fared; a ratio of nothing is 0.

    Attributes
    ----------
    precision : float
        Of the documents predicted as the label, the share that has it.
    recall : float
        Of the documents that have the label, the share predicted as it.
    f1 : float
        The harmonic mean of the two.
    support, n_predicted : int
        Documents that have the label, and that were predicted as it.
    """

    label: str
    precision: float
    recall: float
    f1: float
    support: int
    n_predicted: int


@dataclass(frozen=True)
class ConfusedPair:
    """How many documents of a label got a prediction (None: every class was impossible)."""

    label: str
    prediction: str | None
    n_docs: int


@dataclass(frozen=True)
class Evaluation:
    """What predictions are worth. All shares and means are over the documents that have a label.

    Attributes
    ----------
    n_docs : int
        Documents with a label.
    n_unlabelled : int
        Documents without one; left out of everything else.
    n_unpredicted : int
        Documents with a label but a null prediction: every class was impossible. They count as wrong.
    macro_precision, macro_recall, macro_f1 : float
        Means over ``classes``, each with the same weight.
    weighted_f1 : float
        Mean over ``classes`` by their documents.
    log_loss : float or None
        Mean of -log P(true label) in nats over the ``n_log_loss`` documents that have one; None if none has.
    unseen_labels : mapping of str to int
        Labels that no prediction can be right about, and their documents: those the model does not know, or,
        where the model's labels were not given, those that were never predicted.
    n_known_labels : int or None
        How many labels the model knows; None where they were not given.
    classes : tuple of ClassMetrics
        Every label that occurs as a true one or a predicted one, in string order.
    pairs : tuple of ConfusedPair
        The confusion table, only the pairs that occur, in string order.
    """

    n_docs: int
    n_unlabelled: int
    n_unpredicted: int
    accuracy: float
    macro_precision: float
    macro_recall: float
    macro_f1: float
    weighted_f1: float
    log_loss: float | None
    n_log_loss: int
    unseen_labels: Mapping[str, int]
    n_known_labels: int | None
    classes: tuple[ClassMetrics, ...]
    pairs: tuple[ConfusedPair, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON. JSON knows no infinite number: such a log loss is the text "Infinity"."""
        plain = asdict(self)
        plain["classes"], plain["pairs"] = list(plain["classes"]), list(plain["pairs"])
        if self.log_loss is not None and math.isinf(self.log_loss):
            plain["log_loss"] = "Infinity"
        return plain


def measure(confusion: pa.Table, *, known_labels: Collection[str] | None = None) -> Evaluation:
    """Return the metrics of a confusion table.

    Parameters
    ----------
    confusion : Table of ``schemas.CONFUSION``
    known_labels : collection of str, optional
        The labels that the model knows, as text.

    Raises
    ------
    DocumentsError
        No document has a label.

    Notes
    -----
    As scikit-learn's ``precision_recall_fscore_support`` with ``zero_division=0`` and its default labels:
    those that occur as a true label or as a predicted one.
    """
    rows = confusion.to_pylist()
    labelled = [row for row in rows if row["label"] is not None]
    n_docs, n_rows = sum(row["n_docs"] for row in labelled), sum(row["n_docs"] for row in rows)
    if not n_docs:
        raise DocumentsError(
            f"evaluation: none of the {n_rows} documents has a label. Name the column that holds the true label."
        )
    n_log_loss = sum(row["n_log_loss"] for row in labelled)
    pairs = _pairs(labelled)
    support, predicted, correct = _margins(pairs)
    classes = [_class_metrics(label, support, predicted, correct) for label in sorted(support | predicted)]
    known = set(predicted if known_labels is None else known_labels)
    return Evaluation(
        n_docs=n_docs,
        n_unlabelled=n_rows - n_docs,
        n_unpredicted=sum(pair.n_docs for pair in pairs if pair.prediction is None),
        accuracy=correct.total() / n_docs,
        macro_precision=_mean(one.precision for one in classes),
        macro_recall=_mean(one.recall for one in classes),
        macro_f1=_mean(one.f1 for one in classes),
        weighted_f1=math.fsum(one.f1 * one.support for one in classes) / n_docs,
        log_loss=math.fsum(row["log_loss"] for row in labelled) / n_log_loss if n_log_loss else None,
        n_log_loss=n_log_loss,
        unseen_labels={label: support[label] for label in sorted(support) if label not in known},
        n_known_labels=None if known_labels is None else len(known),
        classes=tuple(classes),
        pairs=tuple(pairs),
    )


def _pairs(labelled: list[dict[str, Any]]) -> list[ConfusedPair]:
    """Return the pairs in string order, a null prediction last within its label."""
    pairs = [ConfusedPair(row["label"], row["prediction"], row["n_docs"]) for row in labelled]
    return sorted(pairs, key=lambda pair: (pair.label, pair.prediction is None, pair.prediction or ""))


def _margins(pairs: list[ConfusedPair]) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Return the documents of each true label, of each predicted label, and of each label where the two agree."""
    support: Counter[str] = Counter()
    predicted: Counter[str] = Counter()
    correct: Counter[str] = Counter()
    for pair in pairs:
        support[pair.label] += pair.n_docs
        if pair.prediction is not None:
            predicted[pair.prediction] += pair.n_docs
        if pair.prediction == pair.label:
            correct[pair.label] += pair.n_docs
    return support, predicted, correct


def _class_metrics(label: str, support: Counter[str], predicted: Counter[str], correct: Counter[str]) -> ClassMetrics:
    """Return the metrics of one label; it occurs, so that F1 is a ratio of something."""
    n_true, n_predicted, n_correct = support[label], predicted[label], correct[label]
    return ClassMetrics(
        label=label,
        precision=n_correct / n_predicted if n_predicted else 0.0,
        recall=n_correct / n_true if n_true else 0.0,
        f1=2 * n_correct / (n_true + n_predicted),
        support=n_true,
        n_predicted=n_predicted,
    )


def _mean(values: Iterable[float]) -> float:
    """Return the mean of at least one value, the same whatever their order."""
    listed = list(values)
    return math.fsum(listed) / len(listed)
