"""Strings in order: Arrow's order, which is that of code points, whatever the bytes and lengths."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from nbspark.arrays.sorting import ranked, sort_strings

PARTS = st.sampled_from(
    ["", "a", "b", " ", "aaaaaaaa", "aaaaaaab", "é", "\U0001f600", "\uffff", "\0", "\x01", "x" * 90]
)
TEXTS = st.lists(st.lists(PARTS, max_size=5).map("".join))


@given(TEXTS)
@settings(deadline=None)
def test_strings_sort_as_python_sorts_them(texts):
    found = sort_strings(pa.array(texts, pa.string()))
    assert sorted(found.tolist()) == list(range(len(texts)))
    assert [texts[i] for i in found] == sorted(texts)


@given(st.lists(st.lists(st.none() | PARTS), max_size=3))
@settings(deadline=None)
def test_a_rank_is_the_place_among_the_distinct_strings(chunks):
    ranks, distinct = ranked(pa.chunked_array(chunks, pa.string()))
    texts = [text for chunk in chunks for text in chunk]
    assert distinct.to_pylist() == sorted({text for text in texts if text is not None})
    assert [None if rank < 0 else distinct[rank].as_py() for rank in ranks.tolist()] == texts


def test_strings_of_a_slice_are_those_of_the_slice():
    assert sort_strings(pa.array(["b", "zz", "a", "c"])[1:]).tolist() == [1, 2, 0]
