"""Windows of characters, on values small enough to count by hand; parity is in test_parity."""

from __future__ import annotations

import pyarrow as pa
import pytest

from nbspark.errors import SpecError
from nbspark.features import Text
from nbspark.text import Tokenizer
from nbspark.text.characters import char_ngrams, char_wb_ngrams


def test_windows_are_of_characters_not_bytes() -> None:
    assert char_ngrams(pa.array(["我é𝒜", "", "ab"]), (2, 2)).to_pylist() == [["我é", "é𝒜"], [], ["ab"]]


def test_neighbouring_blanks_are_one_and_a_single_one_stays_as_it_is() -> None:
    assert char_ngrams(pa.array(["a\u3000 \tb\nc"]), (1, 1)).to_pylist() == [["a", " ", "b", "\n", "c"]]


def test_a_word_shorter_than_the_window_counts_once() -> None:
    # " a " has 3 characters: one window of 3, and nothing more of 4 or 5.
    assert char_wb_ngrams(pa.array(["a"]), (3, 5)).to_pylist() == [[" a "]]
    assert char_wb_ngrams(pa.array(["a", None], pa.string()).fill_null(""), (4, 5)).to_pylist() == [[" a "], []]


@pytest.mark.parametrize("option", [{"min_length": 2}, {"max_length": 3}, {"stop_words": ["a"]}])
@pytest.mark.parametrize("tokens", ["chars", "chars_wb"])
def test_options_for_words_are_refused(tokens: str, option: dict[str, int]) -> None:
    with pytest.raises(SpecError, match=f"leave out {next(iter(option))}"):
        Tokenizer(Text("t", tokens=tokens, **option))  # type: ignore[arg-type]
