"""The same terms as scikit-learn's analyzers and ``str.split``, in the same order, on any text."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from nbspark.features import Text
from nbspark.text import Tokenizer
from tests.text.ugly import LAWS, UGLY, documents

DEFAULT = r"(?u)\b\w\w+\b"
AS_WRITTEN: dict[str, Any] = {"normalize": "none", "remove_invisible": False}
SIZES = st.tuples(st.integers(1, 4), st.integers(0, 3)).map(lambda size: (size[0], size[0] + size[1]))


def require_parity(rows: list[str | None], options: Text, **analyzer: Any) -> None:
    """Compare the terms of each row; scikit-learn takes no null, so it sees an empty text."""
    analyze = CountVectorizer(**analyzer).build_analyzer()

    assert Tokenizer(options)(pa.array(rows, pa.string())).to_pylist() == [analyze(text or "") for text in rows]


@LAWS
@given(rows=documents, ngrams=SIZES)
def test_words_of_the_default_pattern(rows: list[str | None], ngrams: tuple[int, int]) -> None:
    require_parity(rows, Text("t", pattern=DEFAULT, ngrams=ngrams), ngram_range=ngrams)


@LAWS
@given(rows=documents, ngrams=SIZES)
def test_windows_of_characters(rows: list[str | None], ngrams: tuple[int, int]) -> None:
    require_parity(rows, Text("t", tokens="chars", ngrams=ngrams, **AS_WRITTEN), analyzer="char", ngram_range=ngrams)


@LAWS
@given(rows=documents, ngrams=st.one_of(SIZES, st.just((5, 9))))
def test_windows_of_characters_within_words(rows: list[str | None], ngrams: tuple[int, int]) -> None:
    require_parity(
        rows, Text("t", tokens="chars_wb", ngrams=ngrams, **AS_WRITTEN), analyzer="char_wb", ngram_range=ngrams
    )


@LAWS
@given(rows=documents, accents=st.sampled_from(["unicode", "ascii"]), lowercase=st.booleans())
def test_accents_stripped(rows: list[str | None], accents: str, lowercase: bool) -> None:
    require_parity(
        rows,
        Text("t", pattern=DEFAULT, strip_accents=accents, lowercase=lowercase),
        strip_accents=accents,
        lowercase=lowercase,
    )


@LAWS
@given(rows=documents)
def test_stop_words(rows: list[str | None]) -> None:
    words = ("aa", "été", "the", "σς")

    require_parity(
        rows, Text("t", pattern=DEFAULT, stop_words=words, ngrams=(1, 2)), stop_words=list(words), ngram_range=(1, 2)
    )


@pytest.mark.parametrize(
    "pattern",
    [
        r"\b\w\w+\b",
        r"(?u)\b\w+\b",
        r"\w+",
        r"\b\w+\b",
        r"\w\w\w+",
        r"\S+",
        r"[^\W\d_]+",
        r"(?i)[a-zé]+",
        r"#(\w+)|@\w+",
        r"(?a)\w\w+",
        r"\w*",
        r"\b\w",
        r"\w+\s",
    ],
)
@LAWS
@given(rows=documents)
def test_other_patterns(pattern: str, rows: list[str | None]) -> None:
    analyze = CountVectorizer(token_pattern=pattern).build_analyzer()
    # scikit-learn keeps the empty string where a pattern or its group matches nothing.
    expected = [[token for token in analyze(text or "") if token] for text in rows]

    assert Tokenizer(Text("t", pattern=pattern))(pa.array(rows, pa.string())).to_pylist() == expected


@LAWS
@given(rows=documents)
def test_whitespace_is_str_split(rows: list[str | None]) -> None:
    options = Text("t", tokens="whitespace", lowercase=False, **AS_WRITTEN)

    assert Tokenizer(options)(pa.array(rows, pa.string())).to_pylist() == [(text or "").split() for text in rows]


@pytest.mark.parametrize("ngrams", [(1, 1), (2, 2), (1, 3)])
def test_the_ugly_sample(ngrams: tuple[int, int]) -> None:
    require_parity(UGLY, Text("t", pattern=DEFAULT, ngrams=ngrams), ngram_range=ngrams)
    for tokens, analyzer in [("chars", "char"), ("chars_wb", "char_wb")]:
        require_parity(
            UGLY, Text("t", tokens=tokens, ngrams=ngrams, **AS_WRITTEN), analyzer=analyzer, ngram_range=ngrams
        )
