"""What each part of a document adds to the difference of two classes' scores, in nats. Numbers only.

A score is a sum (see ``events``), so the difference of two scores is one, too, and every part of it has an owner::

    score(c, d) - score(o, d) = log prior(c) - log prior(o)
                                + sum over features of scale(c) bias(c) - scale(o) bias(o)
                                + sum over known terms t of f(t, d) * (added(c, t) - added(o, t))
    added(c, t) = scale(c) * (floor(c) + base(t) + lift(c, t))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from scipy import sparse

    from nbspark.smoothing.likelihoods import FeatureParameters, TermParameters


class TermShares(NamedTuple):
    """The known terms of documents and what each adds: document i has the elements ``indptr[i]:indptr[i + 1]``.

    Attributes
    ----------
    indptr : int array, shape (n_docs + 1,)
    terms : int array, shape (n_elements,)
        Places in the vocabulary, each once a document.
    n : float64 array, shape (n_elements,)
        How often each occurs.
    nats : float64 array, shape (n_elements,)
        What all its occurrences add to the one class beyond what they add to the other.
    """

    indptr: np.ndarray
    terms: np.ndarray
    n: np.ndarray
    nats: np.ndarray


def term_shares(
    parameters: FeatureParameters, known: sparse.csr_array, one: np.ndarray, other: np.ndarray
) -> TermShares:
    """Return what each known term of documents adds to the score of one class beyond that of another.

    Parameters
    ----------
    known : csr_array, shape (n_docs, n_terms)
        How often each term occurs; changed in place.
    one, other : int array, shape (n_docs,)
        The two classes of each document.
    """
    known.sum_duplicates()
    rows = np.repeat(np.arange(known.shape[0]), np.diff(known.indptr))
    f = known.data if parameters.frequency is None else parameters.frequency(known.data)
    beyond = added(parameters, known.indices, one[rows]) - added(parameters, known.indices, other[rows])
    return TermShares(known.indptr, known.indices, known.data, f * beyond)


def added(parameters: FeatureParameters, terms: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return what one occurrence of each term adds to the score of a class; -inf where it is impossible there.

    Parameters
    ----------
    terms, classes : int array, shape (n_pairs,)
        Places in the vocabulary, and classes.
    """
    vocabulary = parameters.vocabulary
    pair, is_seen = find_pairs(vocabulary, terms, classes, len(parameters.floor))
    lift = np.where(is_seen, vocabulary.lift[pair], 0.0) if len(vocabulary.lift) else np.zeros(len(terms))
    base = np.where(is_seen, vocabulary.finite_base[terms], vocabulary.base[terms])
    return parameters.scale[classes] * (parameters.floor[classes] + base + lift)


def find_pairs(
    vocabulary: TermParameters, terms: np.ndarray, classes: np.ndarray, n_classes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the place of each (term, class) among the pairs that training saw, and whether it is one.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from nbspark.smoothing.likelihoods import TermParameters
    >>> terms, classes = pa.array(["cash", "win"]), np.array([0, 1, 1])
    >>> vocabulary = TermParameters(terms, np.array([0, 2, 3]), classes, np.ones(3), np.zeros(2))
    >>> pair, is_seen = find_pairs(vocabulary, np.array([0, 1, 1]), np.array([1, 0, 1]), 2)
    >>> pair[is_seen].tolist(), is_seen.tolist()
    ([1, 2], [True, False, True])
    """
    of_pairs = np.repeat(np.arange(len(vocabulary.terms)), np.diff(vocabulary.indptr)) * n_classes + vocabulary.classes
    wanted = terms.astype(np.int64) * n_classes + classes
    place = np.minimum(np.searchsorted(of_pairs, wanted), max(0, len(of_pairs) - 1))
    return place, (of_pairs[place] == wanted) if len(of_pairs) else np.zeros(len(wanted), bool)


def between(scores: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return by how much one class of each document is above another.

    >>> between(np.array([[1.0, 3.0], [5.0, 2.0]]), np.array([1, 0]), np.array([0, 1])).tolist()
    [2.0, 3.0]
    """
    rows = np.arange(len(scores))
    with np.errstate(invalid="ignore"):  # of documents that are impossible in both, of which nothing is said
        return scores[rows, one] - scores[rows, other]
