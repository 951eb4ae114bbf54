"""Terms as integers: the way from strings to codes, for counting and for looking terms up.

A term of up to 8 bytes is packed into one 64-bit integer; hashing those takes half the time of hashing strings.
Most words of most languages are that short, and so are n-grams of characters. The others are hashed as strings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.strings import buffers_of, offsets_of, string_array

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH = 8  # bytes in a key
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MASKS = np.array([(1 << 8 * n) - 1 for n in range(WIDTH + 1)], np.uint64)  # by length, what of 8 bytes is the term's


@dataclass(frozen=True)
class PackedTerms:
    """Terms in order, short ones as integers.

    Attributes
    ----------
    keys : uint64 array, shape (n_terms,)
        The bytes of a short term, first byte lowest, zeros after them; of a long one anything.
    is_long : bool array, shape (n_terms,), or None
        Which terms have more than 8 bytes, or hold a NUL; None where none does.
    long : StringArray
        The long terms, in order.
    """

    keys: np.ndarray
    is_long: np.ndarray | None
    long: pa.StringArray

    def __len__(self) -> int:
        return len(self.keys)

    @classmethod
    def of(cls, terms: pa.StringArray) -> PackedTerms:
        """Return terms, packed.

        Examples
        --------
        >>> packed = PackedTerms.of(pa.array(["win", "cash", "congratulations"]))
        >>> [hex(key) for key in packed.keys[:2].tolist()], packed.long.to_pylist()
        (['0x6e6977', '0x68736163'], ['congratulations'])
        """
        data, offsets = buffers_of(terms)
        padded = np.zeros(len(data) + WIDTH, np.uint8)
        padded[: len(data)] = data
        # The 8 bytes from every place on: an unaligned view, so that one indexing operation reads all terms.
        windows: np.ndarray = np.ndarray((len(data) + 1,), np.dtype("<u8"), padded.data, strides=(1,))
        lengths = np.diff(offsets)
        keys = windows[offsets[:-1]] & _MASKS[np.minimum(lengths, WIDTH)]
        is_long = lengths > WIDTH
        if not data.all():  # a NUL at its end would be lost
            is_long |= np.asarray(pc.match_substring(terms, "\0"))
        if not is_long.any():
            return cls(keys, None, pa.array([], pa.string()))
        return cls(keys, is_long, terms.filter(pa.array(is_long)).cast(pa.string()))


def encode(parts: Sequence[PackedTerms]) -> tuple[np.ndarray, pa.StringArray]:
    """Return each term's code, part after part, and the distinct terms that the codes point to.

    Returns
    -------
    codes : int32 array, shape (n_terms of all parts,)
    terms : StringArray, shape (n_distinct,)
        Short ones first, each kind in order of appearance.

    Examples
    --------
    >>> codes, terms = encode([PackedTerms.of(pa.array(["win", "congratulations", "win"]))])
    >>> codes.tolist(), terms.to_pylist()
    ([0, 1, 0], ['win', 'congratulations'])
    """
    short = [part.keys if part.is_long is None else part.keys[~part.is_long] for part in parts]
    codes, keys = dictionary_of([pa.array(one) for one in short], pa.uint64())
    terms = _texts(keys.to_numpy())
    if all(part.is_long is None for part in parts):
        return codes, terms
    of_long, long = dictionary_of([part.long for part in parts], pa.string())
    is_long = np.concatenate([_is_long(part) for part in parts])
    merged = np.empty(len(is_long), np.int32)
    merged[~is_long] = codes
    merged[is_long] = of_long + np.int32(len(terms))
    return merged, pa.concat_arrays([terms, long])


class KeyIndex:
    """The positions of integers in an array of distinct ones: a hash table, read for many keys at once.

    Arrow's ``index_in`` builds its table anew in every call; this one is built once.

    Parameters
    ----------
    keys : uint64 array, shape (n_keys,)
        Distinct.

    Notes
    -----
    Linear probing: a key whose slot is taken goes to the next free one, and is looked for in the same order. The slot
    is Knuth's multiplicative hash, the high bits of the product with 2**64 / golden ratio (The Art of Computer
    Programming 3, 6.4).

    Examples
    --------
    Three keys and 8 slots. 1 and 9 want slot 4, 6 wants slot 5. 9 gets slot 4; 1 finds 4 and 5 taken and gets 6::

        slot      0  1  2  3  4  5  6  7
        key                   9  6  1
        position  -  -  -  -  2  0  1  -

    >>> index = KeyIndex(np.array([6, 1, 9], np.uint64))
    >>> index.slots.tolist()
    [-1, -1, -1, -1, 2, 0, 1, -1]
    >>> index.find(np.array([1, 9, 17], np.uint64)).tolist()  # 17 wants slot 4, too, and ends at slot 7, which is free
    [1, 2, -1]
    """

    def __init__(self, keys: np.ndarray) -> None:
        n = len(keys)
        bits = max(1, (2 * n).bit_length())  # a quarter to half of the slots are taken
        self._shift = np.uint64(64 - bits)
        self._keys = np.append(keys, np.uint64(0))  # -1 is the position of no key: what is there does not matter
        self.slots = np.full(1 << bits, -1, np.int32)
        left, slots = np.arange(n, dtype=np.int32), self._first_slots(keys)
        while len(left):
            free = self.slots[slots] < 0
            self.slots[slots[free]] = left[free]  # where several want one slot, the last of them gets it
            without = self.slots[slots] != left
            left, slots = left[without], self._next(slots[without])

    def find(self, keys: np.ndarray) -> np.ndarray:
        """Return the position of each key, int32, -1 where it is not there."""
        slots = self._first_slots(keys)
        found = self.slots[slots]
        others = np.flatnonzero(self._keys[found] != keys)
        others = others[found[others] >= 0]
        while len(others):
            slots[others] = self._next(slots[others])
            found[others] = self.slots[slots[others]]
            others = others[(self._keys[found[others]] != keys[others]) & (found[others] >= 0)]
        return found

    def _first_slots(self, keys: np.ndarray) -> np.ndarray:
        """Return the slot that each key wants."""
        return (keys * _GOLDEN) >> self._shift

    def _next(self, slots: np.ndarray) -> np.ndarray:
        """Return the slot after each; the first after the last."""
        return (slots + np.uint64(1)) & np.uint64(len(self.slots) - 1)


class TermIndex:
    """The places of terms in a vocabulary.

    Parameters
    ----------
    terms : StringArray, shape (n_terms,)
        Distinct.

    Examples
    --------
    >>> index = TermIndex(pa.array(["cash", "congratulations", "win"]))
    >>> index.find([PackedTerms.of(pa.array(["win", "what", "congratulations"]))]).tolist()
    [2, -1, 1]
    """

    def __init__(self, terms: pa.StringArray) -> None:
        packed = PackedTerms.of(terms)
        is_long = _is_long(packed)
        # By position among the short terms, or the long ones: the place in the vocabulary; last, that of no term.
        self._place_of_short = np.append(np.flatnonzero(~is_long), -1).astype(np.int32)
        self._place_of_long = np.append(np.flatnonzero(is_long), -1).astype(np.int32)
        self._long = packed.long
        self._short = KeyIndex(packed.keys[~is_long])

    def find(self, parts: Sequence[PackedTerms]) -> np.ndarray:
        """Return the place of each term, part after part, int32, -1 where it is not in the vocabulary."""
        found = [self._short.find(part.keys) for part in parts]
        places = self._place_of_short[np.concatenate([np.zeros(0, np.int32), *found])]
        if any(part.is_long is not None for part in parts):
            is_long = np.concatenate([_is_long(part) for part in parts])
            longs = pa.chunked_array([part.long for part in parts], pa.string())
            places[is_long] = self._place_of_long[_index_in(longs, self._long)]
        return places


def _index_in(values: pa.Array | pa.ChunkedArray, known: pa.Array) -> np.ndarray:
    """Return the position of each value, -1 where there is none."""
    return pc.fill_null(pc.index_in(values, known), -1).to_numpy()


def _is_long(part: PackedTerms) -> np.ndarray:
    """Return which terms are long."""
    return np.zeros(len(part), bool) if part.is_long is None else part.is_long


def dictionary_of(chunks: Sequence[pa.Array], kind: pa.DataType) -> tuple[np.ndarray, pa.Array]:
    """Return the codes of all chunks, and the one dictionary that they share."""
    encoded = pa.chunked_array(chunks, kind).dictionary_encode().chunks
    if not encoded:
        return np.zeros(0, np.int32), pa.array([], kind)
    return np.concatenate([chunk.indices.to_numpy() for chunk in encoded]), encoded[-1].dictionary


def _texts(keys: np.ndarray) -> pa.StringArray:
    """Return the strings that keys stand for."""
    data = keys.astype("<u8").view(np.uint8).reshape(-1, WIDTH)
    used = data != 0
    return string_array(data[used], offsets_of(used.sum(axis=1)))
