"""Labels that are probably wrong, by confident learning, from probabilities out of fold. Sums that add, then a rule.

Northcutt, Jiang and Chuang (2021), Confident Learning: Estimating Uncertainty in Dataset Labels, JAIR 70, section 3: a
document is counted as of class j if its probability of j is at least the mean probability of j over the documents that
are labelled j, so that a class of which a model is never sure is not asked for more. Where that class is not the label,
the label is doubtful.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Doubts(NamedTuple):
    """What confident learning says of some documents.

    Attributes
    ----------
    counted_as : int array, shape (n_docs,)
        The class that a document is counted as, -1 where no probability reaches its threshold: the confident joint is
        how often each label is counted as each class.
    is_doubtful : bool array, shape (n_docs,)
        Whether that class is not the label, and the model's best class is not either.
    margin : float64 array, shape (n_docs,)
        The label's probability less the largest of the other classes', from -1 to 1: the smaller, the more doubtful.
    """

    counted_as: np.ndarray
    is_doubtful: np.ndarray
    margin: np.ndarray


def self_confidence(probabilities: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return, for each class, its probability summed over the documents labelled so, and their number; such sums add.

    Parameters
    ----------
    probabilities : float64 array, shape (n_docs, n_classes)
        Of models that have not learned the document.
    labels : int array, shape (n_docs,)
        The class of each; -1 is left out.

    Returns
    -------
    float64 array, shape (2, n_classes)

    Examples
    --------
    >>> self_confidence(np.array([[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]]), np.array([0, 0, 1])).tolist()
    [[1.25, 0.75], [2.0, 1.0]]
    """
    n_classes = probabilities.shape[1]
    rows = np.flatnonzero(labels >= 0)
    own = probabilities[rows, labels[rows]]
    return np.stack([np.bincount(labels[rows], weights, n_classes) for weights in (own, np.ones(len(rows)))])


def thresholds(sums: np.ndarray) -> np.ndarray:
    """Return the mean self-confidence of each class, infinite where a class has no document.

    >>> thresholds(np.array([[1.25, 0.75, 0.0], [2.0, 1.0, 0.0]])).tolist()
    [0.625, 0.75, inf]
    """
    return np.divide(sums[0], sums[1], out=np.full(sums.shape[1], np.inf), where=sums[1] > 0)


def doubts(probabilities: np.ndarray, labels: np.ndarray, threshold: np.ndarray) -> Doubts:
    """Return what the thresholds say of documents; parameters are those of ``self_confidence``.

    Examples
    --------
    The second document is labelled 0, and its probability of 1 is above what documents labelled 1 have on average.

    >>> probabilities = np.array([[0.75, 0.25], [0.125, 0.875], [0.25, 0.75]])
    >>> found = doubts(probabilities, np.array([0, 0, 1]), np.array([0.5, 0.8]))
    >>> found.counted_as.tolist(), found.is_doubtful.tolist(), found.margin.tolist()
    ([0, 1, -1], [False, True, False], [0.5, -0.75, 0.5])
    """
    rows = np.arange(len(labels))
    inside = labels >= 0
    label = np.maximum(labels, 0)
    reaches = probabilities >= threshold - 1e-6  # sums in another order must not decide
    counted_as = np.where(reaches, probabilities, -1.0).argmax(axis=1)
    counted_as[~reaches.any(axis=1) | ~inside] = -1
    others = probabilities.copy()
    others[rows, label] = -1.0
    margin = np.where(inside, probabilities[rows, label] - others.max(axis=1), np.nan)
    return Doubts(counted_as, inside & (counted_as >= 0) & (counted_as != labels) & (margin < 0), margin)


def confident_joint(labels: np.ndarray, counted_as: np.ndarray, n_classes: int) -> np.ndarray:
    """Return how many documents of each label are counted as each class; such counts add.

    >>> confident_joint(np.array([0, 0, 1]), np.array([0, 1, -1]), 2).tolist()
    [[1, 1], [0, 0]]
    """
    inside = counted_as >= 0
    codes = labels[inside] * n_classes + counted_as[inside]
    return np.bincount(codes, minlength=n_classes * n_classes).reshape(n_classes, n_classes)


def noise_matrix(joint: np.ndarray, n_docs: np.ndarray) -> np.ndarray:
    """Return the share of documents with each label that are of each class, given the confident joint.

    Equation 3 of the paper: each label's row is brought to the label's own number of documents, then all to 1.

    >>> noise_matrix(np.array([[3, 1], [0, 2]]), np.array([8.0, 2.0])).tolist()
    [[0.6, 0.2], [0.0, 0.2]]
    """
    rows = joint.sum(axis=1, keepdims=True)
    each = np.where(rows > 0, joint / np.maximum(rows, 1), np.eye(len(joint)))
    return each * n_docs[:, None] / n_docs.sum()
