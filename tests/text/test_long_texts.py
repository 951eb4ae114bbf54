"""One text that is longer than what is worked on at a time gives the terms of any other, counted."""

from __future__ import annotations

from collections import Counter as Bag

import numpy as np
import pyarrow as pa
import pytest

from nbspark import Text
from nbspark.spec import Spec
from nbspark.text import Tokenizer, characters
from nbspark.text.terms import Terms
from tests.builders import count_rows, documents, trained

BOOK = "Déjà vu  all over\tagain: the sky, 天空, above the port. " * 40


@pytest.fixture
def short(monkeypatch):
    """Count windows of characters a few at a time."""
    monkeypatch.setattr(characters, "LONG", 300)
    monkeypatch.setattr(characters, "BLOCK_RUNS", 100)
    monkeypatch.setattr("nbspark.text.ngrams.BLOCK_RUNS", 100)


@pytest.mark.parametrize("tokens", ["chars", "chars_wb"])
def test_windows_of_a_long_text_are_those_of_a_short_one(tokens, monkeypatch):
    tokenizer = Tokenizer(Text("body", tokens=tokens, ngrams=(1, 4)))
    [expected] = tokenizer(pa.array([BOOK])).to_pylist()
    monkeypatch.setattr(characters, "LONG", 300)
    terms = tokenizer(pa.array([BOOK]))
    assert terms.n is not None
    assert len(terms.values) == len(set(terms.values.to_pylist())) == len(set(expected))
    [found] = terms.to_pylist()
    assert Bag(found) == Bag(expected)


@pytest.mark.parametrize("tokens", ["chars", "chars_wb"])
def test_a_long_text_is_counted_and_scored_like_a_short_one(tokens, short, monkeypatch):
    spec = Spec("label", (Text("body", tokens=tokens, ngrams=(1, 3)),))
    docs = documents(["a", "b"], [BOOK, "the port and the sky"])
    counted = count_rows(spec, [docs]).to_pylist()
    scorer = trained(spec, ["a", "b"], [BOOK, "the port and the sky"])
    scored = [array.to_pylist() for array in scorer.predict([pa.array([BOOK + " x", "sky"])])]
    monkeypatch.undo()
    assert sorted(map(str, counted)) == sorted(map(str, count_rows(spec, [docs]).to_pylist()))
    assert scored == [array.to_pylist() for array in scorer.predict([pa.array([BOOK + " x", "sky"])])]


def test_counted_terms_join_terms_that_are_not():
    counted = Terms(np.array([0, 2]), pa.array(["a", "b"]), np.array([2.0, 1.0]))
    joined = Terms.concat([Terms.from_lists([["c"], []]), counted])
    assert joined.to_pylist() == [["c"], [], ["a", "a", "b"]]
