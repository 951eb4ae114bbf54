"""What happens to a text before it is cut."""

from __future__ import annotations

import unicodedata

import numpy as np
import pyarrow as pa
import pytest

from nbspark.features import Text
from nbspark.text import Tokenizer, has_replacement_character
from nbspark.text.normalise import INVISIBLE_RANGES

INVISIBLE = {code for first, last in INVISIBLE_RANGES for code in range(first, last + 1)}


def test_format_characters_are_invisible_save_those_that_unicode_excepts() -> None:
    # DerivedCoreProperties: Default_Ignorable_Code_Point leaves out interlinear annotation, hieroglyph
    # joiners and the marks that go before a number (Prepended_Concatenation_Mark).
    seen = {*range(0xFFF9, 0xFFFC), *range(0x13430, 0x13440), *range(0x600, 0x606)}
    seen |= {0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
    format_characters = {code for code in range(0x110000) if unicodedata.category(chr(code)) == "Cf"}

    assert format_characters - INVISIBLE == {code for code in seen if code in format_characters}
    # 256 variation selectors, 3 and 1 Mongolian ones, joiners, fillers: invisible, though not format characters.
    assert {0x34F, 0x115F, 0x17B4, 0x180B, 0x180F, 0x3164, 0xFE00, 0xFE0F, 0xFFA0, 0xE0100, 0xE01EF} <= INVISIBLE


def test_nothing_that_is_seen_is_removed() -> None:
    assert not [code for code in INVISIBLE if chr(code).isspace() or unicodedata.category(chr(code))[0] in "NPS"]
    # The fillers of Hangul are letters to Unicode, and blank.
    assert [code for code in INVISIBLE if chr(code).isalpha()] == [0x115F, 0x1160, 0x3164, 0xFFA0]


@pytest.mark.parametrize(
    ("form", "expected"), [("NFC", "é"), ("NFD", "e\u0301"), ("NFKC", "é"), ("NFKD", "e\u0301"), ("none", "e\u0301")]
)
def test_normal_forms(form: str, expected: str) -> None:
    assert Tokenizer(Text("t", normalize=form)).tokenize("e\u0301") == [expected]


def test_compatibility_forms_are_folded_only_on_request() -> None:
    assert Tokenizer(Text("t")).tokenize("ﬁre ｗｉｎ") == ["ﬁre", "ｗｉｎ"]
    assert Tokenizer(Text("t", normalize="NFKC")).tokenize("ﬁre ｗｉｎ") == ["fire", "win"]


def test_invisible_characters_go_before_the_normal_form_is_made() -> None:
    # Between a letter and its mark they would keep the two apart.
    assert Tokenizer(Text("t")).tokenize("e\u034f\u0301") == ["é"]


def test_accents() -> None:
    word = ["Ångström œuvre"]

    assert Tokenizer(Text("t", strip_accents="unicode")).tokenize(*word) == ["angstrom", "œuvre"]
    assert Tokenizer(Text("t", strip_accents="ascii")).tokenize(*word) == ["angstrom", "uvre"]


def test_texts_that_were_not_decodable_can_be_told() -> None:
    raw = pa.array([b"caf\xe9", "caf\ufffd".encode(), "café".encode(), b"cafe", b"", None], pa.binary())
    texts = raw.view(pa.string())

    assert has_replacement_character(texts).tolist() == [True, True, False, False, False, False]
    assert has_replacement_character(texts[1:3]).tolist() == [True, False]
    assert has_replacement_character(pa.chunked_array([texts[:1], texts[1:]])).tolist() == [True, True] + [False] * 4
    assert has_replacement_character(pa.chunked_array([], pa.string())).dtype == np.bool_
