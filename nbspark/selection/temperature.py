"""The temperature that makes probabilities mean what they say, from one pass over out-of-fold scores. No pyspark in it.

The mean log loss is convex in the inverse temperature b. With p the softmax of b x scores, its slope is the mean over
documents of (expected score under p) - (score of the true class), its curvature that of the variance of scores under p.
Both are added up at the nodes of a grid in one pass, which is a table of a few dozen rows whatever the corpus; the zero
of the slope is then found between two nodes, by a cubic through slopes and curvatures.

Scores of documents that were learned must not go in: of those a model is surer than of any others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.interpolate import CubicHermiteSpline, CubicSpline

from nbspark.arrays.hashing import mix
from nbspark.errors import DocumentsError
from nbspark.smoothing.calibration import per_length

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

HOTTEST, COLDEST, N_NODES = 2000.0, 1 / 200, 120
NODES = np.geomspace(1 / HOTTEST, 1 / COLDEST, N_NODES)  # inverse temperatures, each 1.12 times the one before
COARSE = np.geomspace(1 / HOTTEST, 1 / COLDEST, 40)
EXPONENTS = (0.0, 0.3, 0.6, 0.9, 1.2)
SUMS = ("weight", "loss", "slope", "curvature")  # of each node: the columns of what is added up
NO_SUMS = np.zeros((N_NODES + 1, len(SUMS)))
NO_SUMS_BY_EXPONENT = np.zeros((len(EXPONENTS), len(COARSE) + 1, len(SUMS)))
SAMPLED = 4_000_000  # scores, documents x classes, that an exponent is found by
BLOCK = 1_000_000  # numbers worked on at a time


class Scored(NamedTuple):
    """Documents scored by a model that has not learned them.

    Attributes
    ----------
    scores : float64 array, shape (n_docs, n_classes)
        Joint log-likelihoods.
    truth : int array, shape (n_docs,)
        The true class of each, -1 where there is none or the model does not know it: left out, as is a document whose
        true class is impossible, which no temperature mends.
    lengths : float64 array, shape (n_docs,), optional
        How many known terms each has; 1 where not given.
    weight : float64 array, shape (n_docs,), optional
        Of the documents; 1 where not given.
    """

    scores: np.ndarray
    truth: np.ndarray
    lengths: np.ndarray | None = None
    weight: np.ndarray | None = None

    def per_length(self, exponent: float) -> Scored:
        """Return the same with the scores divided by the length to a power."""
        if self.lengths is None:
            return self
        return self._replace(scores=per_length(self.scores, self.lengths, exponent))

    def sampled(self, share: float) -> Scored:
        """Return about a share of the documents: which ones, their scores say."""
        if share >= 1:
            return self
        kept = mix(np.ascontiguousarray(self.scores[:, 0]).view(np.uint64)) < np.uint64(share * 2.0**64)
        lengths, weight = (None if one is None else one[kept] for one in (self.lengths, self.weight))
        return Scored(self.scores[kept], self.truth[kept], lengths, weight)


@dataclass(frozen=True)
class Temperature:
    """A fitted temperature.

    Attributes
    ----------
    value, exponent : float
        For ``with_options(temperature=..., temperature_exponent=...)``, a spec, or ``set_options``.
    log_loss_before, log_loss : float
        Mean log loss, in nats, of the scores as they were (temperature 1) and with it.
    """

    value: float
    exponent: float
    log_loss_before: float
    log_loss: float

    @property
    def options(self) -> dict[str, float]:
        """The two options by their names."""
        return {"temperature": self.value, "temperature_exponent": self.exponent}


def tally_scores(batch: Scored, exponent: float = 0.0, *, nodes: np.ndarray = NODES) -> np.ndarray:
    """Add up what a temperature needs of some documents; such sums add.

    Returns
    -------
    float64 array, shape (n_nodes + 1, 4)
        Sums of ``SUMS`` at every inverse temperature of the nodes; the last row is of the scores as they are.

    Examples
    --------
    >>> sums = tally_scores(Scored(np.array([[0.0, 0.0]]), np.array([1])))
    >>> sums[-1].round(6).tolist()  # log 2, whatever the temperature
    [1.0, 0.693147, 0.0, 0.0]
    """
    scaled, (scores, truth, _, weight) = batch.per_length(exponent).scores, batch
    known = truth >= 0
    known[known] = np.isfinite(scores[known, truth[known]])
    weight = np.ones(known.sum()) if weight is None else weight[known]
    sums = np.zeros((len(nodes) + 1, len(SUMS)))
    rows = max(1, BLOCK // max(1, scores.shape[1]))
    places = np.flatnonzero(known)
    for start in range(0, len(places), rows):
        part, own = places[start : start + rows], weight[start : start + rows]
        for one, inverses, at in ((scaled, nodes, 0), (scores, (1.0,), len(nodes))):
            gap = one[part] - one[part].max(axis=1, keepdims=True)
            sums[at : at + len(inverses)] += [_added(gap, truth[part], own, inverse) for inverse in inverses]
    return sums


def _added(gap: np.ndarray, truth: np.ndarray, weight: np.ndarray, inverse: float) -> np.ndarray:
    """Return what documents add to each of ``SUMS``, given how far their scores are below their highest one."""
    likely = np.exp(inverse * gap)
    total = likely.sum(axis=1)
    finite = np.where(np.isfinite(gap), gap, 0.0)  # an impossible class has probability 0 at any temperature
    true_gap = gap[np.arange(len(truth)), truth]
    mean = np.einsum("dc,dc->d", likely, finite) / total
    square = np.einsum("dc,dc,dc->d", likely, finite, finite) / total
    added = (np.ones(len(truth)), np.log(total) - inverse * true_gap, mean - true_gap, square - mean**2)
    return np.array([weight @ one for one in added])


def tally_exponents(batch: Scored) -> np.ndarray:
    """Add up what choosing an exponent needs: ``tally_scores`` for each of ``EXPONENTS``, at fewer nodes."""
    return np.stack([tally_scores(batch, exponent, nodes=COARSE) for exponent in EXPONENTS])


def exponent_of(sums: np.ndarray) -> float:
    """Return the exponent of least log loss, to two digits, given sums of ``tally_exponents``.

    The least log loss of each exponent is known; between them it is smooth.
    """
    losses = [_least(COARSE, one)[1] for one in sums]
    between = np.linspace(EXPONENTS[0], EXPONENTS[-1], 121)
    return round(float(between[np.argmin(CubicSpline(EXPONENTS, losses)(between))]), 2)


def temperature_of(sums: np.ndarray, exponent: float = 0.0) -> Temperature:
    """Return the temperature of least log loss, given sums of ``tally_scores`` with an exponent.

    Raises
    ------
    DocumentsError
        No document has a label that its model knows.

    Notes
    -----
    Where even the hottest or the coldest temperature of the grid is not enough (documents that tell nothing, or none
    that is wrong), it is that one.
    """
    inverse, best = _least(NODES, sums)
    # Six digits are more than any corpus tells, and the same in whatever order the sums were added up.
    return Temperature(float(f"{1 / inverse:.6g}"), exponent, float(sums[-1, 1] / sums[-1, 0]), best)


def fit_temperature(batches: Callable[[], Iterable[Scored]], exponent: float | None = None) -> Temperature:
    """Return the temperature, and its exponent unless that is given, of least log loss.

    Parameters
    ----------
    batches : callable
        Returns the scored documents; it is called once, or twice where the exponent is to be found.

    Examples
    --------
    Sure by 2 nats, and right in 3 of 4 documents: they should be sure by log 3.

    >>> batch = Scored(np.array([[2.0, 0.0]] * 4), np.array([0, 0, 0, 1]))
    >>> found = fit_temperature(lambda: [batch], exponent=0.0)
    >>> bool(abs(found.value - 2 / np.log(3)) < 1e-5), found.log_loss < found.log_loss_before
    (True, True)
    """
    if exponent is None:
        exponent = exponent_of(sum(map(tally_exponents, batches()), NO_SUMS_BY_EXPONENT))
    return temperature_of(sum((tally_scores(one, exponent) for one in batches()), NO_SUMS), exponent)


def _least(nodes: np.ndarray, sums: np.ndarray) -> tuple[float, float]:
    """Return the inverse temperature of least mean log loss, and that loss."""
    weight = sums[-1, 0]
    if not weight:
        raise DocumentsError("temperature: no document has a label that the model of the other folds knows.")
    loss, slope, curvature = sums[:-1, 1:].T / weight
    below = np.flatnonzero(slope < 0)  # the best inverse temperature is above these nodes
    if not len(below) or len(below) == len(nodes):
        end = int(np.argmin(loss))
        return float(nodes[end]), float(loss[end])
    i = int(below[-1])
    cubic = CubicHermiteSpline(nodes[i : i + 2], slope[i : i + 2], curvature[i : i + 2])
    inverse = float(next(root for root in cubic.roots(extrapolate=False) if nodes[i] <= root <= nodes[i + 1]))
    return inverse, float(loss[i] + cubic.integrate(nodes[i], inverse))
