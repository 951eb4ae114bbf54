"""The temperature that makes probabilities mean what they say, from one pass over out-of-fold scores. No pyspark in it.

The mean log loss is convex in the inverse temperature b. With p the softmax of b x scores, its slope is the mean over
documents of (expected score under p) - (score of the true class), its curvature that of the variance of scores under p.
Both are added up at the nodes of a grid in one pass, which is a table of a few dozen rows whatever the corpus; the zero
of the slope is then found between two nodes, by a cubic through slopes and curvatures.

Scores of documents that were learned must not go in: of those a model is surer than of any others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from nbspark.errors import DocumentsError

if TYPE_CHECKING:
    from collections.abc import Iterable

HOTTEST, COLDEST, N_NODES = 2000.0, 1 / 20, 96
NODES = np.geomspace(1 / HOTTEST, 1 / COLDEST, N_NODES)  # inverse temperatures, each 1.12 times the one before
SUMS = ("weight", "loss", "slope", "curvature")  # of each node: the columns of what is added up
NO_SUMS = np.zeros((N_NODES + 1, len(SUMS)))
BLOCK = 1_000_000  # numbers worked on at a time


@dataclass(frozen=True)
class Temperature:
    """A fitted temperature.

    Attributes
    ----------
    value : float
        For ``with_options(temperature=...)``, a spec, or ``set_options``.
    log_loss_before, log_loss : float
        Mean log loss, in nats, of the scores as they were (temperature 1) and with it.
    """

    value: float
    log_loss_before: float
    log_loss: float


def tally_scores(scores: np.ndarray, truth: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """Add up what a temperature needs of some documents; such sums add.

    Parameters
    ----------
    scores : float64 array, shape (n_docs, n_classes)
        Joint log-likelihoods by a model that has not learned the document.
    truth : int array, shape (n_docs,)
        The true class of each, -1 where there is none or the model does not know it: left out, as is a document whose
        true class is impossible, which no temperature mends.
    weight : float64 array, shape (n_docs,), optional

    Returns
    -------
    float64 array, shape (n_nodes + 1, 4)
        Sums of ``SUMS`` at every inverse temperature of ``NODES``; the last row is at 1.

    Examples
    --------
    >>> sums = tally_scores(np.array([[0.0, 0.0]]), np.array([1]))
    >>> sums[-1].round(6).tolist()  # log 2, whatever the temperature
    [1.0, 0.693147, 0.0, 0.0]
    """
    known = truth >= 0
    known[known] = np.isfinite(scores[known, truth[known]])
    scores, truth = scores[known], truth[known]
    weight = np.ones(len(truth)) if weight is None else weight[known]
    sums = NO_SUMS.copy()
    rows = max(1, BLOCK // max(1, scores.shape[1]))
    for start in range(0, len(truth), rows):
        part = slice(start, start + rows)
        own = np.arange(len(truth[part]))
        gap = scores[part] - scores[part].max(axis=1, keepdims=True)
        true_gap = gap[own, truth[part]]
        finite = np.where(np.isfinite(gap), gap, 0.0)  # an impossible class has probability 0 at any temperature
        for i, inverse in enumerate((*NODES, 1.0)):
            likely = np.exp(inverse * gap)
            total = likely.sum(axis=1)
            mean = np.einsum("dc,dc->d", likely, finite) / total
            square = np.einsum("dc,dc,dc->d", likely, finite, finite) / total
            values = (np.ones(len(own)), np.log(total) - inverse * true_gap, mean - true_gap, square - mean**2)
            sums[i] += [weight[part] @ one for one in values]
    return sums


def temperature_of(sums: np.ndarray) -> Temperature:
    """Return the temperature of least log loss, given sums of ``tally_scores``.

    Raises
    ------
    DocumentsError
        No document has a label that its model knows.

    Notes
    -----
    Where even the hottest or the coldest temperature of the grid is not enough (documents that tell nothing, or none
    that is wrong), it is that one.
    """
    *nodes, plain = sums
    weight = plain[0]
    if not weight:
        raise DocumentsError("temperature: no document has a label that the model of the other folds knows.")
    loss, slope, curvature = np.array(nodes)[:, 1:].T / weight
    below = np.flatnonzero(slope < 0)  # the best inverse temperature is above these nodes
    if not len(below) or len(below) == N_NODES:
        end = int(np.argmin(loss))
        inverse, best = NODES[end], loss[end]
    else:
        i = int(below[-1])
        ends = slice(i, i + 2)
        cubic = CubicHermiteSpline(NODES[ends], slope[ends], curvature[ends])
        inverse = float(next(root for root in cubic.roots(extrapolate=False) if NODES[i] <= root <= NODES[i + 1]))
        best = loss[i] + float(cubic.integrate(NODES[i], inverse))
    # Six digits are more than any corpus tells, and the same in whatever order the sums were added up.
    return Temperature(float(f"{1 / inverse:.6g}"), float(plain[1] / weight), float(best))


def fit_temperature(batches: Iterable[tuple[np.ndarray, np.ndarray, np.ndarray | None]]) -> Temperature:
    """Return the temperature of batches of scores, true classes and weights, see ``tally_scores``; one pass.

    Examples
    --------
    Sure by 2 nats, and right in 3 of 4 documents: they should be sure by log 3.

    >>> found = fit_temperature([(np.array([[2.0, 0.0]] * 4), np.array([0, 0, 0, 1]), None)])
    >>> bool(abs(found.value - 2 / np.log(3)) < 1e-5), found.log_loss < found.log_loss_before
    (True, True)
    """
    return temperature_of(sum((tally_scores(*batch) for batch in batches), NO_SUMS))
