"""Runs of neighbouring units, tokens or characters, cut as slices of one buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nbspark.text.terms import Terms, buffers_of, offsets_of, string_array

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK_BYTES = 1 << 18  # bytes gathered at a time: the indices of a block stay in the processor's cache


def word_ngrams(terms: Terms, sizes: tuple[int, int]) -> Terms:
    """Return all runs of ``sizes[0]`` to ``sizes[1]`` neighbouring tokens of a document, joined by one blank.

    The order is scikit-learn's: all of the shortest first, each size from left to right.

    Examples
    --------
    >>> word_ngrams(Terms.from_lists([["win", "a", "prize"], ["lunch"]]), (1, 2)).to_pylist()
    [['win', 'a', 'prize', 'win a', 'a prize'], ['lunch']]
    """
    if sizes == (1, 1):
        return terms
    data, offsets = buffers_of(terms.values)
    joined = np.insert(data, offsets[1:], ord(" "))
    edges = offsets + np.arange(len(offsets))  # where each token begins in the joined buffer
    starts, stops, documents = windows(terms.offsets, sizes)
    return Terms(documents, slices(joined, edges[starts], edges[stops] - 1))


def windows(offsets: np.ndarray, sizes: tuple[int, int], *, whole: bool = False) -> tuple[np.ndarray, ...]:
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
    starts, stops : int64 array, shape (n_runs,)
        In units; by group, then size, then place.
    offsets : int64 array, shape (n_groups + 1,)
        Group g has the runs ``offsets[g]`` to ``offsets[g + 1]``.

    Examples
    --------
    >>> [part.tolist() for part in windows(np.array([0, 3]), (2, 3))]
    [[0, 1, 0], [2, 3, 3], [0, 3]]
    """
    lengths = np.arange(sizes[0], sizes[1] + 1)
    units = np.diff(offsets)
    counts = np.maximum(units[:, None] - lengths + 1, 0)  # (group, size)
    if whole:
        counts[:, 0] = np.maximum(counts[:, 0], units > 0)
    edges = offsets_of(counts.ravel())
    first = np.repeat(offsets[:-1], len(lengths)) - edges[:-1]
    starts = np.repeat(first, counts.ravel())
    starts += np.arange(len(starts))
    stops = starts + np.repeat(np.tile(lengths, len(units)), counts.ravel())
    if whole:
        stops = np.minimum(stops, np.repeat(offsets[1:], counts.sum(axis=1)))
    return starts, stops, edges[:: len(lengths)]


def slices(data: np.ndarray, starts: np.ndarray, stops: np.ndarray) -> pa.StringArray:
    """Return the strings ``data[starts[i]:stops[i]]``, which may overlap; none is empty.

    Examples
    --------
    >>> slices(np.frombuffer(b"win a", np.uint8), np.array([0, 1]), np.array([3, 5])).to_pylist()
    ['win', 'in a']
    """
    offsets = offsets_of(stops - starts)
    out = np.empty(offsets[-1], np.uint8)
    cuts = np.searchsorted(offsets, np.arange(0, offsets[-1], BLOCK_BYTES))
    for low, high in zip(cuts, [*cuts[1:], len(starts)], strict=True):
        if low == high:
            continue
        # The index of each byte is the last one plus one, save where a slice begins: it jumps there.
        steps = np.ones(offsets[high] - offsets[low], np.int64)
        steps[0] = starts[low]
        steps[offsets[low + 1 : high] - offsets[low]] = starts[low + 1 : high] - stops[low : high - 1] + 1
        out[offsets[low] : offsets[high]] = data[np.cumsum(steps, out=steps)]
    return string_array(out, offsets)
