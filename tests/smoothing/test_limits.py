"""Vocabulary limits: which terms are left, and that the others have then never been there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from nbspark import Text
from nbspark.errors import SpecError
from nbspark.smoothing.vocabulary import limit
from nbspark.spec import Spec
from tests.builders import count_table
from tests.smoothing.scores import approx, exp_scores

# the 6 in 4 documents, film 5 in 4, was 2 in 2, others once: fun, good, odd.
FILMS = ["the the film film", "the film was good the", "the film was fun", "film the odd"]


def kept(feature: Text, texts: list = FILMS) -> list[str]:
    table = count_table(Spec("y", (feature,)), ["a", "b"] * (len(texts) // 2), texts)
    return limit(feature, table.features["t"]).terms.to_pylist()


@pytest.mark.parametrize(
    ("options", "terms"),
    [
        ({}, ["film", "fun", "good", "odd", "the", "was"]),
        ({"min_docs": 2}, ["film", "the", "was"]),
        ({"min_docs": 0.5}, ["film", "the", "was"]),
        ({"min_docs": 0.51}, ["film", "the"]),
        ({"max_docs": 3}, ["fun", "good", "odd", "was"]),
        ({"max_docs": 0.5}, ["fun", "good", "odd", "was"]),
        ({"max_docs": 1.0}, ["film", "fun", "good", "odd", "the", "was"]),
        ({"max_docs": 1}, ["fun", "good", "odd"]),
        ({"min_count": 2}, ["film", "the", "was"]),
        ({"min_count": 5.5}, ["the"]),
        ({"max_terms": 4}, ["film", "fun", "the", "was"]),  # of those that occur once, the first by name
        ({"drop_top": 1}, ["film", "fun", "good", "odd", "was"]),
        ({"drop_top": 4}, ["good", "odd"]),
        ({"drop_top": 2, "max_terms": 2}, ["fun", "was"]),  # what is dropped is not in the most frequent that are kept
        ({"max_docs": 2, "max_terms": 2}, ["fun", "was"]),
        ({"drop_top": 1, "min_docs": 2, "max_docs": 3}, ["was"]),
    ],
)
def test_limits_keep_these_terms(options, terms):
    assert kept(Text("t", **options)) == terms


@given(
    st.lists(st.text("abcdef ", min_size=1, max_size=12), min_size=2, max_size=10).filter(lambda t: len(t) % 2 == 0),
    st.one_of(st.integers(1, 4), st.floats(0, 1)),
    st.one_of(st.integers(1, 9), st.floats(0, 1)),
    st.one_of(st.none(), st.integers(1, 4)),
)
@settings(max_examples=100, deadline=None)
def test_limits_are_those_of_count_vectorizer(texts, min_docs, max_docs, max_terms):
    assume(any(text.strip() for text in texts))
    theirs = CountVectorizer(min_df=min_docs, max_df=max_docs, max_features=max_terms, analyzer=str.split)
    try:
        found = theirs.fit_transform(texts)
    except ValueError:  # no term is left, or the bounds exclude each other
        assume(False)
    ours = kept(Text("t", tokens="whitespace", min_docs=min_docs, max_docs=max_docs, max_terms=max_terms), texts)
    frequency = count_of(texts)
    # Equal frequencies go by the term here; which of them scikit-learn keeps is not defined.
    names = theirs.get_feature_names_out().tolist()
    assert sorted(frequency[term] for term in ours) == sorted(frequency[term] for term in names)
    assert sorted(frequency[term] for term in ours) == sorted(found.sum(axis=0).tolist()[0])
    if max_terms is None:
        assert ours == names


def count_of(texts: list[str]) -> dict[str, int]:
    tokens = [token for text in texts for token in text.split()]
    return {token: tokens.count(token) for token in tokens}


def test_limits_drop_terms_as_if_they_had_never_been_there():
    limited = Spec("y", (Text("t", drop_top=2, min_docs=1),))
    without = [" ".join(token for token in text.split() if token not in ("the", "film")) for text in FILMS]
    for query in ("the fun film", "was good", None):
        expected = exp_scores(Spec("y", (Text("t"),)), query, ["a", "b"] * 2, without)
        assert exp_scores(limited, query, ["a", "b"] * 2, FILMS) == expected


@pytest.mark.parametrize("event", ["multinomial", "binary", "bernoulli", "complement"])
def test_a_vocabulary_of_one_term_gives_finite_scores(event):
    normed = (False, True) if event == "complement" else (False,)
    for norm in normed:
        scores = exp_scores(Spec("y", (Text("t", event=event, norm=norm, max_terms=1),)), "x")
        assert np.isfinite(scores).all()
    if event == "complement":
        assert scores == approx(3 / 4, 1 / 4)


@pytest.mark.parametrize(
    "options", [{"min_docs": 5}, {"max_docs": 0}, {"drop_top": 9}, {"max_terms": 0}, {"min_count": 7}]
)
def test_limits_that_keep_no_term_are_refused_with_the_terms_before_and_after(options):
    [(name, value)] = options.items()
    with pytest.raises(SpecError, match=rf"text feature 't': its limits {name}={value}.*: 6 before, 0 after"):
        kept(Text("t", **options))


def test_a_model_without_any_term_is_no_error():
    assert kept(Text("t", min_docs=1), ["", None]) == []
