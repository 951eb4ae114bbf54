"""What becomes of a text: the order of the steps, whatever array it comes in."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbspark.errors import DocumentsError, SpecError
from nbspark.features import Text
from nbspark.text import Tokenizer, TokenLists
from tests.text.ugly import LAWS, UGLY, documents

KINDS = [
    Text("t"),
    Text("t", tokens="whitespace", strip_accents="unicode"),
    Text("t", pattern=r"(?u)\b\w\w+\b", ngrams=(1, 3)),
    Text("t", pattern=r"[^\W\d]+"),
    Text("t", tokens="chars", ngrams=(1, 3)),
    Text("t", tokens="chars_wb", ngrams=(2, 4)),
    Text("t", min_length=2, max_length=5, stop_words=("the",), ngrams=(1, 2)),
]


def terms_of(text: str, **options: object) -> list[str]:
    """Return the terms of one text."""
    return Tokenizer(Text("t", **options)).tokenize(text)  # type: ignore[arg-type]


@pytest.mark.parametrize("nothing", [None, "", "  !!! ", "???", "\u00ad\u200b", "\x00"])
def test_a_text_without_words_has_no_terms_and_keeps_its_place(nothing: str | None) -> None:
    terms = Tokenizer(Text("t"))(pa.array(["win cash", nothing, "lunch noon"], pa.string()))

    assert terms.to_pylist() == [["win", "cash"], [], ["lunch", "noon"]]


@pytest.mark.parametrize("options", KINDS, ids=repr)
def test_the_empty_string_is_never_a_term(options: Text) -> None:
    assert "" not in Tokenizer(options)(pa.array(UGLY)).values.to_pylist()


@pytest.mark.parametrize("blank", ["\u00a0", "\u2009", "\u202f", "\u3000", "\u0085", "\u2028"])
@pytest.mark.parametrize("tokens", ["words", "whitespace"])
def test_every_blank_separates_words(blank: str, tokens: str) -> None:
    assert terms_of(f"free{blank}cash", tokens=tokens) == ["free", "cash"]


@pytest.mark.parametrize("unseen", ["\u00ad", "\u200b", "\u200e", "\u200f", "\u202e", "\u2060", "\ufe0f", "\ufeff"])
@pytest.mark.parametrize("tokens", ["words", "whitespace", "chars_wb"])
def test_characters_that_are_not_seen_do_not_change_a_word(unseen: str, tokens: str) -> None:
    assert terms_of(f"fr{unseen}ee", tokens=tokens) == terms_of("free", tokens=tokens)


def test_the_joiners_of_persian_are_removed() -> None:
    assert terms_of("می\u200cخواهم") == ["میخواهم"]


@pytest.mark.parametrize("words", ["हिन्दी भाषा", "తెలుగు భాష", "বাংলা ভাষা"])
def test_marks_belong_to_their_word(words: str) -> None:
    assert terms_of(words) == words.split()


def test_composed_and_decomposed_are_one_term() -> None:
    assert terms_of("café cafe\u0301") == ["café", "café"]


def test_a_pattern_sees_the_text_as_it_is_written() -> None:
    assert terms_of("CAFE\u0301 so\u00adft", pattern=r"\w+") == ["cafe", "so", "ft"]


def test_lower_case_is_pythons() -> None:
    assert terms_of("ΟΔΥΣΣΕΥΣ") == ["οδυσσευς"]  # the last sigma has a form of its own
    assert terms_of("İ") == ["i\u0307"]
    assert terms_of("STRASSE ẞ") == ["strasse", "ß"]


def test_lower_case_can_be_left_alone() -> None:
    assert terms_of("Win ÉTÉ", lowercase=False) == ["Win", "ÉTÉ"]


def test_length_counts_characters_before_ngrams() -> None:
    # Lengths 1, 3, 2 and 6.
    assert terms_of("a été 北京 prizes", min_length=2, max_length=3, ngrams=(1, 2)) == ["été", "北京", "été 北京"]


def test_stop_words_go_after_length_and_before_ngrams() -> None:
    assert terms_of("win a the prize", min_length=2, stop_words=["the"], ngrams=(2, 2)) == ["win prize"]


def test_stop_words_are_normalised_as_the_text_is() -> None:
    assert terms_of("Café The été", stop_words=["CAFE\u0301", "THE"]) == ["été"]
    assert terms_of("Café été", stop_words=["café"], strip_accents="ascii") == ["ete"]


STOP = ["isn't", "The", "new york", "...", "a"]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("This isn't the OK", ["this", "ok"]),
        ("new york don't", ["don", "t"]),
        ("york new isn a t", ["york", "new", "isn", "t"]),  # no run of them, though "a" goes
        ("new new york york", ["new", "york"]),
        ("isn", ["isn"]),
    ],
)
def test_a_stop_word_is_the_run_of_tokens_that_it_becomes(text: str, terms: list[str]) -> None:
    assert terms_of(text, stop_words=STOP) == terms


def test_a_run_of_stop_words_does_not_reach_into_the_next_document() -> None:
    found = Tokenizer(Text("t", stop_words=STOP))(pa.array(["big new", "york new york", "", "isn't"]))
    assert found.to_pylist() == [["big", "new"], ["york"], [], []]


def test_runs_may_begin_alike_and_overlap() -> None:
    words = ["a b c", "b c d e", "x"]
    assert terms_of("a b c d e b c d x a b", stop_words=words) == ["b", "c", "d", "a", "b"]


def test_stop_words_that_can_never_match_are_told() -> None:
    assert Tokenizer(Text("t", stop_words=STOP, min_length=2)).unmatched_stop_words == ["...", "a"]


@pytest.mark.parametrize("options", KINDS, ids=repr)
def test_a_batch_gives_what_its_texts_give_one_by_one(options: Text) -> None:
    tokenizer = Tokenizer(options)

    assert tokenizer(pa.array(UGLY)).to_pylist() == [tokenizer.tokenize(text or "") for text in UGLY]


@LAWS
@given(rows=documents, start=st.integers(0, 6), options=st.sampled_from(KINDS))
def test_any_layout_of_the_same_texts_gives_the_same_terms(rows: list[str | None], start: int, options: Text) -> None:
    tokenizer = Tokenizer(options)
    plain = pa.array(rows, pa.string())
    padded = pa.array(["été avant", None, *rows, "after"], pa.string())
    expected = tokenizer(plain).to_pylist()

    assert tokenizer(padded[2 : 2 + len(rows)]).to_pylist() == expected
    assert tokenizer(pa.chunked_array([plain[:start], plain[start:]])).to_pylist() == expected
    assert tokenizer(plain.cast(pa.large_string())).to_pylist() == expected
    assert tokenizer(plain.cast(pa.string_view())).to_pylist() == expected
    assert tokenizer(plain.dictionary_encode()).to_pylist() == expected


@pytest.mark.parametrize("options", KINDS, ids=repr)
def test_long_batches_are_cut_into_pieces_without_a_trace(options: Text, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = Tokenizer(options)
    texts = pa.array(UGLY)
    expected = tokenizer(texts).to_pylist()
    monkeypatch.setattr("nbspark.text.columns.PIECE_BYTES", 64)

    assert tokenizer(texts).to_pylist() == expected
    assert tokenizer(texts.cast(pa.large_string())[3:]).to_pylist() == expected[3:]


def test_terms_beyond_two_gib_are_large_strings(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = Tokenizer(Text("t", ngrams=(1, 2)))
    texts = pa.array(["win a prize", None, "lunch"])
    expected = tokenizer(texts)
    for module in ("arrays.strings", "text.token_lists"):
        monkeypatch.setattr(f"nbspark.{module}.INT32_BYTES", 20)
    terms = tokenizer(texts)

    assert expected.values.type == pa.string()
    assert terms.values.type == pa.large_string()
    assert terms.to_pylist() == expected.to_pylist()


@pytest.mark.parametrize(
    "no_text", [pa.array([], pa.string()), pa.chunked_array([], pa.string())], ids=["array", "chunks"]
)
def test_no_rows_give_no_documents(no_text: pa.Array | pa.ChunkedArray) -> None:
    terms = Tokenizer(Text("t", ngrams=(1, 2)))(no_text)

    assert terms.offsets.tolist() == [0]
    assert terms.values.equals(pa.array([], pa.string()))


def test_a_batch_of_nulls_is_a_batch_of_empty_documents() -> None:
    for options in KINDS:
        assert Tokenizer(options)(pa.nulls(3)).to_pylist() == [[], [], []]


def test_a_null_row_hides_what_lies_behind_it() -> None:
    # Arrow lets a null slot have bytes of its own in the buffer.
    hidden = pa.StringArray.from_buffers(
        2, pa.py_buffer(b"\0\0\0\0\4\0\0\0\7\0\0\0"), pa.py_buffer(b"cashwin"), pa.py_buffer(b"\2"), 1
    )

    assert Tokenizer(Text("t"))(hidden).to_pylist() == [[], ["win"]]


def test_an_array_may_begin_anywhere_in_its_buffer() -> None:
    # Offsets that do not start at 0, without being a slice: a cast of a slice makes them.
    texts = pa.array(["a long text before", "WIN", "Été", "CASH"]).cast(pa.large_string())[1:].cast(pa.string())

    assert Tokenizer(Text("t"))(texts).to_pylist() == [["win"], ["été"], ["cash"]]


def test_bytes_that_are_not_utf8_become_the_replacement_character() -> None:
    # Latin-1 é, half of a three-byte character, an encoded surrogate.
    raw = pa.array([b"caf\xe9 noir", b"\xe5\x8c", b"a\xed\xa0\x80b", b"caf\xc3\xa9", None], pa.binary())

    terms = Tokenizer(Text("t", tokens="whitespace"))(raw.view(pa.string()))

    assert terms.to_pylist() == [["caf\ufffd", "noir"], ["\ufffd"], ["a\ufffd\ufffd\ufffdb"], ["café"], []]
    terms.values.validate(full=True)


def test_a_lone_surrogate_of_python_is_no_word() -> None:
    assert terms_of("a\ud800b") == ["a", "b"]


def test_a_column_that_is_no_text_is_an_error() -> None:
    with pytest.raises(DocumentsError, match="found int64"):
        Tokenizer(Text("t"))(pa.array([1, 2]))


def test_a_language_must_have_been_resolved_to_its_words() -> None:
    with pytest.raises(SpecError, match=r"stop_words='en' names a language"):
        Tokenizer(Text("t", stop_words="en"))


def test_parts_are_joined_in_order_empty_documents_included() -> None:
    parts = [TokenLists.from_lists([["a"], []]), TokenLists.from_lists([]), TokenLists.from_lists([["b", "c"]])]

    assert TokenLists.concat(parts).to_pylist() == [["a"], [], ["b", "c"]]
