"""Count, mean and sum of squared deviations of numbers, exact whatever their size and order.

Sums are kept as fractions, so that parts merge and subtract without error; only what is stored is rounded,
and then to two doubles, about 32 digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np

SPLIT = 134217729.0  # 2**27 + 1, Dekker's constant: cuts a double into two halves of 26 bits


@dataclass(frozen=True)
class Moments:
    """Weighted power sums of some numbers; they add and subtract exactly.

    Attributes
    ----------
    n, total, squares : Fraction
        Sums of the weights w, of w x and of w x squared.

    Examples
    --------
    >>> Moments.of(np.array([4.0, 7.0, 13.0, 16.0]) + 1e9).stored()
    (4.0, 1000000010.0, 90.0, 0.0, 0.0)
    """

    n: Fraction = Fraction(0)
    total: Fraction = Fraction(0)
    squares: Fraction = Fraction(0)

    @classmethod
    def of(cls, values: np.ndarray, weights: np.ndarray | None = None) -> Self:
        """Return the moments of finite numbers, each with weight 1 unless given."""
        if weights is None:
            return cls(Fraction(len(values)), exact_sum(values), exact_sum(*product(values, values)))
        once = product(weights, values)
        twice = [part for one in once for part in product(one, values)]
        return cls(exact_sum(weights), exact_sum(*once), exact_sum(*twice))

    @classmethod
    def from_stored(cls, n: float, mean: float, m2: float, mean_rest: float, m2_rest: float) -> Self:
        """Return the moments that ``stored`` gave."""
        count, center = Fraction(n), Fraction(mean) + Fraction(mean_rest)
        total = count * center
        return cls(count, total, Fraction(m2) + Fraction(m2_rest) + total * center)

    def __add__(self, other: Moments) -> Moments:
        """Return the moments of both sets of numbers together."""
        return Moments(self.n + other.n, self.total + other.total, self.squares + other.squares)

    def __sub__(self, other: Moments) -> Moments:
        """Return the moments of these numbers without the others."""
        return Moments(self.n - other.n, self.total - other.total, self.squares - other.squares)

    def stored(self) -> tuple[float, float, float, float, float]:
        """Return n, mean, m2 and what the latter two lack as doubles; zeros where there is no weight."""
        if not self.n:
            return 0.0, 0.0, 0.0, 0.0, 0.0
        mean = self.total / self.n
        m2 = self.squares - mean * self.total
        return (
            float(self.n),
            float(mean),
            float(m2),
            float(mean - Fraction(float(mean))),
            float(m2 - Fraction(float(m2))),
        )


def exact_sum(*arrays: np.ndarray) -> Fraction:
    """Return the sum of doubles without any rounding.

    >>> exact_sum(np.array([1e16, 1.0, -1e16]))
    Fraction(1, 1)
    """
    values = np.concatenate(arrays).tolist()
    total = Fraction(0)
    while part := math.fsum(values):  # correctly rounded; what rounding took is found in the next turn
        total += Fraction(part)
        values.append(-part)
    return total


def product(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the product as two doubles whose sum is exact (Dekker 1971)."""
    high = left * right
    left_high, right_high = (SPLIT * one - (SPLIT * one - one) for one in (left, right))
    left_low, right_low = left - left_high, right - right_high
    low = ((left_high * right_high - high) + left_high * right_low + left_low * right_high) + left_low * right_low
    return high, low
