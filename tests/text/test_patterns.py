"""Regular expressions that cannot be used, and how their groups count."""

from __future__ import annotations

import pyarrow as pa
import pytest

from nbspark.errors import SpecError
from nbspark.text.patterns import pattern_tokenizer


def test_a_pattern_that_does_not_parse_says_where() -> None:
    with pytest.raises(SpecError, match=r"pattern '\\\\w\+\(' does not parse at position 3"):
        pattern_tokenizer(r"\w+(")


def test_two_groups_are_refused() -> None:
    with pytest.raises(SpecError, match="2 groups; at most one"):
        pattern_tokenizer(r"(a)(b)")


def test_the_group_is_the_token() -> None:
    texts = pa.array(["#win @cash #noon", "", "none"])

    assert pattern_tokenizer(r"[#@](\w+)")(texts).to_pylist() == [["win", "cash", "noon"], [], []]


def test_a_group_that_matched_nothing_is_no_term() -> None:
    assert pattern_tokenizer(r"a(b)?")(pa.array(["a ab"])).to_pylist() == [["b"]]
