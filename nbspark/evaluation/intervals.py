"""Intervals that hold the true value 95 times of 100: Wilson, Poisson bootstrap, a mean's. No pyspark in it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

LEVEL = 0.95
Z = 1.959963984540054  # of the normal distribution, 2.5 % are above
SEED = 20_260_101  # the same draws at every evaluation
N_REPLICATES = 1000
MAX_DRAWS = 1_000_000  # with many pairs of labels fewer replicates, 200 at least


@dataclass(frozen=True)
class Interval:
    """Where a metric may truly lie, and by which method: ``wilson``, ``bootstrap`` or ``normal``."""

    low: float
    high: float
    method: str


def wilson(n_right: float, n: float) -> Interval | None:
    """Return the interval of a share of independent documents; None of none.

    Notes
    -----
    Wilson (1927); never below 0 or above 1, and right for few documents, too.

    Examples
    --------
    >>> found = wilson(8, 10)
    >>> round(found.low, 4), round(found.high, 4)
    (0.4902, 0.9433)
    """
    if not n:
        return None
    share = n_right / n
    middle = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    return Interval(max(0.0, middle - half), min(1.0, middle + half), "wilson")


def of_mean(weight: float, weight_squares: float, total: float, cross: float, squares: float) -> Interval | None:
    """Return the interval of a weighted mean, from sums of weights w and values x; None where it is infinite.

    Parameters
    ----------
    weight, weight_squares, total, cross, squares : float
        Sums of w, w^2, w x, w^2 x and w^2 x^2.

    Notes
    -----
    The variance of the mean under Poisson weights is the sum of w^2 (x - mean)^2 over (sum of w)^2: what a Poisson
    bootstrap would draw, without drawing.
    """
    mean = total / weight
    if not math.isfinite(mean) or not math.isfinite(squares):
        return None
    half = Z * math.sqrt(max(0.0, squares - 2 * mean * cross + mean**2 * weight_squares)) / weight
    return Interval(max(0.0, mean - half), mean + half, "normal")


def replicates(weight: np.ndarray, weight_squares: np.ndarray) -> np.ndarray:
    """Return Poisson bootstrap replicates of the weights of cells, shape (n_replicates, n_cells).

    Notes
    -----
    The Poisson bootstrap gives each document a weight drawn from a Poisson distribution of mean 1 (Chamandy et al.,
    2012). A sum of n such draws is one draw of mean n, so a cell of n like documents needs a single draw, made here and
    not in a pass over them: it depends on no order and no partitioning. Where documents carry weights, the draw is
    scaled so that its mean and variance are those of the sum.

    Examples
    --------
    >>> drawn = replicates(np.array([100.0, 0.0]), np.array([100.0, 0.0]))
    >>> drawn.shape, bool(abs(drawn[:, 0].mean() - 100) < 1), drawn[:, 1].max()
    ((1000, 2), True, np.float64(0.0))
    """
    n = max(200, min(N_REPLICATES, MAX_DRAWS // max(1, len(weight))))
    unit = np.divide(weight_squares, weight, out=np.ones(len(weight)), where=weight > 0)
    return np.random.default_rng(SEED).poisson(weight / unit, (n, len(weight))) * unit


def percentile(drawn: np.ndarray) -> Interval | None:
    """Return the middle 95 % of replicates; None where too few of them have a value."""
    found = drawn[np.isfinite(drawn)]
    if len(found) < len(drawn) / 2:
        return None
    low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high), "bootstrap")


def reflected(drawn: np.ndarray, estimate: float) -> Interval | None:
    """Return the interval by how far replicates fall from the estimate, turned round it, not below 0.

    For a sum of distances: chance only adds to it, so replicates lie above the estimate as that does above the truth.
    """
    found = percentile(drawn)
    if found is None:
        return None
    return Interval(max(0.0, 2 * estimate - found.high), max(0.0, 2 * estimate - found.low), found.method)
