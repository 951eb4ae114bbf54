"""One text that is longer than what is worked on at a time gives the terms of any other, counted."""

from __future__ import annotations

from collections import Counter as Bag

import numpy as np
import pyarrow as pa
import pytest

from nbspark import Text
from nbspark.spec import Spec
from nbspark.text import Tokenizer, characters, columns, ngrams
from nbspark.text.token_lists import TokenLists
from tests.builders import count_rows, documents, trained

BOOK = "Déjà vu  all over\tagain: the sky, 天空, above the port. " * 40


WORD = "añb" * 400  # one without a blank
CHARACTERS = pytest.mark.parametrize("tokens", ["chars", "chars_wb"])


@pytest.fixture
def long_is_short(monkeypatch):
    """Take texts of 300 bytes for long ones, and count their windows some hundreds at a time."""
    monkeypatch.setattr(characters, "LONG", 300)
    monkeypatch.setattr(characters, "PART_BLOCKS", 2)
    monkeypatch.setattr(columns, "PIECE_BYTES", 200)
    monkeypatch.setattr(ngrams, "BLOCK_RUNS", 100)
    return monkeypatch


@CHARACTERS
@pytest.mark.parametrize("text", [BOOK, WORD, BOOK + WORD])
def test_windows_of_a_long_text_are_those_of_a_short_one(tokens, text, long_is_short):
    tokenizer = Tokenizer(Text("body", tokens=tokens, ngrams=(1, 4)))
    terms = tokenizer(pa.array([text]))
    assert terms.n is not None
    assert len(terms.values) == len(set(terms.values.to_pylist()))
    [found] = terms.to_pylist()
    long_is_short.undo()
    [expected] = tokenizer(pa.array([text])).to_pylist()
    assert Bag(found) == Bag(expected)


@CHARACTERS
def test_a_long_text_is_counted_and_scored_like_a_short_one(tokens, long_is_short):
    spec = Spec("label", (Text("body", tokens=tokens, ngrams=(1, 3)),))
    labels, texts, queries = ["a", "b", "b"], ["the port", BOOK, WORD], pa.array(["sky", BOOK + " x", None, WORD])

    def learn_and_score() -> tuple[list[str], list[list[object]]]:
        counted = count_rows(spec, [documents(labels, texts)]).to_pylist()
        return sorted(map(str, counted)), [part.to_pylist() for part in trained(spec, labels, texts).predict([queries])]

    found = learn_and_score()
    long_is_short.undo()
    assert found == learn_and_score()


def test_a_long_text_is_a_piece_by_itself(long_is_short):
    texts = ["a", BOOK, "b", "c", BOOK, BOOK]
    assert [piece.to_pylist() for piece in columns.pieces(pa.array(texts))] == [
        ["a"],
        [BOOK],
        ["b", "c"],
        [BOOK],
        [BOOK],
    ]


def test_counted_terms_join_terms_that_are_not():
    counted = TokenLists(np.array([0, 2]), pa.array(["a", "b"]), np.array([2.0, 1.0]))
    joined = TokenLists.concat([TokenLists.from_lists([["c"], []]), counted])
    assert joined.to_pylist() == [["c"], [], ["a", "a", "b"]]
