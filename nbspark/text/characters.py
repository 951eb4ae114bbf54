r"""Windows of characters, across the text or within words, as scikit-learn's ``char`` and ``char_wb`` cut them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.text.ngrams import BLOCK_RUNS, slices, windows
from nbspark.text.scanner import find_runs, is_not_space
from nbspark.text.terms import Terms, buffers_of, count_terms

LONG = 1 << 22  # windows of one text above which they are counted a part at a time: bounds memory
_T = TypeVar("_T")


def char_ngrams(texts: pa.StringArray, sizes: tuple[int, int]) -> Terms:
    """Return all windows of ``sizes[0]`` to ``sizes[1]`` characters of each text.

    Two and more neighbouring blanks count as one blank.

    Examples
    --------
    >>> char_ngrams(pa.array(["a  été"]), (3, 3)).to_pylist()
    [['a é', ' ét', 'été']]
    """
    return _cut(pc.replace_substring_regex(texts, _blanks(), " "), sizes)


def char_wb_ngrams(texts: pa.StringArray, sizes: tuple[int, int]) -> Terms:
    """Return all windows of characters of each word, padded with one blank on each side.

    A padded word that is shorter than the window is a term by itself, once.

    Examples
    --------
    >>> char_wb_ngrams(pa.array(["of été"]), (4, 5)).to_pylist()
    [[' of ', ' été', 'été ', ' été ']]
    """
    words = find_runs(texts, is_not_space)
    # An element-wise join puts the separator between its arguments: " " + word + " ".
    padded = pc.binary_join_element_wise("", words.values, "", " ")
    if len(texts) == 1 and len(padded) > LONG // sizes[1]:
        starts = range(0, len(padded), LONG // sizes[1])
        return _of_one_text(_cut(padded.slice(start, LONG // sizes[1]), sizes, whole=True).values for start in starts)
    terms = _cut(padded, sizes, whole=True)
    return Terms(terms.offsets[words.offsets], terms.values)


def _cut(texts: pa.StringArray, sizes: tuple[int, int], *, whole: bool = False) -> Terms:
    """Return the windows of characters of each text."""
    data, offsets = buffers_of(texts)
    edges = np.append(np.flatnonzero((data & 0xC0) != 0x80), len(data))  # where each character begins
    ends, runs = windows(np.searchsorted(edges, offsets), sizes, whole=whole)
    spans = ((edges[starts], edges[stops]) for starts, stops in runs)
    if len(texts) == 1 and ends[-1] > LONG:
        return _of_one_text(slices(data, some) for some in batched(spans, max(1, LONG // BLOCK_RUNS)))
    return Terms(ends, slices(data, spans))


def _of_one_text(parts: Iterable[pa.StringArray]) -> Terms:
    """Return the terms of one text, each once with its count: of a book's characters few are distinct."""
    terms, n = count_terms(parts)
    return Terms(np.array([0, len(terms)]), terms, n)


def batched(spans: Iterator[_T], n: int) -> Iterator[list[_T]]:
    """Yield lists of n neighbours; the last may be shorter.

    >>> list(batched(iter("abc"), 2))
    [['a', 'b'], ['c']]
    """
    while some := list(islice(spans, n)):
        yield some


@lru_cache
def _blanks() -> str:
    r"""Return RE2's form of Python's ``\s\s+``: its own ``\s`` is ASCII only."""
    members = "".join(rf"\x{{{code:x}}}" for code in range(0x10000) if chr(code).isspace())
    return f"[{members}]{{2,}}"
