"""The scoring kernel: parity, ties, documents without known terms, documents of any length."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import MultinomialNB

from nbspark import Text
from nbspark.errors import SpecError
from nbspark.scoring import kernel, lifts
from nbspark.spec import Spec
from tests.builders import trained

SPEC = Spec("y", (Text("t"),))


@st.composite
def corpora(draw):
    """Draw counts (documents x terms), a class for each document, alpha, and counts of documents to score."""
    n_terms = draw(st.integers(1, 6))
    rows = st.lists(st.integers(0, 3), min_size=n_terms, max_size=n_terms)
    counts = np.array(draw(st.lists(rows, min_size=1, max_size=12)))
    counts[0, 0] = 1  # no term at all is an error of its own
    classes = draw(st.lists(st.sampled_from("abcd"), min_size=len(counts), max_size=len(counts)))
    queries = np.array(draw(st.lists(rows, min_size=1, max_size=5)))
    return counts, classes, draw(st.floats(0.01, 10)), queries


def texts_of(counts: np.ndarray) -> list[str]:
    """Write each row of counts as a text."""
    return [" ".join(f"w{t} " * n for t, n in enumerate(row)) for row in counts]


@given(corpora())
@settings(max_examples=100, deadline=None)
def test_joint_log_likelihood_is_that_of_scikit_learn(corpus):
    counts, classes, alpha, queries = corpus
    seen = counts.sum(axis=0) > 0  # scikit-learn also smooths columns that no document has
    theirs = MultinomialNB(alpha=alpha).fit(counts[:, seen], classes)
    scorer = trained(Spec("y", (Text("t"),), alpha=alpha), classes, texts_of(counts))
    ours = scorer.joint_log_likelihood([pa.array(texts_of(queries))])
    assert scorer.labels == theirs.classes_.tolist()
    np.testing.assert_allclose(ours, theirs.predict_joint_log_proba(queries[:, seen]), rtol=0, atol=1e-9)


@given(corpora())
@settings(max_examples=50, deadline=None)
def test_probabilities_sum_to_one_and_the_prediction_has_the_highest(corpus):
    counts, classes, alpha, queries = corpus
    scorer = trained(Spec("y", (Text("t"),), alpha=alpha), classes, texts_of(counts), probabilities=True, top_k=2)
    prediction, probability, _, _, probabilities, top_k = scorer.predict([pa.array(texts_of(queries))])
    for i in range(len(queries)):
        shares = dict(probabilities[i].as_py())
        assert math.isclose(sum(shares.values()), 1.0, abs_tol=1e-12)
        assert shares[prediction[i].as_py()] == max(shares.values()) == probability[i].as_py()
        best = sorted(shares.items(), key=lambda pair: (-pair[1], pair[0]))[:2]
        assert [(one["label"], one["probability"]) for one in top_k[i].as_py()] == best


@given(corpora(), st.integers(0, 8))
@settings(max_examples=50, deadline=None)
def test_a_sparse_model_and_one_that_is_partly_dense_score_like_a_dense_one(corpus, dense_numbers):
    counts, classes, _, queries = corpus
    scorer = trained(SPEC, classes, texts_of(counts))
    dense = scorer.joint_log_likelihood([pa.array(texts_of(queries))])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lifts, "DENSE", dense_numbers)
        patch.setattr(kernel, "BLOCK", 4)
        sparse = trained(SPEC, classes, texts_of(counts))
        np.testing.assert_allclose(sparse.joint_log_likelihood([pa.array(texts_of(queries))]), dense, atol=1e-12)
        probability = scorer.predict([pa.array(texts_of(queries))])[1].to_numpy()
        np.testing.assert_allclose(sparse.predict([pa.array(texts_of(queries))])[1].to_numpy(), probability, atol=1e-12)


def test_unknown_terms_are_dropped_not_smoothed():
    scorer = trained(SPEC, ["spam", "ham"], ["win cash", "lunch"])
    prediction, probability, n_terms, n_known = scorer.predict([pa.array(["win", "win zzz zzz"])])
    assert prediction.to_pylist() == ["spam", "spam"]
    assert probability[0] == probability[1]
    assert (n_terms.to_pylist(), n_known.to_pylist()) == ([1, 3], [1, 1])


def test_documents_without_terms_count_for_the_prior_and_are_scored_by_it():
    labels = ["spam", "spam", "spam", "spam", "ham"]
    scorer = trained(SPEC, labels, ["win cash", "", None, "  !!! ", "lunch noon"], probabilities=True)
    prediction, probability, n_terms, n_known, _ = scorer.predict([pa.array(["", None, "???", "cash lunch"])])
    assert prediction.to_pylist() == ["spam"] * 4
    # spam 4/5 * (1+1)/(2+4) * (0+1)/(2+4), ham 1/5 * (0+1)/(2+4) * (1+1)/(2+4): again 4 to 1.
    assert probability.to_pylist() == pytest.approx([4 / 5] * 4)
    assert (n_terms.to_pylist(), n_known.to_pylist()) == ([0, 0, 0, 2], [0, 0, 0, 2])


def test_a_tie_goes_to_the_first_label_and_can_be_seen():
    scorer = trained(SPEC, ["foo", "bar"], ["they foo", "they bar"], top_k=2)
    prediction, probability, _, _, top_k = scorer.predict([pa.array(["they", "zzz", ""])])
    assert prediction.to_pylist() == ["bar"] * 3
    assert probability.to_pylist() == [1 / 2] * 3
    half_each = [{"label": "bar", "probability": 1 / 2}, {"label": "foo", "probability": 1 / 2}]
    assert top_k.to_pylist() == [half_each] * 3


def test_long_documents_neither_underflow_nor_saturate():
    scorer = trained(SPEC, ["spam", "ham"], ["win win cash", "lunch noon lunch"])
    # V = 4, 3 tokens a class: P(win|spam) = P(lunch|ham) = 3/7, P(lunch|spam) = P(win|ham) = 1/7.
    texts = pa.array(["win " * 2501 + "lunch " * 2500, "win " * 1000])
    log_joint = scorer.joint_log_likelihood([texts])
    assert log_joint[0] == pytest.approx([-6985.659081, -6984.560469], abs=1e-6)  # ham, spam
    prediction, probability, _, _, log_loss = scorer.predict([texts], pa.array(["spam", "ham"]))
    assert prediction.to_pylist() == ["spam", "spam"]
    assert probability[0].as_py() == pytest.approx(3 / 4, abs=1e-9)
    assert log_loss.to_pylist() == pytest.approx([-math.log(3 / 4), 1000 * math.log(3)], abs=1e-9)


def test_a_document_of_a_million_tokens_has_a_finite_score():
    scorer = trained(SPEC, ["spam", "ham"], ["win win cash", "lunch noon lunch"])
    score = scorer.joint_log_likelihood([pa.array(["win " * 1_000_000])])[0]
    assert score == pytest.approx([math.log(1 / 2) - 1e6 * math.log(7), math.log(1 / 2) + 1e6 * math.log(3 / 7)])


def test_log_loss_is_null_where_the_label_is_null_or_was_never_seen():
    scorer = trained(SPEC, ["a", "b"], ["x", "y"])
    log_loss = scorer.predict([pa.array(["x", "x", "x"])], pa.array(["a", None, "zzz"]))[-1]
    assert log_loss.to_pylist() == [pytest.approx(-math.log(2 / 3)), None, None]  # (1+1)/(1+2) against (0+1)/(1+2)


def test_one_class_is_always_right():
    prediction, probability, _, _ = trained(SPEC, ["only"], ["x"]).predict([pa.array(["x", "y", None])])
    assert (prediction.to_pylist(), probability.to_pylist()) == (["only"] * 3, [1.0] * 3)


def test_no_documents_give_no_predictions():
    columns = trained(SPEC, ["a", "b"], ["x", "y"], probabilities=True, top_k=1).predict([pa.array([], pa.string())])
    assert [len(column) for column in columns] == [0] * 6


def test_probabilities_as_an_array_are_those_of_the_map_in_string_order_of_the_labels():
    texts = [pa.array(["win lunch", None])]
    labels, learned = ["spam", "ham", "eggs"], ["win", "lunch", "lunch win"]
    as_map, as_array = (
        trained(SPEC, labels, learned, probabilities=asked).predict(texts)[4].to_pylist() for asked in (True, "array")
    )
    assert as_array == [[dict(row)[label] for label in sorted(labels)] for row in as_map]
    with pytest.raises(SpecError, match="probabilities='list' is not one of True, False"):
        trained(SPEC, ["a"], ["b"], probabilities="list")
