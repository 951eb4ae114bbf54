"""A temperature and a bias for each class, from passes over out-of-fold scores. No pyspark in it.

For classes that the model favours or slights as a whole: the log loss of softmax(b x scores + bias) is convex in b and
the biases together, so Newton's steps find its least value; each takes one pass that adds up slopes and curvatures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nbspark.selection.temperature import Scored, fit_temperature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

RIDGE = 1.0  # the pull of each bias to 0, as half of its square: so that a class without documents keeps one
MAX_STEPS = 30
CLOSE = 1e-10  # nats a document that another step may still gain
BLOCK = 20_000  # documents at a time


@dataclass(frozen=True)
class VectorScaling:
    """Fitted options, for ``with_options``, and the mean log loss before and with them."""

    temperature: float
    exponent: float
    class_bias: dict[str, float]
    log_loss_before: float
    log_loss: float


def fit_vector(
    batches: Callable[[], Iterable[Scored]], labels: Sequence[str], exponent: float | None = None
) -> VectorScaling:
    """Return the temperature and the biases of least log loss.

    Parameters
    ----------
    batches : callable
        Returns the batches of ``temperature.fit_temperature``, the same at every call: it is called about ten times.
    labels : sequence of str
        The classes, in the order of the scores.
    exponent : float, optional
        That of the temperature; found unless given.

    Raises
    ------
    DocumentsError
        No document has a label that its model knows.
    """
    start = fit_temperature(batches, exponent)

    def scaled() -> Iterator[Scored]:
        return (one.per_length(start.exponent) for one in batches())

    parameters = np.r_[1 / start.value, np.zeros(len(labels))]
    loss, slope, curvature, weight = _passed(scaled(), parameters)
    for _ in range(MAX_STEPS):
        step = np.linalg.solve(curvature, slope)
        gain = float(slope @ step) / 2
        if gain < CLOSE * weight:
            break
        size = 1.0
        while True:
            tried = parameters - size * step
            after = _passed(scaled(), tried) if tried[0] > 0 else None
            if after is not None and after[0] <= loss - 1e-4 * size * 2 * gain:
                break
            size /= 2
        parameters = tried
        loss, slope, curvature, weight = after
    bias = parameters[1:] - parameters[1:].mean()  # a number that all share changes nothing
    found = (loss - RIDGE / 2 * float(parameters[1:] @ parameters[1:])) / weight
    by_label = dict(zip(labels, bias.tolist(), strict=True))
    return VectorScaling(float(1 / parameters[0]), start.exponent, by_label, start.log_loss_before, found)


def _passed(batches: Iterable[Scored], parameters: np.ndarray) -> tuple[float, np.ndarray, np.ndarray, float]:
    """Return the log loss with its ridge, its slopes and curvatures in the parameters, and the weight of documents."""
    inverse, bias = parameters[0], parameters[1:]
    ridge = np.r_[0.0, np.full(len(bias), RIDGE)]
    loss, slope, curvature, total = RIDGE / 2 * float(bias @ bias), ridge * parameters, np.diag(ridge), 0.0
    for scores, truth, _, weight in batches:
        known = truth >= 0
        known[known] = np.isfinite(scores[known, truth[known]])
        rows = np.flatnonzero(known)
        weights = np.ones(len(truth)) if weight is None else weight
        for start in range(0, len(rows), BLOCK):
            part = rows[start : start + BLOCK]
            added = _added(scores[part], truth[part], weights[part], inverse, bias)
            loss, slope, curvature = loss + added[0], slope + added[1], curvature + added[2]
            total += float(weights[part].sum())
    return loss, slope, curvature, total


def _added(
    scores: np.ndarray, truth: np.ndarray, weight: np.ndarray, inverse: float, bias: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """Return what some documents add to the loss, its slopes and its curvatures."""
    own = np.arange(len(truth))
    gap = scores - scores.max(axis=1, keepdims=True)
    finite = np.where(np.isfinite(gap), gap, 0.0)
    logits = inverse * gap + bias
    highest = logits.max(axis=1, keepdims=True)
    likely = np.exp(logits - highest)
    total = likely.sum(axis=1)
    likely /= total[:, None]
    loss = float(weight @ (np.log(total) + highest[:, 0] - logits[own, truth]))
    error = likely.copy()
    error[own, truth] -= 1
    weighted = likely * weight[:, None]
    mean = np.einsum("dc,dc->d", likely, finite)
    slope = np.r_[weight @ np.einsum("dc,dc->d", error, finite), weight @ error]
    curvature = np.empty((len(bias) + 1, len(bias) + 1))
    curvature[0, 0] = weight @ (np.einsum("dc,dc,dc->d", likely, finite, finite) - mean**2)
    curvature[0, 1:] = curvature[1:, 0] = (weighted * (finite - mean[:, None])).sum(axis=0)
    curvature[1:, 1:] = np.diag(weighted.sum(axis=0)) - weighted.T @ likely
    return loss, slope, curvature
