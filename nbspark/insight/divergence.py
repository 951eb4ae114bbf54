"""How far two sets of counts are apart, and how far chance alone would bring them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

DRAWS = 200
SEED = 20_260
SURE = 0.99  # of the draws stay below ``limit``
BLOCK = 4_000_000  # numbers drawn at a time


@dataclass(frozen=True)
class Divergence:
    """The Jensen-Shannon divergence of two samples, in bits, and what one distribution would give.

    Attributes
    ----------
    jsd : float
        From 0, the same shares, to at most 1, nothing in common.
    expected, limit : float
        The mean, and what 99 of 100 stay below, if both samples were drawn from one distribution.
    shares : float64 array, shape (n_values,)
        What each value adds to ``jsd``, with a minus where it is rarer in the second sample.
    largest, largest_limit : float
        The most that one value adds, and what that stays below in 99 of 100 draws: a few values of thousands can move
        while the sum stays within what chance gives.
    """

    jsd: float
    expected: float
    limit: float
    shares: np.ndarray
    largest: float = 0.0
    largest_limit: float = 0.0

    @property
    def is_beyond_chance(self) -> bool:
        """Whether the divergence is more than chance alone explains."""
        return self.jsd > self.limit

    @property
    def excess(self) -> float:
        """By how much it is more than expected, in bits; 0 where chance explains it."""
        return self.jsd - self.expected if self.is_beyond_chance else 0.0


def diverge(first: np.ndarray, second: np.ndarray, *, draws: int = DRAWS) -> Divergence:
    """Return the divergence of two samples, given how often each value is in them.

    Parameters
    ----------
    first, second : float64 array, shape (n_values,)
        Counts of the same values. In both 0 or more; where one sample is empty nothing diverges.

    Notes
    -----
    Lin (1991), Divergence measures based on the Shannon entropy, with the samples weighed by their sizes:
    2 N ln 2 JSD is then the likelihood ratio statistic G of the test that both have one distribution. For large counts
    that is chi-square with n_values - 1 degrees of freedom; words are too rare for it, so the null distribution is
    drawn: every value's occurrences fall into the samples by their sizes (binomial), with a fixed seed.

    Examples
    --------
    >>> found = diverge(np.array([50.0, 50.0]), np.array([80.0, 20.0]))
    >>> g = 2 * (50 * np.log(50 / 65) + 50 * np.log(50 / 35) + 80 * np.log(80 / 65) + 20 * np.log(20 / 35))
    >>> bool(np.isclose(2 * 200 * np.log(2) * found.jsd, g)), found.is_beyond_chance
    (True, True)
    >>> diverge(np.array([50.0, 50.0]), np.array([52.0, 48.0])).excess
    0.0
    """
    n, weight = first.sum() + second.sum(), first.sum() / max(first.sum() + second.sum(), 1.0)
    if not 0 < weight < 1:
        return Divergence(0.0, 0.0, 0.0, np.zeros(len(first)))
    shares = _shares(first, second)
    both = np.rint(first + second)
    rng = np.random.default_rng(SEED)
    null: list[float] = []
    largest: list[float] = []
    while len(null) < draws:
        some = min(draws - len(null), max(1, BLOCK // max(1, len(both))))
        drawn = rng.binomial(both.astype(np.int64), weight, size=(some, len(both))).astype(float)
        each = _shares(drawn, both - drawn)
        null += each.sum(axis=1).tolist()
        largest += np.abs(each).max(axis=1).tolist()
    change = np.where(second * first.sum() < first * second.sum(), -shares, shares)
    scale = n * np.log(2)
    return Divergence(
        float(max(shares.sum() / scale, 0.0)),
        float(np.mean(null) / (both.sum() * np.log(2))),
        float(np.quantile(null, SURE) / (both.sum() * np.log(2))),
        change / scale,
        float(np.abs(shares).max() / scale),
        float(np.quantile(largest, SURE) / (both.sum() * np.log(2))),
    )


def _shares(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return what each value adds to N times the divergence, in nats; of several samples a row each."""
    n_1, n_2 = first.sum(axis=-1, keepdims=True), second.sum(axis=-1, keepdims=True)
    both = first + second
    expected_1, expected_2 = both * n_1 / (n_1 + n_2), both * n_2 / (n_1 + n_2)
    return xlogy(first, _ratio(first, expected_1)) + xlogy(second, _ratio(second, expected_2))


def _ratio(observed: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Return observed by expected, 1 where there is nothing to observe."""
    return np.divide(observed, expected, out=np.ones_like(expected), where=(expected > 0) & (observed > 0))
