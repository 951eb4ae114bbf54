"""RE2 finds what Python's re finds, in a time that grows with the text; what could run for ever is refused."""

from __future__ import annotations

import re
import time

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbspark import Text
from nbspark.errors import SpecError
from nbspark.text.backtracking import is_linear, may_explode
from nbspark.text.linear import find_tokens, re2_pattern
from nbspark.text.patterns import pattern_tokenizer

TRANSLATED = [
    r"\w+(?:['-]\w+)*", r"[^\W\d_]+", r"#(\w+)", r"\d+|[a-zé]{2,}?", r"\S\s\S", r"a(?:b)?c|ab", r".\n?.", r"(?s)a.b",
    r"[^a]b+?", r"(?:ab|a)(?:c|bcd)", r"\$\d+\.\d\d", "[☃-☺]+", r"\D\W",
]  # fmt: skip
KEPT = [
    r"\bwin\b",
    r"a$",
    r"^a",
    r"(?i)a",
    r"(?=a)a",
    r"(?<!a)b",
    r"a*",
    r"(?:a|b*)+",
    r"(a)+b",
    r"(?a:\w)a",
    r"(?P<x>a)(?P=x)",
]


@pytest.mark.parametrize("pattern", TRANSLATED)
@settings(max_examples=60, deadline=None)
@given(texts=st.lists(st.text("aAbBcd éß1٣_-'#$.\n \x1c\u2028☃日\u0301\U0001f600"), max_size=4))
def test_re2_finds_what_re_finds(pattern: str, texts: list[str]) -> None:
    translated = re2_pattern(pattern)
    assert translated is not None
    expected = [[token for token in re.findall(pattern, text) if token] for text in texts]
    assert find_tokens(pa.array(texts, pa.string()), translated).to_pylist() == expected


@pytest.mark.parametrize("pattern", KEPT)
def test_what_re2_does_otherwise_stays_with_re(pattern: str) -> None:
    assert re2_pattern(pattern) is None


@pytest.mark.parametrize(
    "pattern",
    [r"(a+)+$", r"(a*)*b",
     r"(?:\w+\s?)*$", r"(?:a|a)+\b", r"(?:a|ab?)+\b", r"(?:.*,)*$", r"(?:(?:a|b)+)+$", r"(?:-a?a?)+$",
     r"(?i)(?:\w+-?)+!", r"(?:a{1,30}){20,30}$", r"(?=(a+)+$)a", r"(?:-a*aa*)+$"],
)  # fmt: skip
def test_patterns_that_could_run_for_ever_are_refused(pattern: str) -> None:
    with pytest.raises(SpecError, match=r"text feature 'body': pattern .* can take for ever"):
        Text("body", pattern=pattern)


@pytest.mark.parametrize(
    "pattern",
    [r"\b\w+(?:['’-]\w+)*\b", r"(?:[a-z]+\.)+com$", r"(?:\d{1,3},)*\d+\b", r"(?:ab|cd)+$", r"(?:\w\d)+$", r"(?i)[a-z]+",
     r"(?:\w+-\d+,)+$", r"(?:a*b[ab]*-)+$", r"(?:\s*\w+\s*,)+$", r"(?u)\b\w\w+\b"],
)  # fmt: skip
def test_repetitions_with_a_separator_are_no_danger(pattern: str) -> None:
    assert not may_explode(pattern)
    Text("body", pattern=pattern)


@pytest.mark.parametrize("pattern", [r"\w+@\w+", r"(?:\w+\.)+com", r".*=", r"a+|b+c"])
def test_what_takes_the_square_of_a_text_goes_to_re2(pattern: str) -> None:
    assert not is_linear(pattern)
    assert re2_pattern(pattern) is not None


def test_a_nested_quantifier_that_re2_takes_is_fast() -> None:
    start = time.perf_counter()
    assert pattern_tokenizer("(?:a+)+b")(pa.array(["a" * 5_000, "aab"])).to_pylist() == [[], ["aab"]]
    assert pattern_tokenizer(r"\w+@")(pa.array(["a" * 300_000])).to_pylist() == [[]]
    assert time.perf_counter() - start < 10  # re itself would not end
