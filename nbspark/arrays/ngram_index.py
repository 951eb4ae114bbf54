"""Where the n-grams of documents are in a vocabulary: looked up as pairs of integers, size by size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from nbspark.arrays.ngrams import JOINER, TOKENS, numbered, pair_keys
from nbspark.arrays.strings import buffers_of, offsets_of, string_array
from nbspark.arrays.term_codes import KeyIndex, PackedTerms, TermIndex, encode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class NgramIndex:
    """The places of terms in a vocabulary of strings, found by their tokens.

    Parameters
    ----------
    terms : StringArray, shape (n_terms,)
        Distinct. Where ``longest`` is more than 1, tokens without a blank in them, joined by one blank each.
    longest : int
        Tokens of the longest n-gram that is looked up.

    Notes
    -----
    The ends of terms are numbered size by size: the tokens, the pairs of tokens that a term ends with, and so on. An
    end is found by its first token and the number of the end that is one token shorter. Some ends are terms
    themselves, others only the end of a longer one.

    Examples
    --------
    ::

        term            last token   last two    last three
        0  a            a
        1  a prize      prize        a prize
        2  win a prize  prize        a prize     win a prize

    >>> index = NgramIndex(pa.array(["a", "a prize", "win a prize"]), 3)
    >>> document = [PackedTerms.of(pa.array(["win", "a", "prize"]))]
    >>> [places.tolist() for places in index.find(document, np.array([0, 0, 0]))]
    [[-1, 0, -1], [-1, 1, -1], [2, -1, -1]]
    """

    def __init__(self, terms: pa.StringArray, longest: int) -> None:
        codes, offsets, tokens = _tokens_of(terms, longest)
        sizes, ends = np.diff(offsets), offsets[1:]
        end = codes[ends - 1]  # of each term, the number of its end of the size at hand
        self._tokens = TermIndex(tokens)
        self._ends: list[KeyIndex] = []
        self._terms = [_terms_at(end, sizes == 1, len(tokens))]
        for size in range(2, longest + 1):
            has = np.flatnonzero(sizes >= size if size < longest else sizes == size)
            keys = pair_keys(codes[ends[has] - size], end[has])
            if size < longest:  # those of the longest terms are distinct, as the terms are
                end[has], keys = numbered(keys)
            else:
                end[has] = np.arange(len(has))
            self._ends.append(KeyIndex(keys))
            self._terms.append(_terms_at(end, sizes == size, len(keys)))

    def find(self, parts: Sequence[PackedTerms], docs: np.ndarray) -> Iterator[np.ndarray]:
        """Yield, size by size, which term begins at each token of some documents, int32, -1 for none.

        Parameters
        ----------
        parts : sequence of PackedTerms
            The tokens, document after document.
        docs : integer array, shape (n_tokens of all parts,)
            The document of each token.
        """
        tokens = end = self._tokens.find(parts)
        yield self._terms[0][tokens]
        inside = np.flatnonzero((tokens[:-1] >= 0) & (docs[:-1] == docs[1:])) if self._ends else tokens[:0]
        for ends, terms in zip(self._ends, self._terms[1:], strict=True):
            places = inside[end[inside + 1] >= 0]
            found = ends.find(pair_keys(tokens[places], end[places + 1]))
            end = np.full(len(tokens), -1, np.int32)
            end[places] = found
            yield terms[end]


def places_of_ngrams(
    index: NgramIndex, parts: Sequence[PackedTerms], lengths: np.ndarray, sizes: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the place of every n-gram of some documents in a vocabulary, and where each document's begin.

    Parameters
    ----------
    parts : sequence of PackedTerms
        The tokens, document after document.
    lengths : int64 array, shape (n_docs,)
        Tokens of each document.

    Returns
    -------
    places : int32 array, shape (n_ngrams,)
        -1 where it is not in the vocabulary. Of each document the shortest first, each size from left to right.
    offsets : int64 array, shape (n_docs + 1,)

    Examples
    --------
    >>> index = NgramIndex(pa.array(["a", "a prize", "win"]), 2)
    >>> tokens = PackedTerms.of(pa.array(["win", "a", "prize", "a"]))
    >>> places, offsets = places_of_ngrams(index, [tokens], np.array([3, 1]), (1, 2))
    >>> places.tolist(), offsets.tolist()  # win, a, prize, win a, a prize; a
    ([2, 0, -1, -1, 1, 0], [0, 5, 6])
    """
    if sizes == TOKENS:
        [places] = index.find(parts, np.zeros(0, np.int64))
        return places, offsets_of(lengths)
    docs = np.repeat(np.arange(len(lengths)), lengths)
    of_size = [np.maximum(lengths - size + 1, 0) for size in range(sizes[0], sizes[1] + 1)]
    offsets = offsets_of(np.sum(of_size, axis=0))
    places = np.empty(offsets[-1], np.int32)
    to = offsets[:-1]  # where the n-grams of the size at hand go, document by document
    tokens = offsets_of(lengths)[:-1]
    for size, found in enumerate(index.find(parts, docs), 1):
        if size >= sizes[0]:
            n = of_size[size - sizes[0]]
            inside = np.arange(n.sum()) - np.repeat(offsets_of(n)[:-1], n)
            places[np.repeat(to, n) + inside] = found[np.repeat(tokens, n) + inside]
            to = to + n
    return places, offsets


def _terms_at(ends: np.ndarray, is_whole: np.ndarray, n_ends: int) -> np.ndarray:
    """Return which term each end is, -1 where it is none; one more at the end, for the end that is unknown."""
    terms = np.full(n_ends + 1, -1, np.int32)
    whole = np.flatnonzero(is_whole)
    terms[ends[whole]] = whole
    return terms


def _tokens_of(terms: pa.StringArray, longest: int) -> tuple[np.ndarray, np.ndarray, pa.StringArray]:
    """Return the codes of the tokens of all terms, where each term's begin, and the tokens that the codes stand for.

    >>> codes, offsets, tokens = _tokens_of(pa.array(["a", "a prize"]), 2)
    >>> codes.tolist(), offsets.tolist(), tokens.to_pylist()
    ([0, 0, 1], [0, 1, 3], ['a', 'prize'])
    """
    if longest == 1:
        return np.arange(len(terms), dtype=np.int32), np.arange(len(terms) + 1), terms
    data, offsets = buffers_of(terms)
    is_blank = data == ord(JOINER)
    blanks = np.flatnonzero(is_blank)
    blanks_before = np.searchsorted(blanks, offsets)
    # Without the blanks the tokens lie side by side: one begins where a term does, and one where a blank was. Sorting
    # two sorted arrays, stable, merges them.
    begins = np.sort(np.concatenate([offsets - blanks_before, blanks - np.arange(len(blanks))]), kind="stable")
    tokens = string_array(data[~is_blank], begins)
    codes, distinct = encode([PackedTerms.of(tokens)])
    return codes, blanks_before + np.arange(len(offsets)), distinct
