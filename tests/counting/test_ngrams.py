"""N-grams that are counted and scored as integers give what strings of them give."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbspark import Terms, Text
from nbspark.counting import pairs
from nbspark.spec import Spec
from nbspark.text import Tokenizer
from tests.builders import count_rows, documents, trained

TEXTS = st.lists(st.one_of(st.none(), st.text(alphabet="ab  cé.", max_size=14)), min_size=1, max_size=12)
OPTIONS = st.sampled_from(
    [
        {"ngrams": (1, 2)},
        {"ngrams": (2, 3), "tokens": "whitespace"},
        {"ngrams": (1, 3), "stop_words": ["a"], "min_length": 1, "max_length": 2},
        {"ngrams": (1, 2), "pattern": r"(?u)\b\w\w+\b"},
        {"ngrams": (1, 2), "pattern": r"\S+", "event": "binary"},
        {"ngrams": (1, 2), "pattern": r"[ab ]+"},  # tokens that hold blanks: "a b" may be one or two
        {"ngrams": (1, 2), "pattern": r"a b|a|b", "event": "bernoulli"},
        {"ngrams": (1, 2), "tokens": "chars"},
    ]
)


@given(TEXTS, OPTIONS, st.booleans(), st.sampled_from([5, 12_000_000]))
@settings(max_examples=100, deadline=None)
def test_counts_and_scores_of_ngrams_are_those_of_lists_of_the_same_strings(texts, options, has_weights, window):
    labels = ["yes", "no", "maybe"]
    given_labels = [labels[i % 3] for i in range(len(texts))]
    weights = [0.5 + i % 2 for i in range(len(texts))] if has_weights else None
    text = Text("t", **options)
    lists = pa.array(Tokenizer(text)(pa.array(texts, pa.string())).to_pylist(), pa.list_(pa.string()))
    of_text = Spec("y", (text,), weight="w" if has_weights else None)
    of_lists = Spec("y", (Terms("t", event=text.event),), weight=of_text.weight)
    columns = pa.array(texts, pa.string()), lists

    def rows(spec: Spec, values: pa.Array) -> list[dict]:
        counted = count_rows(spec, [documents(given_labels, values, weights=weights)]).to_pylist()
        return sorted((row for row in counted if row["label"] is not None), key=str)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "WINDOW_TERMS", window)
        assert rows(of_text, columns[0]) == rows(of_lists, columns[1])
    scorers = [
        trained(spec, given_labels, column, weights=weights)
        for spec, column in zip((of_text, of_lists), columns, strict=True)
    ]
    found, expected = (
        [part.to_pylist() for part in scorer.predict([column])] for scorer, column in zip(scorers, columns, strict=True)
    )
    assert found == expected  # to the last bit: the terms of a document are added in one order


def test_chinese_words_hold_no_blank():
    pytest.importorskip("rjieba")
    texts = pa.array(["我 来到  北京 hello world 3.5 % a b\u3000清华 大学", " x y ", "C++ 语言 和 .NET"])
    [tokens] = Tokenizer(Text("t", tokens="chinese", ngrams=(1, 2))).parts(texts)
    assert tokens.ngrams == (1, 2)
    assert not [token for token in tokens.values.to_pylist() if " " in token]
