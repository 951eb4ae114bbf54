"""Chinese words by rjieba."""

from __future__ import annotations

import sys

import pyarrow as pa
import pytest

from nbspark.errors import SetupError
from nbspark.features import Text
from nbspark.text import Tokenizer

CHINESE = Text("t", tokens="chinese")


def test_words_are_cut_and_punctuation_is_dropped() -> None:
    texts = pa.array(["我来到北京,清华大学。", None, "", "。！ …", "Hello world_x 3.14"])

    assert Tokenizer(CHINESE)(texts).to_pylist() == [
        ["我", "来到", "北京", "清华大学"],
        [],
        [],
        [],
        ["hello", "world_x", "3.14"],
    ]


def test_length_stop_words_and_ngrams_apply_to_the_words() -> None:
    options = Text("t", tokens="chinese", min_length=2, stop_words=("来到",), ngrams=(1, 2))

    assert Tokenizer(options).tokenize("我来到北京清华大学") == ["北京", "清华大学", "北京 清华大学"]


def test_without_rjieba_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rjieba", None)

    with pytest.raises(SetupError, match=r"pip install 'nbspark\[zh\]'"):
        Tokenizer(CHINESE)
