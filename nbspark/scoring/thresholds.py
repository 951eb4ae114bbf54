"""When a model had better say nothing: thresholds that a prediction must reach, and which one it did not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from nbspark.errors import SpecError
from nbspark.features.checks import is_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

IMPOSSIBLE = "impossible"  # every class is: there never was a prediction


@dataclass(frozen=True)
class Thresholds:
    """What a prediction must reach to be given; None asks for nothing.

    Attributes
    ----------
    min_known : int or None
        Terms of the document in the vocabulary, repeats included: ``n_known``.
    min_evidence : float or None
        Documents of the predicted class in training.
    min_probability : float or None
        Of the predicted class.
    min_margin : float or None
        How much the highest probability is above the second one; a single class has nothing beside it, and 1.
    class_docs : dict of str to float or None
        Documents of each class in training; wanted by ``min_evidence``.

    Examples
    --------
    >>> Thresholds(min_probability=0.9, min_known=0).names
    ['min_known', 'min_probability']
    """

    min_known: int | None = None
    min_evidence: float | None = None
    min_probability: float | None = None
    min_margin: float | None = None
    class_docs: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        for name in ("min_probability", "min_margin"):
            value = getattr(self, name)
            if value is not None and not (is_number(value) and 0 <= value <= 1):
                raise SpecError(f"{name} wants a number from 0 to 1, found {value!r}.")
        for name in ("min_known", "min_evidence"):
            value = getattr(self, name)
            if value is not None and not (is_number(value) and value >= 0):
                raise SpecError(f"{name} wants a number >= 0, found {value!r}.")

    @property
    def names(self) -> list[str]:
        """Those that are set, in the order in which they are tried: the first one missed is the reason."""
        names = ("min_known", "min_evidence", "min_probability", "min_margin")
        return [name for name in names if getattr(self, name) is not None]

    def of_model(self, class_docs: Mapping[str, float]) -> Thresholds:
        """Return the same thresholds for a model, given the documents of each class in training."""
        return replace(self, class_docs=class_docs)

    def missed(
        self, n_known: np.ndarray, probabilities: np.ndarray, chosen: np.ndarray, labels: Sequence[str]
    ) -> pa.StringArray:
        """Return the first threshold that each document misses, null where it reaches all.

        Parameters
        ----------
        n_known : int array, shape (n_docs,)
        probabilities : float64 array, shape (n_docs, n_classes)
            All 0 where every class is impossible.
        chosen : int array, shape (n_docs,)
            The predicted class of each.
        labels : sequence of str

        Examples
        --------
        >>> thresholds = Thresholds(min_known=1, min_margin=0.5)
        >>> shares = np.array([[0.9, 0.1], [0.6, 0.4], [0.9, 0.1], [0.0, 0.0]])
        >>> thresholds.missed(np.array([1, 1, 0, 1]), shares, np.zeros(4, int), ["a", "b"]).to_pylist()
        [None, 'min_margin', 'min_known', 'impossible']
        """
        rows = np.arange(len(chosen))
        found: dict[str, np.ndarray] = {"min_known": n_known, "min_probability": probabilities[rows, chosen]}
        if self.min_evidence is not None:
            if self.class_docs is None:
                raise SpecError("min_evidence wants the documents of each class in training (of_model).")
            found["min_evidence"] = np.array([self.class_docs.get(label, 0.0) for label in labels])[chosen]
        if self.min_margin is not None:
            found["min_margin"] = margin(probabilities)
        tried = [IMPOSSIBLE, *self.names]
        missed = np.full(len(chosen), -1)
        for place, name in reversed(list(enumerate(self.names, start=1))):
            missed[found[name] < getattr(self, name)] = place
        missed[~probabilities.any(axis=1)] = 0
        return pa.array(tried, pa.string()).take(pa.array(missed, mask=missed < 0))


def margin(probabilities: np.ndarray) -> np.ndarray:
    """Return how much the highest of each row is above the second highest; of a single column that itself.

    >>> margin(np.array([[0.125, 0.625, 0.25]])).tolist(), margin(np.array([[1.0]])).tolist()
    ([0.375], [1.0])
    """
    if probabilities.shape[1] < 2:
        return probabilities.sum(axis=1)
    second, first = np.partition(probabilities, -2, axis=1)[:, -2:].T
    return first - second


NO_THRESHOLDS = Thresholds()
