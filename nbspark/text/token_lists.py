"""The terms of a batch of documents, flat: one array of terms and where each document's begin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.ngrams import TOKENS
from nbspark.arrays.strings import INT32_BYTES, buffers_of, offsets_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, eq=False)
class TokenLists:
    """The terms of documents: document i has ``values[offsets[i]:offsets[i + 1]]``.

    Attributes
    ----------
    offsets : int64 array, shape (n_docs + 1,)
    values : StringArray, shape (n_terms,)
        No nulls, no empty string. A LargeStringArray where the terms of one call take 2 GiB or more.
    n : float64 array, shape (n_terms,), optional
        How often each occurs there, where a very long text gives each of its terms once; once unless given.
    ngrams : (int, int)
        Tokens of the shortest and of the longest run of neighbours that is a term. No string of them is made here.

    Examples
    --------
    >>> import pyarrow as pa
    >>> TokenLists(np.array([0, 2, 2]), pa.array(["win", "cash"])).to_pylist()
    [['win', 'cash'], []]
    """

    offsets: np.ndarray
    values: pa.StringArray
    n: np.ndarray | None = None
    ngrams: tuple[int, int] = TOKENS

    @classmethod
    def from_lists(cls, documents: Iterable[Sequence[str]]) -> TokenLists:
        """Return the terms of one list a document."""
        lists = list(documents)
        offsets = offsets_of(np.fromiter(map(len, lists), np.int64, len(lists)))
        return cls(offsets, pa.array([term for terms in lists for term in terms], pa.string()))

    @classmethod
    def concat(cls, parts: Sequence[TokenLists]) -> TokenLists:
        """Return the documents of all parts, in order."""
        if len(parts) == 1:
            return parts[0]
        if not parts:
            return cls.from_lists([])
        offsets = offsets_of(np.concatenate([np.diff(part.offsets) for part in parts]))
        values = [part.values for part in parts]
        n = None
        if any(part.n is not None for part in parts):
            n = np.concatenate([np.ones(len(part.values)) if part.n is None else part.n for part in parts])
        large = sum(len(buffers_of(value)[0]) for value in values) > INT32_BYTES
        joined = pa.concat_arrays([value.cast(pa.large_string()) for value in values] if large else values)
        return cls(offsets, joined, n)

    def filter(self, keep: np.ndarray | pa.BooleanArray) -> TokenLists:
        """Return the terms for which ``keep`` is true; every document stays, perhaps empty."""
        kept = np.asarray(keep)
        if kept.all():
            return self
        return TokenLists(offsets_of(kept)[self.offsets], self.values.filter(pa.array(kept)))

    def filter_length(self, shortest: int, longest: int | None) -> TokenLists:
        """Return the terms of ``shortest`` to ``longest`` code points."""
        return self if shortest <= 1 and longest is None else self.filter(self.has_length(shortest, longest))

    def has_length(self, shortest: int, longest: int | None) -> np.ndarray:
        """Return whether each term has ``shortest`` to ``longest`` code points."""
        lengths = np.asarray(pc.utf8_length(self.values))
        keep = lengths >= shortest
        return keep if longest is None else keep & (lengths <= longest)

    def to_pylist(self) -> list[list[str]]:
        """Return one list of strings a document, each term as often as it occurs."""
        if self.n is not None:
            places = np.repeat(np.arange(len(self.values)), self.n.astype(np.int64))
            ends = np.searchsorted(places, self.offsets)
            return TokenLists(ends, self.values.take(pa.array(places))).to_pylist()
        flat = self.values.to_pylist()
        return [flat[start:stop] for start, stop in zip(self.offsets[:-1], self.offsets[1:], strict=True)]


def count_terms(parts: Iterable[pa.StringArray]) -> tuple[pa.StringArray, np.ndarray]:
    """Return the distinct terms of all parts, and how often each occurs; one part is in memory at a time.

    >>> terms, n = count_terms(iter([pa.array(["a", "b", "a"]), pa.array(["a"])]))
    >>> terms.to_pylist(), n.tolist()
    (['a', 'b'], [3.0, 1.0])
    """
    counted = [pa.table({"term": [], "n": []}, schema=pa.schema([("term", pa.string()), ("n", pa.int64())]))]
    for part in parts:
        found = pc.value_counts(part)
        counted.append(pa.table({"term": found.field("values").cast(pa.string()), "n": found.field("counts")}))
    sums = pa.concat_tables(counted).group_by("term", use_threads=False).aggregate([("n", "sum")])
    return sums["term"].combine_chunks(), sums["n_sum"].to_numpy().astype(np.float64)
