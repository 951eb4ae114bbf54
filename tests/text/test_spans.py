"""Terms with their places: the tokenizer's own terms, where a reader finds them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbspark import Text
from nbspark.text import Tokenizer
from nbspark.text.alignment import align
from nbspark.text.normalise import row_normaliser
from nbspark.text.spans import term_spans
from tests.text.ugly import LAWS, UGLY, texts

OPTIONS = [
    Text("t"),
    Text("t", ngrams=(1, 3), min_length=2, stop_words=["a", "isn't", "of the"]),
    Text("t", tokens="whitespace", normalize="NFKC"),
    Text("t", tokens="whitespace", normalize="NFD", lowercase=False, max_length=5),
    Text("t", normalize="none", remove_invisible=False, strip_accents="unicode"),
    Text("t", normalize="NFKD", strip_accents="ascii"),
    Text("t", pattern=r"(?u)\b\w\w+\b"),
    Text("t", pattern=r"#?(\w+)", ngrams=(1, 2)),
    Text("t", pattern=r"[a-z]+(?=\s)|\d*"),
    Text("t", pattern=r"(?:[a-z]+-?)+"),
    Text("t", tokens="chars", ngrams=(2, 3)),
    Text("t", tokens="chars_wb", ngrams=(3, 4), normalize="NFKC"),
    Text("t", tokens="chinese", ngrams=(1, 2)),
]


def require_the_tokenizers_terms(options: Text, text: str) -> None:
    tokenizer = Tokenizer(options)
    spans = term_spans(tokenizer, text)
    assert [span.term for span in spans] == tokenizer.tokenize(text)
    assert all(0 <= span.start <= span.stop <= len(text) for span in spans)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_spans_have_the_tokenizers_terms_in_its_order(options):
    for text in UGLY:
        require_the_tokenizers_terms(options, text or "")


@given(texts, st.sampled_from(OPTIONS))
@LAWS
def test_spans_have_the_tokenizers_terms_of_any_text(text, options):
    require_the_tokenizers_terms(options, text)


@given(texts, st.sampled_from(OPTIONS[:6]))
@LAWS
def test_each_place_holds_what_the_token_was_made_of(text, options):
    normal = row_normaliser(options)
    made, starts, stops = align(text, options)
    assert made == normal(text)
    assert (starts < stops).all()
    for span in term_spans(Tokenizer(options), text):
        if " " not in span.term:  # a final sigma is one by what stands beside it; of one half the one is a token
            there = normal(text[span.start : span.stop])
            assert span.term.replace("ς", "σ") in there.replace("ς", "σ")


def test_combining_marks_are_in_the_place_of_what_they_stand_on():
    text = "un cafe\u0301 a\u0323\u0302 la mode"
    places = {span.term: text[span.start : span.stop] for span in term_spans(Tokenizer(Text("t")), text)}
    assert places == {"un": "un", "café": "cafe\u0301", "ậ": "a\u0323\u0302", "la": "la", "mode": "mode"}
    bare = term_spans(Tokenizer(Text("t", normalize="none", strip_accents="unicode")), text)
    assert [(span.term, text[span.start : span.stop]) for span in bare][1:3] == [
        ("cafe", "cafe\u0301"), ("a", "a\u0323\u0302"),
    ]  # fmt: skip


def test_chinese_words_and_their_pairs_are_where_they_stand():
    text = "我来到 北京，清华大学。"
    spans = term_spans(Tokenizer(Text("t", tokens="chinese", ngrams=(1, 2))), text)
    assert [(span.term, text[span.start : span.stop]) for span in spans] == [
        ("我", "我"), ("来到", "来到"), ("北京", "北京"), ("清华大学", "清华大学"),
        ("我 来到", "我来到"), ("来到 北京", "来到 北京"), ("北京 清华大学", "北京，清华大学"),
    ]  # fmt: skip


def test_a_character_that_grows_or_goes_keeps_the_others_in_place():
    text = "İstanbul so\u00adft ﬁre"  # a capital that becomes two characters, one that is not seen, a ligature
    spans = term_spans(Tokenizer(Text("t", normalize="NFKC")), text)
    assert [text[span.start : span.stop] for span in spans] == ["İstanbul", "so\u00adft", "ﬁre"]
    assert [span.term for span in spans] == ["i\u0307stanbul", "soft", "fire"]


def test_a_token_that_a_pattern_takes_from_its_surroundings_is_found_in_them():
    [span] = term_spans(Tokenizer(Text("t", pattern=r"#(\w+)")), "win #win")
    assert (span.start, span.stop) == (5, 8)
