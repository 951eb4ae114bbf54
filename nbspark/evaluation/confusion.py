"""The confusion table and what follows from it alone. No pyspark in it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from nbspark.evaluation.intervals import Interval, percentile, replicates, wilson
from nbspark.evaluation.rates import Margins, overall

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class ClassMetrics:
    """How one label fared.

    Attributes
    ----------
    precision : float or None
        Of the documents predicted as the label, the share that has it; None where it was never predicted.
    recall : float or None
        Of the documents that have the label, the share predicted as it; None where none has it.
    f1 : float
        The harmonic mean of the two; 0 if one of them is undefined.
    support, n_predicted : int
        Documents that have the label, and that were predicted as it.
    roc_auc, average_precision : float or None
        Of the label's probability, against the rest; None without the probabilities of all classes.
    intervals : mapping of str to Interval
        95 % intervals of precision, recall and F1.
    """

    label: str
    precision: float | None
    recall: float | None
    f1: float
    support: int
    n_predicted: int
    roc_auc: float | None
    average_precision: float | None
    intervals: Mapping[str, Interval]


@dataclass(frozen=True)
class ConfusedPair:
    """How many documents of a label got a prediction (None: every class was impossible).

    ``of_label``, ``of_prediction`` and ``of_all`` are its share of the documents with the label, of those with the
    prediction, and of all: the confusion table normalised by rows, by columns and as a whole.
    """

    label: str
    prediction: str | None
    n_docs: int
    of_label: float | None
    of_prediction: float | None
    of_all: float


@dataclass(frozen=True)
class Confusion:
    """The pairs that occur, in string order, a null prediction last within its label.

    Attributes
    ----------
    labels : list of str
        Every label that occurs as a true one or a predicted one, in string order.
    true, predicts : int array, shape (n_pairs,)
        Places in ``labels``; ``predicts`` is -1 for no prediction.
    n_docs, weight, weight_squares : array, shape (n_pairs,)
        Documents, and sums of their weights (the same, where they carry none) and of the squares of these.
    """

    labels: list[str]
    true: np.ndarray
    predicts: np.ndarray
    n_docs: np.ndarray
    weight: np.ndarray
    weight_squares: np.ndarray

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]]) -> Confusion:
        """Return the table of sorted rows of pairs."""
        labels = sorted({row["label"] for row in rows} | {row["prediction"] for row in rows} - {None})
        code: dict[str | None, int] = {label: i for i, label in enumerate(labels)}
        true, predicts = ([code.get(row[name], -1) for row in rows] for name in ("label", "prediction"))
        numbers = [np.array([row[name] for row in rows]) for name in ("n_docs", "weight", "weight_squares")]
        return cls(labels, np.array(true), np.array(predicts), *numbers)

    @property
    def total(self) -> float:
        """The weight of all documents."""
        return math.fsum(self.weight)

    @property
    def is_plain(self) -> bool:
        """Whether no document carries a weight: metrics are shares of independent documents."""
        return bool((self.weight == self.n_docs).all())

    @property
    def support(self) -> dict[str, int]:
        """Documents that have each label."""
        return self._counts(self.true)

    @property
    def predicted(self) -> dict[str, int]:
        """Documents of each label that was predicted."""
        return {label: n for label, n in self._counts(self.predicts).items() if n}

    def overall(self) -> dict[str, Any]:
        """Return the metrics of all labels together, None where one is undefined."""
        found = {name: float(value) for name, value in overall(self._margins).items()}
        return {name: None if math.isnan(value) else value for name, value in found.items()}

    def intervals(self) -> dict[str, Interval | None]:
        """Return the 95 % interval of each of them."""
        found = {name: percentile(values) for name, values in overall(self._drawn).items()}
        if self.is_plain:
            n = int(self.n_docs.sum())
            found["accuracy"] = found["micro_recall"] = wilson(self._margins.correct.sum(), n)
            found["weighted_recall"] = found["accuracy"]  # by the documents of each label it is the accuracy
        return found

    def classes(
        self, roc_auc: Mapping[str, float], average_precision: Mapping[str, float], *, intervals: bool
    ) -> tuple[ClassMetrics, ...]:
        """Return the metrics of each label."""
        one = self._margins
        values = _by_class(one)
        of = {"precision": one.predicted, "recall": one.true}
        found = self._intervals_by_class(of) if intervals else [{} for _ in self.labels]
        support, predicted = self._counts(self.true), self._counts(self.predicts)
        made = []
        for i, label in enumerate(self.labels):
            precision, recall = (float(values[name][i]) if of[name][i] else None for name in of)
            made.append(
                ClassMetrics(
                    label=label,
                    precision=precision,
                    recall=recall,
                    f1=float(values["f1"][i]),
                    support=support[label],
                    n_predicted=predicted[label],
                    roc_auc=roc_auc.get(label),
                    average_precision=average_precision.get(label),
                    intervals=found[i],
                )
            )
        return tuple(made)

    def _intervals_by_class(self, of: Mapping[str, np.ndarray]) -> list[dict[str, Interval]]:
        """Return the intervals of what is defined of each label: Wilson's of shares, unless documents carry weights."""
        drawn, one = _by_class(self._drawn), self._margins
        made = []
        for i in range(len(self.labels)):
            asked = [name for name in drawn if name not in of or of[name][i]]
            found = {
                name: wilson(one.correct[i], of[name][i])
                if self.is_plain and name in of
                else percentile(drawn[name][:, i])
                for name in asked
            }
            made.append({name: interval for name, interval in found.items() if interval is not None})
        return made

    def pairs(self) -> tuple[ConfusedPair, ...]:
        """Return the pairs with their shares."""
        margins, total = self._margins, self.total
        none = float(self.weight[self.predicts < 0].sum())
        made = []
        for true, predicts, n_docs, weight in zip(self.true, self.predicts, self.n_docs, self.weight, strict=True):
            prediction = None if predicts < 0 else self.labels[predicts]
            of_label, of_prediction = margins.true[true], none if predicts < 0 else margins.predicted[predicts]
            shares = [float(weight / of) if of else None for of in (of_label, of_prediction)]
            made.append(
                ConfusedPair(self.labels[true], prediction, int(n_docs), shares[0], shares[1], float(weight / total))
            )
        return tuple(made)

    @cached_property
    def _margins(self) -> Margins:
        """What is summed of the pairs."""
        return self._margins_of(self.weight)

    @cached_property
    def _drawn(self) -> Margins:
        """The same of replicates."""
        return self._margins_of(replicates(self.weight, self.weight_squares))

    def _margins_of(self, weight: np.ndarray) -> Margins:
        """Return the margins of weights, shape (..., n_pairs)."""
        pairs = np.arange(len(self.true))
        right, some = self.true == self.predicts, self.predicts >= 0

        def by(codes: np.ndarray, which: np.ndarray) -> np.ndarray:
            shape = (len(pairs), len(self.labels))
            placed = sparse.csr_array((np.ones(which.sum()), (pairs[which], codes[which])), shape=shape)
            return weight @ placed

        every = np.ones(len(pairs), bool)
        return Margins(by(self.true, every), by(self.predicts, some), by(self.true, right), weight.sum(axis=-1))

    def _counts(self, codes: np.ndarray) -> dict[str, int]:
        """Return the documents of each label."""
        numbers = np.bincount(codes[codes >= 0], weights=self.n_docs[codes >= 0], minlength=len(self.labels))
        return {label: int(n) for label, n in zip(self.labels, numbers, strict=True)}


def _by_class(margins: Margins) -> dict[str, np.ndarray]:
    """Return the metrics of each label, shape (..., n_labels), 0 where undefined."""
    return {"precision": margins.precision(), "recall": margins.recall(), "f1": margins.f1()}
