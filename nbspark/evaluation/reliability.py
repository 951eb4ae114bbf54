"""Whether a probability means what it says: confidence beside accuracy, bin by bin. No pyspark in it."""

from __future__ import annotations

import numpy as np

N_BINS = 15  # as Guo et al. (2017)
_EDGES = np.linspace(0.0, 1.0, N_BINS + 1)


def bin_of(confidence: np.ndarray) -> np.ndarray:
    """Return the bin of each probability: of 15 of equal width, each with its upper end.

    >>> bin_of(np.array([0.0, 0.05, 1 / 15, 0.07, 1.0])).tolist()
    [0, 0, 0, 1, 14]
    """
    return np.searchsorted(_EDGES[1:-1], confidence)


def bounds(number: int) -> tuple[float, float]:
    """Return the lower and upper end of a bin."""
    return float(_EDGES[number]), float(_EDGES[number + 1])


def calibration_error(place: np.ndarray, weight: np.ndarray, confidence: np.ndarray) -> np.ndarray:
    """Return the expected calibration error: the mean distance of confidence and accuracy over bins, by their weight.

    Parameters
    ----------
    place : int array, shape (n_cells,)
        2 x bin, and 1 for the documents of the bin whose prediction is right.
    weight, confidence : float64 array, shape (..., n_cells)
        The documents' weights, and the sum of weight x probability.

    Notes
    -----
    Naeini, Cooper and Hauskrecht (2015); of the predicted class.

    Examples
    --------
    Two of three documents right at 0.9, the one at 0.5 wrong: (3 |2/3 - 0.9| + 1 |0 - 0.5|) / 4.

    >>> round(float(calibration_error(np.array([27, 26, 14]), np.array([2., 1, 1]), np.array([1.8, 0.9, 0.5]))), 12)
    0.3
    """
    weight, confidence = np.asarray(weight), np.asarray(confidence)
    gap = np.zeros((*weight.shape[:-1], N_BINS))
    for cell, one in enumerate(place):  # 30 at most
        gap[..., one // 2] += weight[..., cell] * (one % 2) - confidence[..., cell]
    with np.errstate(invalid="ignore"):  # a replicate without a document
        return np.abs(gap).sum(axis=-1) / weight.sum(axis=-1)
