"""What a threshold buys: how many documents still get a prediction, how many of those are right. No pyspark in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9999)
VALUES: dict[str, tuple[float, ...]] = {
    "min_probability": _SHARES,
    "min_margin": _SHARES,
    "min_known": (1, 2, 3, 5, 10, 20, 50, 100, 200, 500),
}


@dataclass(frozen=True)
class CoveragePoint:
    """Documents whose prediction reaches a value of a threshold.

    ``coverage`` is their share of all that have a label, ``accuracy`` the share of them that is right, None of none.
    """

    threshold: str
    value: float
    n_docs: int
    coverage: float
    accuracy: float | None


def place_of(threshold: str, reached: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return 2 x how many of a threshold's values each document reaches, and 1 more if its prediction is right.

    >>> place_of("min_known", np.array([0, 1, 4]), np.array([True, False, True])).tolist()
    [1, 2, 7]
    """
    return 2 * np.searchsorted(VALUES[threshold], reached, side="right") + right


def points(rows: Iterable[Mapping[str, Any]], total: float) -> tuple[CoveragePoint, ...]:
    """Return the points of every threshold that was tallied.

    Parameters
    ----------
    rows : iterable of mapping
        ``label``, the threshold; ``place``, as of ``place_of``; ``n_docs`` and ``weight``.
    total : float
        The weight of all documents that have a label.

    Examples
    --------
    >>> row = {"label": "min_known", "n_docs": 2, "weight": 2.0}
    >>> one, two, *_ = points([row | {"place": 2}, row | {"place": 5}], total=8.0)
    >>> (one.value, one.coverage, one.accuracy), (two.value, two.coverage, two.accuracy)
    ((1, 0.5, 0.5), (2, 0.25, 1.0))
    """
    rows, found = list(rows), []
    for threshold, values in VALUES.items():
        own = [row for row in rows if row["label"] == threshold]
        for number, value in enumerate(values if own else (), start=1):
            reach = [row for row in own if row["place"] // 2 >= number]
            weight = sum(row["weight"] for row in reach)
            right = sum(row["weight"] for row in reach if row["place"] % 2)
            n_docs = sum(row["n_docs"] for row in reach)
            found.append(CoveragePoint(threshold, value, n_docs, weight / total, right / weight if weight else None))
    return tuple(found)
