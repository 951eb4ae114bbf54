"""Strings in order: sorted eight bytes at a time, as integers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.runs import counting_sort, run_starts
from nbspark.arrays.strings import INT32_BYTES, buffers_of

WIDTH = 8  # bytes in an integer
ROUNDS = 8  # of integers that are looked at; what is then still equal is compared as strings
_MASKS = np.array([2**64 - 2 ** (64 - 8 * n) for n in range(WIDTH + 1)], np.uint64)  # what is a string's, by its length


def sort_strings(texts: pa.StringArray) -> np.ndarray:
    """Return the order that sorts strings by their bytes, which is that of their code points.

    Parameters
    ----------
    texts : StringArray or LargeStringArray
        Without nulls.

    Notes
    -----
    Comparing two strings is a jump to each. Their first eight bytes, the first one highest, are integers in the same
    order, and those are sorted side by side. Only strings that are equal so far are looked at again, for the next
    eight. For two million pairs of words 0.8 s in place of 1.1 to 1.7 for comparing.

    Examples
    --------
    >>> sort_strings(pa.array(["win a prize", "win a", "cash", "win a car"])).tolist()
    [2, 1, 3, 0]
    """
    data, offsets = buffers_of(texts)
    if not data.all():  # zeros stand for the bytes after the end of a string
        return pc.array_sort_indices(texts).to_numpy().astype(np.int64)
    padded = np.zeros(len(data) + WIDTH, np.uint8)
    padded[: len(data)] = data
    # The 8 bytes from every place on: an unaligned view, so that one indexing operation reads those of all strings.
    windows: np.ndarray = np.ndarray((len(data) + 1,), np.dtype(">u8"), padded.data, strides=(1,))

    def keys(strings: np.ndarray, done: int) -> np.ndarray:
        begins = offsets[strings] + done
        n_bytes = np.clip(offsets[strings + 1] - begins, 0, WIDTH)
        return windows[np.minimum(begins, len(data))].astype(np.uint64) & _MASKS[n_bytes]

    first = keys(np.arange(len(texts)), 0)
    order = np.argsort(first)
    is_new = run_starts(first[order])
    places = np.arange(len(texts))
    for done in range(WIDTH, WIDTH * ROUNDS + 1, WIDTH):
        places = _unsettled(places, is_new, np.diff(offsets)[order[places]] > done)
        if not len(places):
            return order
        strings, group = order[places], np.cumsum(is_new[places], dtype=np.int32)
        if done < WIDTH * ROUNDS:
            following = keys(strings, done)
        else:
            following = np.empty(len(strings), np.uint64)
            following[pc.array_sort_indices(texts.take(pa.array(strings))).to_numpy()] = np.arange(len(strings))
        own = np.argsort(following)
        own = own[counting_sort(group[own], int(group[-1]) + 1)]
        order[places] = strings[own]
        is_new[places] |= run_starts(following[own])
    return order


def _unsettled(places: np.ndarray, is_new: np.ndarray, goes_on: np.ndarray) -> np.ndarray:
    """Return which places are of strings that equal a neighbour so far, where one of these goes on.

    Parameters
    ----------
    places : int array
        Ascending; all of a run of equal strings or none of it.
    is_new : bool array
        By place: whether a string differs from the one before.
    goes_on : bool array, shape of ``places``
        Whether a string has more bytes.
    """
    if not len(places):
        return places
    starts = np.flatnonzero(is_new[places])
    sizes = np.diff(starts, append=len(places))
    return places[np.repeat((sizes > 1) & np.logical_or.reduceat(goes_on, starts), sizes)]


def ranked(texts: pa.ChunkedArray) -> tuple[np.ndarray, pa.StringArray]:
    """Return the rank of each string among the distinct ones, -1 for null, and these in order.

    Where equal ones are neighbours, as in the files of counts, few are sorted.

    Examples
    --------
    >>> ranks, terms = ranked(pa.chunked_array([["win", "win", None], ["cash"]]))
    >>> ranks.tolist(), terms.to_pylist()
    ([1, 1, -1, 0], ['cash', 'win'])
    """
    firsts = [_differs(chunk) for chunk in texts.chunks]
    heads = [chunk.filter(pa.array(first)) for chunk, first in zip(texts.chunks, firsts, strict=True)]
    if sum(head.nbytes for head in heads) > INT32_BYTES:
        heads = [head.cast(pa.large_string()) for head in heads]
    joined = pa.concat_arrays(heads) if heads else pa.array([], pa.string())
    is_text = np.asarray(joined.is_valid())
    strings = joined.drop_null()
    order = sort_strings(strings)
    ordered = strings.take(pa.array(order))
    is_new = _differs(ordered)
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.cumsum(is_new, dtype=np.int32) - np.int32(1)
    of_head = np.full(len(joined), -1, np.int32)
    of_head[is_text] = ranks
    run = np.cumsum(np.concatenate([np.zeros(0, bool), *firsts]), dtype=np.int32)
    return of_head[run - 1], ordered.filter(pa.array(is_new))


def _differs(texts: pa.StringArray) -> np.ndarray:
    """Return whether each string differs from the one before; the first one does, and null from everything."""
    found = np.ones(len(texts), bool)
    if len(texts) > 1:
        found[1:] = pc.fill_null(pc.not_equal(texts[1:], texts[:-1]), True).to_numpy(zero_copy_only=False)
    return found
