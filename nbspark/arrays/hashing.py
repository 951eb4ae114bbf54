"""Hashes of columns as 64-bit integers, the same on every machine: to compare contents, not to keep secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.strings import buffers_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_BASE = np.uint64(0x100000001B3)  # odd, so that it has an inverse: no byte is lost
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_NULL = np.uint64(0x5851F42D4C957F2D)


def mix(values: np.ndarray) -> np.ndarray:
    """Return integers in which each bit depends on all bits of the given ones.

    The finalizer of SplitMix64 (Steele, Lea and Flood, 2014).

    >>> [hex(one) for one in mix(np.array([0, 1], np.uint64)).tolist()]
    ['0x0', '0x5692161d100b05e5']
    """
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def hash_strings(texts: pa.StringArray) -> np.ndarray:
    """Return a hash of each text, of null too: a polynomial of its bytes, mixed.

    >>> found = hash_strings(pa.array(["win", "cash", "win", "", None]))
    >>> found[0] == found[2], len(set(found.tolist()))
    (np.True_, 4)
    """
    data, offsets = buffers_of(pc.fill_null(texts, ""))
    lengths = np.diff(offsets)
    powers = np.full(int(lengths.max(initial=0)) + 1, _BASE)
    powers[0] = 1
    place = np.arange(len(data)) - np.repeat(offsets[:-1], lengths)
    terms = (data.astype(np.uint64) + np.uint64(1)) * np.multiply.accumulate(powers)[place]
    upto = np.zeros(len(data) + 1, np.uint64)
    np.cumsum(terms, out=upto[1:])
    hashes = mix(upto[offsets[1:]] - upto[offsets[:-1]] + (lengths.astype(np.uint64) + np.uint64(1)) * GOLDEN)
    hashes[np.asarray(texts.is_null())] = _NULL
    return hashes


def hash_numbers(values: pa.DoubleArray) -> np.ndarray:
    """Return the bits of each number, not mixed; 0, -0 and null are one number.

    >>> found = hash_numbers(pa.array([0.0, -0.0, 1.5, None]))
    >>> found[0] == found[1] == found[3], len(set(found.tolist()))
    (np.True_, 2)
    """
    return (pc.fill_null(values, 0.0).to_numpy() + 0.0).view(np.uint64)


def hash_rows(columns: Mapping[int, np.ndarray]) -> np.ndarray:
    """Return a hash of each row, given the hashes of some columns by their places; another one is as if all 0.

    >>> one, two, nothing = (np.array([n], np.uint64) for n in (1, 2, 0))
    >>> hash_rows({0: one, 1: two}).tolist() == hash_rows({0: two, 1: one}).tolist()
    False
    >>> hash_rows({0: one, 1: two}).tolist() == hash_rows({0: one, 1: two, 2: nothing}).tolist()
    True
    """
    found = np.zeros(len(next(iter(columns.values()))), np.uint64)
    for place, column in columns.items():
        found += column * np.uint64(pow(GOLDEN.item(), place + 1, 2**64))
    return mix(found)
