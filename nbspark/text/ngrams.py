"""Runs of neighbouring units, tokens or characters, cut as slices of one buffer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from nbspark.arrays.ngrams import TOKENS
from nbspark.arrays.strings import buffers_of, offsets_of, string_array
from nbspark.text.token_lists import TokenLists

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK_RUNS = 1 << 15  # runs cut at a time: bounds memory, and the indices of a block stay in the processor's cache

Spans = Iterable[tuple[np.ndarray, np.ndarray]]  # blocks of (starts, stops)


def word_ngrams(terms: TokenLists, sizes: tuple[int, int]) -> TokenLists:
    """Return all runs of ``sizes[0]`` to ``sizes[1]`` neighbouring tokens of a document, joined by one blank.

    The order is scikit-learn's: all of the shortest first, each size from left to right.

    Examples
    --------
    >>> word_ngrams(TokenLists.from_lists([["win", "a", "prize"], ["lunch"]]), (1, 2)).to_pylist()
    [['win', 'a', 'prize', 'win a', 'a prize'], ['lunch']]
    """
    if sizes == TOKENS:
        return terms
    data, offsets = buffers_of(terms.values)
    joined = np.insert(data, offsets[1:], ord(" "))
    edges = offsets + np.arange(len(offsets))  # where each token begins in the joined buffer
    documents, runs = windows(terms.offsets, sizes)
    return TokenLists(documents, slices(joined, ((edges[starts], edges[stops] - 1) for starts, stops in runs)))


def windows(offsets: np.ndarray, sizes: tuple[int, int], *, whole: bool = False) -> tuple[np.ndarray, Spans]:
    """Return the runs of ``sizes[0]`` to ``sizes[1]`` neighbouring units inside each group.

    Parameters
    ----------
    offsets : int64 array, shape (n_groups + 1,)
        Group g holds the units ``offsets[g]`` to ``offsets[g + 1]``.
    sizes : (int, int)
        Shortest and longest run, in units.
    whole : bool
        A group shorter than the shortest run is one run by itself, once.

    Returns
    -------
    offsets : int64 array, shape (n_groups + 1,)
        Group g has the runs ``offsets[g]`` to ``offsets[g + 1]``.
    spans : iterator of (starts, stops)
        The runs in units, by group, then size, then place; ``BLOCK_RUNS`` at a time.

    Examples
    --------
    >>> groups, spans = windows(np.array([0, 3]), (2, 3))
    >>> groups, list(spans)
    (array([0, 3]), [(array([0, 1, 0]), array([2, 3, 3]))])
    """
    lengths = np.arange(sizes[0], sizes[1] + 1)
    units = np.diff(offsets)
    counts = np.maximum(units[:, None] - lengths + 1, 0)  # shape (n_groups, n_sizes)
    if whole:
        counts[:, 0] = np.maximum(counts[:, 0], units > 0)
    edges = offsets_of(counts.ravel())
    # By (group, size): where its first run starts, less that run's number; its runs' length; where the group ends.
    shift = np.repeat(offsets[:-1], len(lengths)) - edges[:-1]
    length = np.tile(lengths, len(units))
    end = np.repeat(offsets[1:], len(lengths))

    def blocks() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for low in range(0, edges[-1], BLOCK_RUNS):
            high = min(low + BLOCK_RUNS, edges[-1])
            part = slice(np.searchsorted(edges, low, "right") - 1, np.searchsorted(edges, high, "left"))
            repeats = np.minimum(edges[1:][part], high) - np.maximum(edges[:-1][part], low)
            starts = np.arange(low, high) + np.repeat(shift[part], repeats)
            stops = starts + np.repeat(length[part], repeats)
            yield starts, np.minimum(stops, np.repeat(end[part], repeats)) if whole else stops

    return edges[:: len(lengths)], blocks()


def slices(data: np.ndarray, spans: Spans) -> pa.StringArray:
    """Return the strings ``data[start:stop]`` of all spans, which may overlap; none is empty.

    Examples
    --------
    >>> slices(np.frombuffer(b"win a", np.uint8), [(np.array([0, 1]), np.array([3, 5]))]).to_pylist()
    ['win', 'in a']
    """
    parts, lengths = [np.zeros(0, np.uint8)], [np.zeros(0, np.int32)]
    for starts, stops in spans:
        length = stops - starts
        # The index of each byte is the one before it plus one, save where a slice begins: there it jumps.
        steps = np.ones(length.sum(), np.int64)
        steps[0] = starts[0]
        steps[np.cumsum(length[:-1])] = starts[1:] - stops[:-1] + 1
        parts.append(data[np.cumsum(steps, out=steps)])
        lengths.append(length.astype(np.int32))
    return string_array(np.concatenate(parts), offsets_of(np.concatenate(lengths)))
