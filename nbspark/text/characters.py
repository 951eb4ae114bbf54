r"""Windows of characters, across the text or within words, as scikit-learn's ``char`` and ``char_wb`` cut them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.strings import buffers_of
from nbspark.text.ngrams import Spans, slices, windows
from nbspark.text.scanner import find_runs, is_not_space
from nbspark.text.token_lists import TokenLists, count_terms

LONG = 1 << 22  # bytes of one text above which its windows are counted a part at a time: bounds memory
PART_BLOCKS = 128  # blocks of windows in such a part


def char_ngrams(texts: pa.StringArray, sizes: tuple[int, int]) -> TokenLists:
    """Return all windows of ``sizes[0]`` to ``sizes[1]`` characters of each text.

    Two and more neighbouring blanks count as one blank.

    Examples
    --------
    >>> char_ngrams(pa.array(["a  été"]), (3, 3)).to_pylist()
    [['a é', ' ét', 'été']]
    """
    collapsed = pc.replace_substring_regex(texts, _blanks(), " ")
    if _is_one_long_text(texts):
        return _counted(_parts(collapsed, sizes))
    data, ends, spans = _cut(collapsed, sizes)
    return TokenLists(ends, slices(data, spans))


def char_wb_ngrams(texts: pa.StringArray, sizes: tuple[int, int]) -> TokenLists:
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
    if _is_one_long_text(texts):
        n_words = LONG // 4
        starts = range(0, len(padded), n_words)
        return _counted(part for start in starts for part in _parts(padded.slice(start, n_words), sizes, whole=True))
    data, ends, spans = _cut(padded, sizes, whole=True)
    return TokenLists(ends[words.offsets], slices(data, spans))


def _cut(texts: pa.StringArray, sizes: tuple[int, int], *, whole: bool = False) -> tuple[np.ndarray, np.ndarray, Spans]:
    """Return the bytes of all texts, where the windows of each text end, and each window's place in the bytes."""
    data, offsets = buffers_of(texts)
    edges = np.append(np.flatnonzero((data & 0xC0) != 0x80), len(data))  # where each character begins
    ends, runs = windows(np.searchsorted(edges, offsets), sizes, whole=whole)
    return data, ends, ((edges[starts], edges[stops]) for starts, stops in runs)


def _is_one_long_text(texts: pa.StringArray) -> bool:
    """Say whether there is one text, and that is long; the tokenizer gives a long one by itself."""
    return len(texts) == 1 and len(buffers_of(texts)[0]) > LONG


def _parts(texts: pa.StringArray, sizes: tuple[int, int], *, whole: bool = False) -> Iterator[pa.StringArray]:
    """Yield the windows of characters of all texts, some at a time."""
    data, _, spans = _cut(texts, sizes, whole=whole)
    left = iter(spans)
    while some := list(islice(left, PART_BLOCKS)):
        yield slices(data, some)


def _counted(parts: Iterable[pa.StringArray]) -> TokenLists:
    """Return the terms of one text, each once with its count: of a book's windows few are distinct."""
    terms, n = count_terms(parts)
    return TokenLists(np.array([0, len(terms)]), terms, n)


@lru_cache
def _blanks() -> str:
    r"""Return RE2's form of Python's ``\s\s+``: its own ``\s`` is ASCII only."""
    members = "".join(rf"\x{{{code:x}}}" for code in range(0x10000) if chr(code).isspace())
    return f"[{members}]{{2,}}"
