"""The product of documents x terms with terms x classes, for a few classes and for thousands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from nbspark.arrays.strings import offsets_of

if TYPE_CHECKING:
    from nbspark.smoothing.likelihoods import TermParameters

DENSE = 32_000_000  # numbers in a terms x classes array that a worker may build: 256 MB
SPARSE_COST = 5  # a number in a sparse product takes as long as this many in a dense one


class Lifts:
    """The lifts of a vocabulary, ready to be summed over the terms of documents.

    A vocabulary that fits is dense, for a product several times as fast. Of one that does not, the terms that most
    classes have seen are dense, as far as they fit and while that pays, and the others sparse: frequent terms are
    most of a text, and rare ones most of a vocabulary.

    Parameters
    ----------
    vocabulary : TermParameters
    n_classes : int
    """

    def __init__(self, vocabulary: TermParameters, n_classes: int) -> None:
        n_terms, seen_by = len(vocabulary.terms), np.diff(vocabulary.indptr)
        lifts = sparse.csr_array((vocabulary.lift, vocabulary.classes, vocabulary.indptr), shape=(n_terms, n_classes))
        n_rows = DENSE // max(1, n_classes)
        self._rest: sparse.csr_array | None = None
        if n_terms <= n_rows:
            self._dense = lifts.toarray()
            return
        common = np.argsort(-seen_by, kind="stable")[:n_rows]
        common = common[seen_by[common] * SPARSE_COST > n_classes]
        self._dense = lifts[common].toarray()
        self._row_of_term = np.full(n_terms, -1, np.int32)
        self._row_of_term[common] = np.arange(len(common))
        self._rest = lifts

    def sum_by_doc(self, known: sparse.csr_array) -> np.ndarray:
        """Return the sum of the lifts of each document's terms, shape (n_docs, n_classes).

        Parameters
        ----------
        known : csr_array, shape (n_docs, n_terms)
            How often each term occurs.
        """
        if self._rest is None:
            return np.asarray(known @ self._dense)
        n_docs, n_terms = known.shape
        row = self._row_of_term[known.indices]
        is_common = row >= 0
        ends = offsets_of(is_common)[known.indptr]
        common = sparse.csr_array((known.data[is_common], row[is_common], ends), shape=(n_docs, len(self._dense)))
        others = known.data[~is_common], known.indices[~is_common], known.indptr - ends
        sums = np.asarray(common @ self._dense)
        rest = sparse.csr_array(others, shape=(n_docs, n_terms)) @ self._rest
        sums[np.repeat(np.arange(n_docs), np.diff(rest.indptr)), rest.indices] += rest.data
        return sums
