"""Every event model gives scikit-learn's joint log-likelihood on random data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.utils.class_weight import compute_sample_weight

from nbspark import Categorical, Numeric, Terms, Text
from nbspark.spec import Spec
from tests.builders import trained

COUNTS = pa.map_(pa.string(), pa.float64())
SETTINGS = settings(max_examples=60, deadline=None)


@dataclass(frozen=True)
class Corpus:
    """Counts of documents x terms, each term in some document; classes; weights; pseudo-counts; documents to score."""

    counts: np.ndarray
    classes: list[str]
    weights: list[float]
    alpha: np.ndarray
    queries: np.ndarray

    def alphas(self) -> dict[str, float]:
        """Return the pseudo-counts as a spec has them."""
        return {f"w{t}": float(alpha) for t, alpha in enumerate(self.alpha)}


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    n_terms, n_docs = draw(st.integers(2, 6)), draw(st.integers(2, 12))
    rows = st.lists(st.integers(0, 3), min_size=n_terms, max_size=n_terms)
    counts = np.array(draw(st.lists(rows, min_size=n_docs, max_size=n_docs)))
    counts[0, :2] += 1  # at least two terms
    seen = counts.any(axis=0)  # scikit-learn also smooths columns that no document has
    queries = np.array(draw(st.lists(rows, min_size=1, max_size=5)))
    positive = st.floats(0.01, 10)
    return Corpus(
        counts[:, seen].astype(float),
        draw(st.lists(st.sampled_from("abcd"), min_size=n_docs, max_size=n_docs)),
        draw(st.lists(positive, min_size=n_docs, max_size=n_docs)),
        np.array(draw(st.lists(positive, min_size=int(seen.sum()), max_size=int(seen.sum())))),
        queries[:, seen].astype(float),
    )


def maps(counts: np.ndarray) -> pa.Array:
    """Return each row of counts as a map from term to count."""
    return pa.array([[(f"w{t}", n) for t, n in enumerate(row)] for row in counts], COUNTS)


def texts(counts: np.ndarray) -> pa.Array:
    """Return each row of whole counts as a text."""
    return pa.array([" ".join(f"w{t} " * int(n) for t, n in enumerate(row)) for row in counts])


def ours(spec: Spec, corpus: Corpus, columns: Any = maps) -> np.ndarray:
    weights = None if spec.weight is None else corpus.weights
    scorer = trained(spec, corpus.classes, columns(corpus.counts), weights=weights)
    return scorer.joint_log_likelihood([columns(corpus.queries)])


def theirs(model: Any, corpus: Corpus, weights: Any = None) -> np.ndarray:
    fitted = model.fit(corpus.counts, corpus.classes, sample_weight=weights)
    return fitted.predict_joint_log_proba(corpus.queries)


def assert_same(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


@given(corpora())
@SETTINGS
def test_multinomial_with_a_pseudo_count_for_each_term(corpus):
    spec = Spec("y", (Text("t", alpha=corpus.alphas()),))
    assert_same(ours(spec, corpus, texts), theirs(MultinomialNB(alpha=corpus.alpha), corpus))


@given(corpora())
@SETTINGS
def test_multinomial_with_weights(corpus):
    spec = Spec("y", (Terms("t", alpha=corpus.alphas()),), weight="w")
    assert_same(ours(spec, corpus), theirs(MultinomialNB(alpha=corpus.alpha), corpus, corpus.weights))


@given(corpora())
@SETTINGS
def test_multinomial_on_fractional_counts(corpus):
    tfidf = TfidfTransformer().fit(corpus.counts)
    corpus = replace(
        corpus,
        counts=tfidf.transform(corpus.counts).toarray(),
        queries=tfidf.transform(corpus.queries).toarray(),
    )
    spec = Spec("y", (Terms("t"),), alpha=0.5)
    assert_same(ours(spec, corpus), theirs(MultinomialNB(alpha=0.5), corpus))


@given(corpora())
@SETTINGS
def test_binary_is_multinomial_on_clipped_counts(corpus):
    spec = Spec("y", (Text("t", event="binary"),), weight="w")
    clipped = replace(corpus, counts=corpus.counts.clip(max=1), queries=corpus.queries.clip(max=1))
    assert_same(ours(spec, corpus, texts), theirs(MultinomialNB(), clipped, corpus.weights))


@given(corpora(), st.floats(0.01, 10))
@SETTINGS
def test_bernoulli_with_weights(corpus, alpha):
    for column, columns in ((Text("t", event="bernoulli"), texts), (Terms("t", event="bernoulli"), maps)):
        spec = Spec("y", (column,), alpha=alpha, weight="w")
        assert_same(ours(spec, corpus, columns), theirs(BernoulliNB(alpha=alpha), corpus, corpus.weights))


@pytest.mark.parametrize("norm", [False, True])
@given(corpus=corpora())
@SETTINGS
def test_complement_with_weights_and_a_pseudo_count_for_each_term(norm, corpus):
    # Their complement model adds the class prior only where there is one class, and then it is log 1.
    feature = Terms("t", event="complement", norm=norm, alpha=corpus.alphas())
    spec = Spec("y", (feature,), prior="none", weight="w")
    expected = theirs(ComplementNB(alpha=corpus.alpha, norm=norm), corpus, corpus.weights)
    assert_same(ours(spec, corpus), expected)


@given(corpora(), st.lists(st.integers(1, 9), min_size=4, max_size=4))
@SETTINGS
def test_given_priors(corpus, parts):
    labels = sorted(set(corpus.classes))
    shares = np.array(parts[: len(labels)]) / sum(parts[: len(labels)])
    prior = dict(zip(labels, shares.tolist(), strict=True))
    for event, model in (("multinomial", MultinomialNB), ("bernoulli", BernoulliNB)):
        spec = Spec("y", (Text("t", event=event),), prior=prior)
        assert_same(ours(spec, corpus, texts), theirs(model(class_prior=shares), corpus))
    spec = Spec("y", (Text("t"),), prior="uniform")
    assert_same(ours(spec, corpus, texts), theirs(MultinomialNB(fit_prior=False), corpus))


@given(corpora())
@SETTINGS
def test_balanced_classes(corpus):
    weights = compute_sample_weight("balanced", corpus.classes)
    events = {"multinomial": MultinomialNB(), "bernoulli": BernoulliNB(), "complement": ComplementNB()}
    for event, model in events.items():
        prior = "none" if event == "complement" else "documents"
        spec = Spec("y", (Text("t", event=event),), prior=prior, class_weight="balanced")
        assert_same(ours(spec, corpus, texts), theirs(model, corpus, weights))


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, list[str], list[float], np.ndarray]:
    """Draw codes (rows x columns), none left out up to the largest; classes, weights, rows to score."""
    n_rows, n_columns = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    drawn = st.lists(st.integers(0, 4), min_size=n_rows, max_size=n_rows)
    columns = [np.unique(draw(drawn), return_inverse=True)[1] for _ in range(n_columns)]
    classes = draw(st.lists(st.sampled_from("abc"), min_size=n_rows, max_size=n_rows))
    weights = draw(st.lists(st.floats(0.01, 10), min_size=n_rows, max_size=n_rows))
    queries = [draw(st.lists(st.integers(0, int(column.max())), min_size=3, max_size=3)) for column in columns]
    return np.column_stack(columns), classes, weights, np.column_stack(queries)


@given(tables(), st.floats(0.01, 10))
@SETTINGS
def test_categories_with_weights(table, alpha):
    rows, classes, weights, queries = table
    features = tuple(Categorical(f"f{i}") for i in range(rows.shape[1]))
    scorer = trained(Spec("y", features, alpha=alpha, weight="w"), classes, *rows.T, weights=weights)
    model = CategoricalNB(alpha=alpha).fit(rows, classes, sample_weight=weights)
    assert_same(
        scorer.joint_log_likelihood([pa.array(one) for one in queries.T]), model.predict_joint_log_proba(queries)
    )


@st.composite
def numbers(draw: st.DrawFn) -> tuple[np.ndarray, list[str], list[int], np.ndarray]:
    """Draw two columns of numbers that vary within each class; classes, whole weights, rows to score."""
    classes = draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=8))
    row = st.tuples(st.integers(-40, 40), st.integers(-4000, 4000))
    values = draw(st.lists(row, min_size=len(classes), max_size=len(classes)))
    labels = sorted(set(classes))
    values += [(x, 10 * x) for x in (-1, 3) for _ in labels]
    classes += labels * 2
    weights = draw(st.lists(st.integers(1, 4), min_size=len(classes), max_size=len(classes)))
    return np.array(values) / 8, classes, weights, np.array(draw(st.lists(row, min_size=1, max_size=5))) / 8


def gaussian(rows: tuple[np.ndarray, list[str], Any, np.ndarray], var_smoothing: float, **options: Any) -> np.ndarray:
    values, classes, weights, queries = rows
    features = tuple(Numeric(name, var_smoothing=var_smoothing) for name in ("x1", "x2"))
    weight = None if weights is None else "w"
    scorer = trained(Spec("y", features, weight=weight, **options), classes, *values.T, weights=weights)
    return scorer.joint_log_likelihood([pa.array(one) for one in queries.T])


@given(numbers(), st.floats(1e-3, 1), st.lists(st.integers(1, 9), min_size=3, max_size=3))
@SETTINGS
def test_gaussian_with_a_variance_floor_and_given_priors(rows, var_smoothing, parts):
    values, classes, _, queries = rows
    labels = sorted(set(classes))
    shares = np.array(parts[: len(labels)]) / sum(parts[: len(labels)])
    prior = dict(zip(labels, shares.tolist(), strict=True))
    model = GaussianNB(priors=shares, var_smoothing=var_smoothing).fit(values, classes)
    found = gaussian((values, classes, None, queries), var_smoothing, prior=prior)
    np.testing.assert_allclose(found, model.predict_joint_log_proba(queries), rtol=1e-12, atol=1e-9)


@given(numbers(), st.floats(1e-3, 1))
@SETTINGS
def test_gaussian_with_whole_weights_is_theirs_on_rows_repeated(rows, var_smoothing):
    # With sample weights scikit-learn takes the floor from the variance without them, which depends on how a
    # table is written: a row of weight 2 is not the row twice. Ours is, floor included.
    values, classes, weights, queries = rows
    model = GaussianNB(var_smoothing=var_smoothing).fit(np.repeat(values, weights, axis=0), np.repeat(classes, weights))
    found = gaussian(rows, var_smoothing)
    np.testing.assert_allclose(found, model.predict_joint_log_proba(queries), rtol=1e-12, atol=1e-9)


@given(numbers(), st.lists(st.floats(0.1, 10), min_size=14, max_size=14))
@SETTINGS
def test_gaussian_with_fractional_weights_and_no_floor(rows, weights):
    values, classes, _, queries = rows
    weights = weights[: len(classes)]
    model = GaussianNB(var_smoothing=0).fit(values, classes, sample_weight=weights)
    found = gaussian((values, classes, weights, queries), 0.0)
    np.testing.assert_allclose(found, model.predict_joint_log_proba(queries), rtol=1e-9, atol=1e-9)
