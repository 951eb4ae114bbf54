"""Runs of one class of characters, found in the bytes of a whole batch at once.

A table over the 256 byte values settles ASCII. The bytes of other characters get a second look: their code
points have classes too. A token is a maximal run of bytes of the class inside one document.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np
import pyarrow as pa

from nbspark.arrays.strings import buffers_of, offsets_of, string_array
from nbspark.text.token_lists import TokenLists

CharClass = Callable[[str], bool]

UNKNOWN = 2  # a code point that has not been asked for yet
_CODE_POINT_CLASSES: defaultdict[CharClass, np.ndarray] = defaultdict(partial(np.full, 0x110000, UNKNOWN, np.uint8))


def is_word(character: str) -> bool:
    """Tell letters, marks, numbers (Unicode's L, M, N) and the underscore.

    Marks belong to words: without them the vowel signs of Indic scripts would cut every word.
    """
    return unicodedata.category(character)[0] in "LMN" or character == "_"


def is_regex_word(character: str) -> bool:
    r"""Tell what ``\w`` matches in Python's ``re``: no marks."""
    return character.isalnum() or character == "_"


def is_not_space(character: str) -> bool:
    r"""Tell what ``str.split`` keeps, which is what ``\S`` matches."""
    return not character.isspace()


def find_runs(texts: pa.StringArray, is_member: CharClass) -> TokenLists:
    """Return the maximal runs of characters of a class, document by document.

    Parameters
    ----------
    texts : StringArray
        Valid UTF-8, no nulls.
    is_member : callable
        One of this module's ``is_...``, asked once for each code point and process.

    Examples
    --------
    >>> find_runs(pa.array(["win 2 cash!", "été_1"]), is_word).to_pylist()
    [['win', '2', 'cash'], ['été_1']]
    """
    data, offsets = buffers_of(texts)
    mask = class_mask(data, is_member)
    filled = offsets[1:] > offsets[:-1]
    starts = mask.copy()
    np.greater(mask[1:], mask[:-1], out=starts[1:])
    first = offsets[:-1][filled]
    starts[first] = mask[first]  # texts lie side by side: a run begins anew where a text does
    stops = mask.copy()
    np.greater(mask[:-1], mask[1:], out=stops[:-1])
    last = offsets[1:][filled] - 1
    stops[last] = mask[last]
    begins = np.flatnonzero(starts)
    lengths = np.flatnonzero(stops) - begins + 1
    return TokenLists(np.searchsorted(begins, offsets), string_array(np.compress(mask, data), offsets_of(lengths)))


def class_mask(data: np.ndarray, is_member: CharClass) -> np.ndarray:
    """Return for each byte of valid UTF-8 whether its character is of the class.

    Parameters
    ----------
    data : uint8 array

    Returns
    -------
    bool array, shape of ``data``
    """
    mask = np.frombuffer(bytearray(data).translate(_ascii_table(is_member)), bool)
    high = data >= 0x80
    if high.any():
        codes = np.frombuffer(data[high].tobytes().decode("utf-8").encode("utf-32-le"), np.uint32)
        widths = 2 + (codes > 0x7FF) + (codes > 0xFFFF)  # bytes of a code point in UTF-8
        mask[high] = np.repeat(_classes(codes, is_member), widths)
    return mask


def _classes(codes: np.ndarray, is_member: CharClass) -> np.ndarray:
    """Return the class of each code point, asking for each distinct one once in a process."""
    known = _CODE_POINT_CLASSES[is_member]
    classes: np.ndarray = known[codes]
    unknown = classes == UNKNOWN
    if unknown.any():
        new = np.unique(codes[unknown])
        known[new] = [is_member(chr(code)) for code in new.tolist()]
        classes = known[codes]
    return classes.view(bool)


@lru_cache
def _ascii_table(is_member: CharClass) -> bytes:
    """Return the class of each byte value: 0 or 1, and 0 for what is not ASCII."""
    return bytes(code < 0x80 and is_member(chr(code)) for code in range(256))
