"""Metrics of how often labels and predictions occur, alone and together: plain arithmetic. No pyspark in it.

Every array may have axes in front, for replicates; the last one is that of the labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Margins:
    """Weights of documents (their number, where they carry none).

    Attributes
    ----------
    true, predicted, correct : float64 array, shape (..., n_labels)
        By true label, by predicted label, and of each label where the two agree.
    total : float64 array, shape (...)
        Of all documents, those without a prediction included: they count as wrong.
    """

    true: np.ndarray
    predicted: np.ndarray
    correct: np.ndarray
    total: np.ndarray

    def precision(self) -> np.ndarray:
        """Return of the documents predicted as a label the share that has it, 0 of none."""
        return _share(self.correct, self.predicted)

    def recall(self) -> np.ndarray:
        """Return of the documents that have a label the share predicted as it, 0 of none."""
        return _share(self.correct, self.true)

    def f1(self) -> np.ndarray:
        """Return the harmonic mean of the two, 0 of none."""
        return _share(2 * self.correct, self.true + self.predicted)


def overall(margins: Margins) -> dict[str, np.ndarray]:
    """Return the metrics of all labels together, each of shape (...); NaN where one is undefined.

    Notes
    -----
    As scikit-learn with ``zero_division=0``. Cohen's kappa: Cohen (1960); Matthews' coefficient for many classes:
    Gorodkin (2004). A null prediction is a class that no document has.

    Examples
    --------
    >>> found = overall(Margins(np.array([3.0, 1.0]), np.array([2.0, 2.0]), np.array([2.0, 1.0]), np.array(4.0)))
    >>> float(found["accuracy"]), float(found["cohens_kappa"])  # (3/4 - 1/2) / (1 - 1/2)
    (0.75, 0.5)
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        return _overall(margins)


def _overall(margins: Margins) -> dict[str, np.ndarray]:
    """Return the metrics; what is undefined becomes NaN on the way."""
    true, predicted, total = margins.true, margins.predicted, margins.total
    right = margins.correct.sum(axis=-1)
    each = {"precision": margins.precision(), "recall": margins.recall(), "f1": margins.f1()}
    occurs = (true + predicted) > 0
    found = {"accuracy": right / total}
    found["balanced_accuracy"] = each["recall"].sum(axis=-1) / (true > 0).sum(axis=-1)
    agree = (true * predicted).sum(axis=-1)
    found["cohens_kappa"] = (right * total - agree) / (total**2 - agree)
    none = total - predicted.sum(axis=-1)
    spread = (total**2 - (true**2).sum(axis=-1)) * (total**2 - (predicted**2).sum(axis=-1) - none**2)
    found["matthews"] = (right * total - agree) / np.sqrt(spread)
    for name, values in each.items():
        found[f"macro_{name}"] = values.sum(axis=-1) / occurs.sum(axis=-1)
    micro = {"precision": predicted.sum(axis=-1), "recall": total, "f1": (predicted.sum(axis=-1) + total) / 2}
    found |= {f"micro_{name}": _share(right, of) for name, of in micro.items()}
    for name, values in each.items():
        found[f"weighted_{name}"] = (values * true).sum(axis=-1) / total
    return found


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Return ratios, 0 of nothing."""
    return np.divide(part, whole, out=np.zeros(np.shape(whole)), where=np.asarray(whole) > 0)
