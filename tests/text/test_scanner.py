"""Runs of characters of a class, against Python's own answer for every character there is."""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby

import numpy as np
import pyarrow as pa
from hypothesis import given

from nbspark.features import Text
from nbspark.text import Tokenizer
from nbspark.text.normalise import INVISIBLE_RANGES
from nbspark.text.scanner import class_mask, find_runs, is_not_space, is_regex_word, is_word
from tests.text.ugly import LAWS, documents

EVERY_CHARACTER = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)


def words(text: str) -> list[str]:
    """Return runs of letters, marks, numbers and underscore: the rule as it is written down."""
    seen = "".join(c for c in text if not any(first <= ord(c) <= last for first, last in INVISIBLE_RANGES))
    lowered = unicodedata.normalize("NFC", seen).lower()
    runs = groupby(lowered, lambda c: c == "_" or unicodedata.category(c)[0] in ("L", "M", "N"))
    return ["".join(run) for inside, run in runs if inside]


@LAWS
@given(rows=documents)
def test_words_are_runs_by_general_category(rows: list[str | None]) -> None:
    expected = [words(text or "") for text in rows]

    assert Tokenizer(Text("t"))(pa.array(rows, pa.string())).to_pylist() == expected


def test_regex_words_are_those_of_re_for_every_character() -> None:
    texts = pa.array([EVERY_CHARACTER])

    assert find_runs(texts, is_regex_word).values.to_pylist() == re.findall(r"\w+", EVERY_CHARACTER)


def test_blanks_are_those_of_split_and_of_re_for_every_character() -> None:
    runs = find_runs(pa.array([EVERY_CHARACTER]), is_not_space).values.to_pylist()

    assert runs == EVERY_CHARACTER.split()
    assert runs == re.findall(r"\S+", EVERY_CHARACTER)


def test_a_run_ends_with_its_text() -> None:
    # The bytes of neighbouring texts lie side by side: b"winécash".
    assert find_runs(pa.array(["win", "", "é", "cash"]), is_word).to_pylist() == [["win"], [], ["é"], ["cash"]]


def test_every_byte_of_a_character_has_its_class() -> None:
    data = np.frombuffer("aé-我…𝒜👍".encode(), np.uint8)  # 1, 2, 1, 3, 3, 4 and 4 bytes

    assert (
        class_mask(data, is_word).tolist() == [True] * 3 + [False] + [True] * 3 + [False] * 3 + [True] * 4 + [False] * 4
    )
