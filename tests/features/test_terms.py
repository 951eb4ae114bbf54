"""What terms and counts are read from lists, maps and texts, and what is skipped or refused."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

from nbspark import Terms, Text
from nbspark.errors import DocumentsError
from tests.builders import count_table, spec_of, trained

LISTS = pa.list_(pa.string())
MAPS = pa.map_(pa.string(), pa.float64())


def test_lists_maps_and_texts_of_the_same_terms_are_the_same_model():
    query = {
        "text": pa.array(["win win zzz", None]),
        "list": pa.array([["win", "win", "zzz"], None], LISTS),
        "map": pa.array([[("win", 2.0), ("zzz", 1.0)], None], MAPS),
    }
    training = {
        "text": ["win cash win", "lunch", ""],
        "list": pa.array([["win", "cash", "win"], ["lunch"], []], LISTS),
        "map": pa.array([[("win", 2.0), ("cash", 1.0)], [("lunch", 1.0)], []], MAPS),
    }
    for event in ("multinomial", "binary", "bernoulli", "complement"):
        features = {kind: (Text if kind == "text" else Terms)("t", event=event) for kind in query}
        found = [
            trained(spec_of(features[kind]), ["a", "b", "b"], training[kind]).joint_log_likelihood([query[kind]])
            for kind in query
        ]
        assert found[0].tolist() == found[1].tolist() == found[2].tolist()


def test_null_elements_of_a_list_are_no_terms():
    scorer = trained(spec_of(Terms("t")), ["a", "b"], pa.array([["x", None], [None]], LISTS))
    assert scorer.predict([pa.array([[None, "x", None], [None]], LISTS)])[2].to_pylist() == [1, 0]


def test_a_term_with_count_0_does_not_occur():
    maps = pa.array([[("x", 1.0), ("y", 0.0)], [("x", 1.0), ("z", 0.0)]], MAPS)
    table = count_table(spec_of(Terms("t")), ["a", "b"], maps)
    assert table.features["t"].terms.to_pylist() == ["x"]


@pytest.mark.parametrize(("count", "shown"), [(-1.0, "-1.0"), (math.nan, "nan"), (math.inf, "inf"), (None, "None")])
def test_a_count_that_is_none_is_named_with_its_column(count, shown):
    bad = pa.array([[("x", 1.0)], [("y", count)]], MAPS)
    told = rf"column 'tfidf' holds the count {shown} .*finite number >= 0"
    with pytest.raises(DocumentsError, match=told):
        trained(spec_of(Terms("tfidf")), ["a", "b"], bad)
    scorer = trained(spec_of(Terms("tfidf")), ["a", "b"], pa.array([[("x", 1.0)], [("y", 1.0)]], MAPS))
    with pytest.raises(DocumentsError, match=told):
        scorer.predict([bad])


@pytest.mark.parametrize("values", [["x", "y"], [1, 2], [{"x": 1}, {"y": 2}]])
def test_a_column_that_holds_no_terms_is_named(values):
    with pytest.raises(DocumentsError, match=r"column 'tags' holds .*; a terms feature wants lists of terms, maps"):
        trained(spec_of(Terms("tags")), ["a", "b"], values)


def test_slices_of_nested_columns_are_read_from_where_they_start():
    lists = pa.array([["q"], ["x", "y"], None, ["z"]], LISTS)
    maps = pa.array([[("q", 9.0)], [("x", 1.0), ("y", 1.0)], None, [("z", 1.0)]], MAPS)
    for values in (lists, maps):
        table = count_table(spec_of(Terms("t")), ["a", "b", "c"], values[1:])
        assert table.features["t"].terms.to_pylist() == ["x", "y", "z"]
