"""A model that is too large to hold in memory stays a table, and gives the numbers of the one that is held."""

from __future__ import annotations

import math

import pytest

import nbspark
from nbspark import Categorical, NaiveBayes, Numeric, Terms, Text
from nbspark.counting.table import CountTable
from nbspark.counts import CountsAsTable
from nbspark.errors import SpecError
from nbspark.features.options import MAXIMUM_LIKELIHOOD
from nbspark.model import Model

ROWS = [
    (1, "a", "x x y", "p", 1.0, {"k": 2.0, "m": 0.5}, 1.0),
    (2, "a", "x w y", "q", 2.0, {"k": 1.0}, 2.0),
    (3, "a", None, None, 5.0, None, 1.0),
    (4, "b", "y z z z", "p", 8.0, {"m": 3.0}, 0.5),
    (5, "b", "y v", "p", None, {}, 3.0),
    (6, "c", "w w z", "r", 3.0, {"l": 1.5}, 1.0),
    (7, "d", None, None, None, None, 1.0),
    (8, None, "z zzz", "unseen", 0.0, {"m": 1.0, "zzz": 1.0}, 1.0),
]
SCHEMA = "id int, y string, t string, c string, x double, m map<string,double>, w double"
LIMITS = {"drop_top": 1, "min_docs": 1, "max_docs": 0.9, "min_count": 1.5, "max_terms": 3}


@pytest.fixture(scope="module")
def docs(spark):
    return spark.createDataFrame(ROWS, SCHEMA).repartition(2).cache()


@pytest.fixture(scope="module")
def model(docs):
    """Text, categories, numbers and terms, learned once; the tests choose other options."""
    features = [Text("t"), Categorical("c"), Numeric("x"), Terms("m")]
    return NaiveBayes("y", features, weight="w").fit(docs)


@pytest.fixture
def as_table(monkeypatch):
    """Return what makes of a model the same one that is too large for memory; reading it all is then an error."""

    def read() -> CountTable:
        raise AssertionError("a model that stays a table was read into memory")

    def make(small: Model) -> Model:
        monkeypatch.setattr("nbspark.model.BROADCAST_PAIRS", 0)
        return Model(small.spec, CountsAsTable(small.spec, small.counts, read), small.rows)

    return make


BALANCED = {"class_weight": "balanced"}
NORMALISED = {"event": "complement", "norm": True}
CHOICES = {
    "as learned": [(None, {})],
    "limits, binary": [
        ("t", {"event": "binary", **LIMITS}),
        ("m", {"min_docs": 0.3}),
        (None, {"prior": "tokens", **BALANCED}),
    ],
    "bernoulli": [
        ("t", {"event": "bernoulli", **LIMITS}),
        ("m", {"event": "bernoulli", "alpha": 0.5}),
        (None, BALANCED),
    ],
    "complement, alphas": [
        ("t", {**NORMALISED, **LIMITS}),
        ("m", {"event": "complement"}),
        (None, {"alpha": {"x": 0.5, "m": 3.0, "p": 2.0}, "prior": "none"}),
    ],
    "alphas, given priors and class weights": [
        ("t", {"alpha": {"x": 0.5, "w": 4.0, "unheard": 9.0}, **LIMITS}),
        ("c", {"alpha": {"q": 0.1}}),
        (None, {"prior": {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4}, "prior_smoothing": 0.5}),
        (None, {"class_weight": {"a": 1.0, "b": 2.0, "c": 0.5, "d": 3.0}}),
    ],
    "maximum likelihood": [(None, {"alpha": MAXIMUM_LIKELIHOOD, "prior_smoothing": 1.0})],
    "one term left": [("t", {"max_terms": 1, **NORMALISED}), ("m", {"max_terms": 1, **NORMALISED})],
}


@pytest.mark.parametrize("choice", list(CHOICES))
def test_a_model_that_stays_a_table_scores_like_one_in_memory(docs, model, as_table, choice):
    small = model
    for feature, options in CHOICES[choice]:
        small = small.with_options(feature=feature, **options)
    large = as_table(small)
    asked = {"probabilities": True, "truth": "y"}
    expected = {row["id"]: row for row in small.transform(docs, plan="broadcast", **asked).collect()}
    found = large.transform(docs, **asked).collect()
    assert sorted(row["id"] for row in found) == [row[0] for row in ROWS]
    exact = ("prediction", "n_terms", "n_known")
    for row in found:
        wanted = expected[row["id"]]
        assert [row[name] for name in exact] == [wanted[name] for name in exact]
        assert row["probabilities"] == pytest.approx(wanted["probabilities"], rel=1e-9, abs=1e-300)
        loss = wanted["log_loss"]
        assert row["log_loss"] == (loss if loss is None else pytest.approx(loss))
    assert (large.labels, large.class_docs, large.n_terms) == (small.labels, small.class_docs, small.n_terms)
    assert log_likelihoods_of(large) == pytest.approx(log_likelihoods_of(small), rel=1e-12, abs=1e-12)


def test_limits_that_keep_no_term_are_refused_wherever_the_counts_are(docs, model, as_table):
    for one in (model, as_table(model)):
        with pytest.raises(SpecError, match=r"max_terms=0 keep none of its terms: .* before, 0 after"):
            one.with_options(feature="t", max_terms=0).transform(docs)


def log_likelihoods_of(model: Model) -> dict[tuple, float]:
    rows = model.log_likelihoods().collect()
    return {(row["feature"], row["label"], row["term"]): row["log_likelihood"] for row in rows}


def test_log_likelihoods_are_probabilities_of_terms(model):
    found = log_likelihoods_of(model.with_options(event="bernoulli"))
    rows = {key: math.exp(value) for key, value in found.items()}
    # By weight: a has 4 documents, x in 3 of them; 4 + 2 is the divisor. No document of b has x.
    assert rows["t", "a", "x"] == pytest.approx((3 + 1) / (4 + 2))
    assert rows["t", "b", None] == pytest.approx((0 + 1) / (3.5 + 2))
    # Three categories: q has weight 2 of 3 in a.
    assert rows["c", "a", "q"] == pytest.approx((2 + 1) / (3 + 3))


def test_maximum_likelihood_leaves_minus_infinity_to_what_was_not_seen(model):
    rows = log_likelihoods_of(model.with_options(alpha=MAXIMUM_LIKELIHOOD))
    found = {term: value for (feature, label, term), value in rows.items() if (feature, label) == ("t", "a")}
    # By weight: x x y once, x w y twice: 9 tokens.
    assert found == pytest.approx({"x": math.log(4 / 9), "y": math.log(3 / 9), "w": math.log(2 / 9), None: -math.inf})


def test_a_large_model_on_disk_is_loaded_and_scored_without_being_read_whole(docs, model, tmp_path, monkeypatch):
    model.save(str(tmp_path / "model"))
    monkeypatch.setattr("nbspark.model.BROADCAST_PAIRS", 0)
    monkeypatch.setattr("nbspark.model.read_counts", lambda store, version: pytest.fail("read whole"))
    large = nbspark.load(str(tmp_path / "model"))
    found = {row["id"]: row["prediction"] for row in large.transform(docs).collect()}
    assert found == {row["id"]: row["prediction"] for row in model.transform(docs, plan="broadcast").collect()}
