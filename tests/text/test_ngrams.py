"""Windows and slices: n-grams as places in one buffer."""

from __future__ import annotations

import numpy as np
import pytest

from nbspark.text import TokenLists
from nbspark.text.ngrams import slices, windows, word_ngrams


def runs(offsets: list[int], sizes: tuple[int, int], *, whole: bool = False) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the windows as plain lists."""
    groups, spans = windows(np.array(offsets), sizes, whole=whole)
    pairs = [pair for starts, stops in spans for pair in zip(starts.tolist(), stops.tolist(), strict=True)]
    return groups.tolist(), pairs


def test_a_window_stays_in_its_group() -> None:
    assert runs([0, 2, 2, 5], (2, 2)) == ([0, 1, 1, 3], [(0, 2), (2, 4), (3, 5)])


def test_a_group_shorter_than_the_window_has_none_unless_it_counts_whole() -> None:
    assert runs([0, 1, 3], (2, 3)) == ([0, 0, 1], [(1, 3)])
    assert runs([0, 1, 3], (2, 3), whole=True) == ([0, 1, 2], [(0, 1), (1, 3)])


@pytest.mark.parametrize("block", [1, 2, 3, 7])
@pytest.mark.parametrize("whole", [False, True])
def test_blocks_leave_no_trace(block: int, whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    offsets = [0, 4, 4, 5, 11, 12]
    expected = runs(offsets, (2, 4), whole=whole)
    monkeypatch.setattr("nbspark.text.ngrams.BLOCK_RUNS", block)

    assert runs(offsets, (2, 4), whole=whole) == expected


def test_slices_may_overlap_and_go_back() -> None:
    data = np.frombuffer(b"win a", np.uint8)
    spans = [(np.array([2, 0]), np.array([5, 3])), (np.array([1]), np.array([2]))]

    assert slices(data, spans).to_pylist() == ["n a", "win", "i"]


def test_no_slices_are_no_strings() -> None:
    assert slices(np.zeros(0, np.uint8), []).to_pylist() == []


def test_ngrams_do_not_cross_documents() -> None:
    terms = TokenLists.from_lists([["win", "été"], [], ["cash"], ["a", "b", "c"]])

    assert word_ngrams(terms, (2, 3)).to_pylist() == [["win été"], [], [], ["a b", "b c", "a b c"]]
