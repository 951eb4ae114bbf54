"""N-grams as integers: sorted where they occur, numbered in a table, looked up in an index; strings only at the end.

An n-gram is its first token and the n-gram of the others, which is one token shorter. So every n-gram is a pair of
integers, whatever its length, and no string of it is made, hashed or compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.hashing import GOLDEN, hash_strings, mix
from nbspark.arrays.runs import run_starts, sort_by_key
from nbspark.arrays.term_codes import PackedTerms, dictionary_of, encode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TOKENS = (1, 1)  # sizes of n-grams: every token is a term, and nothing else is
JOINER = " "


def count_ngrams(lengths: np.ndarray, sizes: tuple[int, int]) -> np.ndarray:
    """Return how many n-grams of ``sizes[0]`` to ``sizes[1]`` tokens each document has, given its tokens.

    >>> count_ngrams(np.array([3, 1, 0]), (1, 2)).tolist()
    [5, 1, 0]
    """
    counts: np.ndarray = sum(np.maximum(lengths - size + 1, 0) for size in range(sizes[0], sizes[1] + 1))
    return counts


@dataclass(frozen=True)
class SortedNgrams:
    """All n-grams of one size, sorted by n-gram; those that are equal stay in the order of their places.

    Attributes
    ----------
    places : int32 array, shape (n_occurrences,)
        Where each begins, as a place in the array of tokens.
    is_new : bool array, shape (n_occurrences,)
        Whether it differs from the one before.
    first, rest : int32 array, shape (n_distinct,)
        Of each distinct one the code of its first token, and that of the n-gram which follows it; of single tokens
        the token's own code, and nothing.
    """

    places: np.ndarray
    is_new: np.ndarray
    first: np.ndarray
    rest: np.ndarray


def sort_ngrams(codes: np.ndarray, docs: np.ndarray, n_codes: int, longest: int) -> Iterator[SortedNgrams]:
    """Yield the n-grams of documents, sorted: first single tokens, then pairs, up to ``longest`` tokens.

    Parameters
    ----------
    codes : int32 array, shape (n_tokens,)
        The token at each place, document after document; every code occurs.
    docs : int32 array, shape (n_tokens,)
        The document of each place.
    n_codes : int
        Distinct tokens.

    Notes
    -----
    The n-gram at place p is token p and the (n-1)-gram at p + 1. The (n-1)-grams are sorted already; one place to the
    left of them, where that is the same document, are the n-grams sorted by all but their first token. A stable
    counting sort by the first token does the rest. No hash table, no comparison of strings; one counting sort a size.

    Examples
    --------
    Five tokens, "win a prize" and "win a", as codes::

        place     0    1  2      3    4
        token     win  a  prize  win  a
        code      2    0  1      2    0
        document  0    0  0      1    1

        tokens sorted        a at 1, a at 4, prize at 2, win at 0, win at 3
        one place left       0 (win a), 3 (win a), 1 (a prize); at 0 and 3 there is no token before in the document
        by the first token   1 (a prize), 0 (win a), 3 (win a)

    >>> found = list(sort_ngrams(np.array([2, 0, 1, 2, 0]), np.array([0, 0, 0, 1, 1]), 3, 2))
    >>> found[0].places.tolist(), found[1].places.tolist()
    ([1, 4, 2, 0, 3], [1, 0, 3])
    >>> found[1].is_new.tolist(), found[1].first.tolist(), found[1].rest.tolist()
    ([True, True, False], [0, 2], [1, 0])
    """
    places = np.arange(len(codes), dtype=np.int32)
    begins_document = run_starts(docs)
    number = codes  # of the n-gram that begins at each place; anything where none does
    n_numbers = 0
    for size in range(1, longest + 1):
        if size > 1:
            places = places[~begins_document[places]] - np.int32(1)
        places, ends = sort_by_key(codes[places], n_codes, places)
        rest = number[places + 1] if size > 1 else places[:0]
        is_new = run_starts(rest) if size > 1 else np.zeros(len(places), bool)
        is_new[ends[:-1][ends[:-1] < ends[1:]]] = True
        starts = np.flatnonzero(is_new)
        yield SortedNgrams(places, is_new, codes[places[starts]], rest[starts] if size > 1 else rest)
        if size < longest:
            of_size = np.empty(len(codes), np.int32)
            of_size[places] = np.cumsum(is_new, dtype=np.int32) + np.int32(n_numbers - 1)
            number, n_numbers = of_size, n_numbers + len(starts)


@dataclass(frozen=True)
class NgramTable:
    """Distinct terms by code: first the tokens, then the n-grams of two tokens, then those of three, and so on.

    Attributes
    ----------
    tokens : StringArray, shape (n_tokens,)
    pairs : tuple of (int32 array, int32 array)
        For every size from two on, of each n-gram the code of its first token and that of the rest.

    Examples
    --------
    Five terms of two documents, "win a prize" and "win a"::

        code  first  rest  term
        0                  a
        1                  prize
        2                  win
        3     0      1     a prize
        4     2      0     win a

    >>> table = NgramTable(pa.array(["a", "prize", "win"]), ((np.array([0, 2]), np.array([1, 0])),))
    >>> table.strings(np.array([2, 3, 4])).to_pylist()
    ['win', 'a prize', 'win a']
    """

    tokens: pa.StringArray
    pairs: tuple[tuple[np.ndarray, np.ndarray], ...] = ()

    def __len__(self) -> int:
        return len(self.tokens) + sum(len(first) for first, _ in self.pairs)

    @cached_property
    def _flat(self) -> tuple[np.ndarray, np.ndarray]:
        """First and rest by code, of all n-grams of two and more tokens."""
        nothing = np.zeros(0, np.int32)
        first, rest = zip((nothing, nothing), *self.pairs, strict=True)
        return np.concatenate(first), np.concatenate(rest)

    @cached_property
    def hashes(self) -> np.ndarray:
        """Return a hash of each term, uint64, by its code: of equal terms of two tables the same."""
        found = hash_strings(self.tokens)
        for first, rest in self.pairs:
            found = np.concatenate([found, mix(found[first] * GOLDEN + found[rest])])
        return found

    def columns(self, codes: np.ndarray) -> list[np.ndarray]:
        """Return the tokens of terms: one array for each place in the longest term, -1 in front of shorter ones."""
        n_tokens = len(self.tokens)
        first, rest = self._flat
        columns = []
        left = codes
        for _ in range(len(self.pairs)):  # take one token off the front of each n-gram
            is_ngram = left >= n_tokens
            place = np.where(is_ngram, left - n_tokens, 0)
            columns.append(np.where(is_ngram, first[place], -1) if len(first) else np.full(len(left), -1, np.int32))
            left = np.where(is_ngram, rest[place], left) if len(first) else left
        return [*columns, left]

    def strings(self, codes: np.ndarray) -> pa.StringArray:
        """Return the terms that codes stand for, the tokens of each joined by a blank."""
        return join_tokens(self.tokens, self.columns(codes))


def join_tokens(tokens: pa.StringArray, columns: Sequence[np.ndarray]) -> pa.StringArray:
    """Return terms as strings, given the codes of their tokens as ``NgramTable.columns`` gives them.

    >>> join_tokens(pa.array(["a", "win"]), [np.array([-1, 1]), np.array([0, 0])]).to_pylist()
    ['a', 'win a']
    """
    taken = [tokens.take(pa.array(codes, mask=codes < 0)) for codes in columns]
    return taken[0] if len(taken) == 1 else pc.binary_join_element_wise(*taken, JOINER, null_handling="skip")


def join_tables(tables: Sequence[NgramTable]) -> tuple[list[np.ndarray], NgramTable]:
    """Return each table's codes in one table of all their terms, and that table.

    Examples
    --------
    >>> codes, joined = join_tables([NgramTable(pa.array(["a", "b"])), NgramTable(pa.array(["b", "c"]))])
    >>> [part.tolist() for part in codes], joined.tokens.to_pylist()
    ([[0, 1], [1, 2]], ['a', 'b', 'c'])
    """
    of_tokens, tokens = encode([PackedTerms.of(table.tokens) for table in tables])
    recoded = np.split(of_tokens, np.cumsum([len(table.tokens) for table in tables])[:-1])
    pairs = []
    n_terms = len(tokens)
    for size in range(max(len(table.pairs) for table in tables)):
        own = [table.pairs[size] if size < len(table.pairs) else _NO_PAIRS for table in tables]
        keys = [pair_keys(codes[first], codes[rest]) for codes, (first, rest) in zip(recoded, own, strict=True)]
        found, distinct = numbered(np.concatenate(keys))
        pairs.append(split_keys(distinct))
        parts = np.split(found + np.int32(n_terms), np.cumsum([len(part) for part in keys])[:-1])
        recoded = [np.concatenate(both) for both in zip(recoded, parts, strict=True)]
        n_terms += len(distinct)
    return recoded, NgramTable(tokens, tuple(pairs))


_NO_PAIRS = np.zeros(0, np.int32), np.zeros(0, np.int32)


def pair_keys(first: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Return pairs of 32-bit integers as one each.

    >>> [hex(key) for key in pair_keys(np.array([1, 2]), np.array([3, 4])).tolist()]
    ['0x100000003', '0x200000004']
    """
    return (first.astype(np.uint64) << np.uint64(32)) | rest.astype(np.uint64)


def split_keys(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs that keys stand for."""
    return (keys >> np.uint64(32)).astype(np.int32), keys.astype(np.uint32).view(np.int32)


def distinct_ngrams(parts: Sequence[PackedTerms], lengths: np.ndarray, sizes: tuple[int, int]) -> pa.StringArray:
    """Return each n-gram of some documents once.

    >>> distinct_ngrams([PackedTerms.of(pa.array(["win", "a", "win", "a"]))], np.array([4]), (1, 2)).to_pylist()
    ['win', 'a', 'win a', 'a win']
    """
    codes, tokens = encode(parts)
    if sizes == TOKENS:
        return tokens
    docs = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    ends, pairs = [0], []
    for size, ngrams in enumerate(sort_ngrams(codes, docs, len(tokens), sizes[1]), 1):
        ends.append(ends[-1] + len(ngrams.first))
        if size > 1:
            pairs.append((ngrams.first, ngrams.rest))
    return NgramTable(tokens, tuple(pairs)).strings(np.arange(ends[sizes[0] - 1], ends[-1]))


def numbered(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of each key, and the distinct keys by number."""
    numbers, distinct = dictionary_of([pa.array(keys)], pa.uint64())
    return numbers, distinct.to_numpy()
