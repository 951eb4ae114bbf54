"""Numeric features: a Gaussian for each class, from exact moments."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from nbspark.arrays.moments import Moments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TINY = float(np.finfo(np.float64).tiny)  # variance of equal numbers without a floor: any other is next to impossible


@dataclass(frozen=True)
class Gaussians:
    """The Gaussian of each class, all arrays of shape (n_classes,); the mean is ``mean + mean_rest``."""

    mean: np.ndarray
    mean_rest: np.ndarray
    variance: np.ndarray

    def score(self, values: np.ndarray) -> np.ndarray:
        """Return log densities in nats, shape (n_docs, n_classes); 0 where a value is NaN.

        >>> unit = Gaussians(np.zeros(1), np.zeros(1), np.ones(1))
        >>> unit.score(np.array([0.0, np.nan])).round(6).tolist()
        [[-0.918939], [0.0]]
        """
        distance = (values[:, None] - self.mean) - self.mean_rest
        with np.errstate(over="ignore"):  # as far away as can be: the density is 0
            scores = -0.5 * (np.log(2 * np.pi * self.variance) + distance**2 / self.variance)
        return np.where(np.isnan(values)[:, None], 0.0, scores)


def estimate_gaussians(
    moments: Mapping[str, Sequence[Moments]], var_smoothing: Mapping[str, float]
) -> dict[str, Gaussians]:
    """Return each numeric feature's Gaussians.

    Parameters
    ----------
    moments : mapping of str to sequence of Moments
        Of each numeric feature of the model, class by class.
    var_smoothing : mapping of str to float
        Of each of them.

    Notes
    -----
    The variance is m2 / n plus ``var_smoothing`` times the largest variance of any numeric feature over all
    classes, as in scikit-learn. A class without a value of the feature takes the moments of all classes: the
    feature then says nothing for or against it that it does not say on average. Where no numeric feature varies
    at all every variance is 1: alike in all classes, so that any number leaves the decision to the other features.
    """
    pooled = {name: sum(of_classes, Moments()) for name, of_classes in moments.items()}
    largest = max((_variance(one) for one in pooled.values()), default=0.0)
    made = {}
    for name, of_classes in moments.items():
        stored = [one if one.n else pooled[name] for one in of_classes]
        variance = np.array([_variance(one) if largest else 1.0 for one in stored]) + var_smoothing[name] * largest
        columns = np.array([one.stored() for one in stored]).T
        made[name] = Gaussians(columns[1], columns[3], np.maximum(variance, TINY))
    return made


def _variance(moments: Moments) -> float:
    """Return m2 / n, 0 where there is no number."""
    if not moments.n:
        return 0.0
    _, _, m2, _, m2_rest = moments.stored()
    return float((Fraction(m2) + Fraction(m2_rest)) / moments.n)
