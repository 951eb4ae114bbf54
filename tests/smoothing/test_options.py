"""Options that are chosen when a model is read: priors and pseudo-counts."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from nbspark import Numeric, Terms, Text
from nbspark.errors import SpecError
from nbspark.features.options import MAXIMUM_LIKELIHOOD
from nbspark.spec import Spec
from tests.builders import trained
from tests.smoothing.scores import LABELS, TEXTS, approx, exp_scores

# Priors


@pytest.mark.parametrize(
    ("prior", "smoothing", "expected"),
    [
        ("documents", 0, (Fraction(3, 4), Fraction(1, 4))),
        ("documents", 1, (Fraction(3 + 1, 4 + 2), Fraction(1 + 1, 4 + 2))),
        ("tokens", 0, (Fraction(4, 8), Fraction(4, 8))),
        ("tokens", 0.5, (Fraction(1, 2), Fraction(1, 2))),
        ("uniform", 0, (Fraction(1, 2), Fraction(1, 2))),
        ("uniform", 3, (Fraction(1, 2), Fraction(1, 2))),
        ("none", 0, (1, 1)),
        ({"b": 0.9, "a": 0.1}, 0, (0.1, 0.9)),
        ({"b": 1.0, "a": 0.0}, 0, (0, 1)),
    ],
)
def test_a_document_without_terms_is_scored_by_the_prior(prior, smoothing, expected):
    spec = Spec("y", (Text("t"),), prior=prior, prior_smoothing=smoothing)
    assert exp_scores(spec, None) == approx(*expected)


def test_token_priors_count_the_tokens_of_the_vocabulary_that_is_left():
    spec = Spec("y", (Text("t", drop_top=1),), prior="tokens")
    # x and z occur three times each: x goes. a has y left, b has y z z z.
    assert exp_scores(spec, None) == approx(Fraction(1, 5), Fraction(4, 5))


@pytest.mark.parametrize(
    ("prior", "told"),
    [
        ({"a": 1.0}, r"the given prior lacks the classes \['b'\] and names \[\], which are none"),
        ({"a": 0.5, "b": 0.25, "c": 0.25}, r"the given prior lacks the classes \[\] and names \['c'\], which are none"),
    ],
)
def test_a_given_prior_names_every_class_and_no_other(prior, told):
    with pytest.raises(SpecError, match=told):
        trained(Spec("y", (Text("t"),), prior=prior), LABELS, TEXTS)


@pytest.mark.parametrize("prior", [{"a": 0.5, "b": 0.6}, {"a": -0.5, "b": 1.5}, {}])
def test_given_priors_are_shares_that_sum_to_1(prior):
    with pytest.raises(SpecError, match=r"a given prior wants shares >= 0 that sum to 1, found \{"):
        Spec("y", (Text("t"),), prior=prior)


def test_a_class_weight_multiplies_the_counts_of_its_class():
    spec = Spec("y", (Text("t"),), class_weight={"a": 1.0, "b": 3.0})
    # b: 3 documents; y 3, z 9, 12 tokens.
    assert exp_scores(spec, "z") == approx(
        Fraction(3, 6) * Fraction(0 + 1, 4 + 3), Fraction(3, 6) * Fraction(9 + 1, 12 + 3)
    )
    with pytest.raises(SpecError, match=r"class_weight lacks the classes \['b'\] and names \['c'\]"):
        trained(Spec("y", (Text("t"),), class_weight={"a": 1.0, "c": 1.0}), LABELS, TEXTS)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"prior_smoothing": -1}, "prior_smoothing wants a number >= 0, found -1"),
        ({"prior_smoothing": math.inf}, "prior_smoothing wants a number >= 0, found inf"),
        ({"class_weight": "equal"}, "class_weight='equal' is not one of"),
        ({"class_weight": {"a": 0.0}}, "class_weight wants numbers > 0"),
        ({"alpha": 5e-324}, r"alpha wants a number from 1e-100 to 1e\+100, found 5e-324"),
        ({"alpha": {"x": 1e308, "y": 2.0}}, r"alpha wants a number from 1e-100 to 1e\+100, found 1e\+308 for 'x'"),
        ({"prior_smoothing": 1e308}, r"prior_smoothing wants a number <= 1e\+100, found 1e\+308"),
        ({"class_weight": {"a": 1e-320}}, "class_weight wants numbers > 0, from 1e-100"),
        ({"alpha": -1}, "alpha wants a number > 0, found -1. .*'maximum_likelihood'"),
        ({"alpha": 0}, "alpha wants a number > 0, found 0. .*'maximum_likelihood'"),
        ({"alpha": {"x": 1.0, "y": 0.0}}, "alpha wants a number > 0, found 0.0 for 'y'"),
        ({"alpha": {}}, "alpha wants a number > 0, found {}"),
        ({"alpha": "laplace"}, "alpha wants a number > 0, found 'laplace'"),
    ],
)
def test_a_wrong_option_of_the_model_is_shown(options, told):
    with pytest.raises(SpecError, match=told):
        Spec("y", (Text("t"),), **options)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"alpha": -0.5}, "text feature 't': alpha wants a number > 0, found -0.5"),
        ({"event": "gaussian"}, "text feature 't': event='gaussian' is not one of"),
        ({"norm": True}, r"norm goes with event \['complement'\], found event='multinomial'"),
        ({"event": "bernoulli", "alpha": {"x": 2.0}}, "event='bernoulli' takes one alpha for all terms"),
        ({"event": "bernoulli", "alpha": MAXIMUM_LIKELIHOOD}, "event='bernoulli' needs alpha > 0"),
        ({"event": "complement", "alpha": MAXIMUM_LIKELIHOOD}, "event='complement' needs alpha > 0"),
        ({"min_docs": -1}, "min_docs wants a number >= 0, found -1"),
        ({"max_docs": 1.5}, r"max_docs wants a whole number, or a share from 0.0 to 1.0, found 1.5"),
        ({"max_terms": 2.5}, "max_terms wants a whole number, found 2.5"),
        ({"drop_top": -1}, "drop_top wants a number >= 0, found -1"),
        (
            {"tokens": "chars", "stop_words": ["the"], "max_length": 3},
            "text feature 't': tokens='chars' cuts no words: leave out max_length; .* leave out stop_words",
        ),
    ],
)
def test_a_wrong_option_of_a_feature_is_shown(options, told):
    with pytest.raises(SpecError, match=told):
        Text("t", **options)


def test_the_alpha_of_the_model_must_suit_the_event_of_each_feature_that_has_none_of_its_own():
    with pytest.raises(SpecError, match="text feature 't': event='bernoulli' takes one alpha for all terms"):
        Spec("y", (Text("t", event="bernoulli"),), alpha={"x": 2.0})
    with pytest.raises(SpecError, match="terms feature 't': event='complement' needs alpha > 0"):
        Spec("y", (Terms("t", event="complement"),), alpha=MAXIMUM_LIKELIHOOD)
    assert Spec("y", (Terms("t", event="complement", alpha=1.0), Numeric("x")), alpha=MAXIMUM_LIKELIHOOD)


# Pseudo-counts


def test_the_alpha_of_a_feature_goes_before_that_of_the_model():
    spec = Spec("y", (Text("t", alpha=0.5),), alpha=7.0, prior="none")
    assert exp_scores(spec, "z") == approx((0 + 0.5) / (4 + 3 * 0.5), (3 + 0.5) / (4 + 3 * 0.5))


def test_a_term_that_a_table_of_alphas_does_not_name_has_1():
    spec = Spec("y", (Text("t"),), alpha={"z": 0.25, "unheard": 9.0}, prior="none")
    assert exp_scores(spec, "z") == approx((0 + 0.25) / (4 + 2.25), (3 + 0.25) / (4 + 2.25))
    assert exp_scores(spec, "x") == approx((3 + 1) / (4 + 2.25), (0 + 1) / (4 + 2.25))


@pytest.mark.parametrize("column", [Text("t", alpha=MAXIMUM_LIKELIHOOD), Text("t", event="binary")])
def test_maximum_likelihood_makes_a_class_impossible_that_has_not_seen_the_term(column):
    spec = Spec("y", (column,), alpha=MAXIMUM_LIKELIHOOD)
    scorer = trained(spec, LABELS, TEXTS, probabilities=True, top_k=1)
    query = pa.array(["x", "x z", "zzz", "y"])
    prediction, probability, _, _, probabilities, top_k, log_loss = scorer.predict([query], pa.array(["a"] * 4))
    # "x z" is impossible in both classes: nothing can be said of it.
    assert prediction.to_pylist()[:3] == ["a", None, "a"]
    assert probability.to_pylist()[:3] == [1.0, None, 3 / 4]
    assert [dict(one.as_py()) for one in probabilities][:2] == [{"a": 1.0, "b": 0.0}, {"a": 0.0, "b": 0.0}]
    assert [one["probability"] for one in top_k[0].as_py()] == [1.0]
    assert log_loss.to_pylist()[:3] == [0.0, None, pytest.approx(-math.log(3 / 4))]
    assert probability[3].as_py() < 1.0


def test_maximum_likelihood_of_fractional_counts_knows_what_a_class_has_seen():
    maps = pa.map_(pa.string(), pa.float64())
    everything = [(f"w{i}", 0.1 * (i + 1)) for i in range(30)]
    training = pa.array([everything, everything[:-1]], maps)
    scorer = trained(Spec("y", (Terms("t"),), alpha=MAXIMUM_LIKELIHOOD), ["a", "b"], training)
    found = scorer.joint_log_likelihood([pa.array([everything[::-1], everything[:-1]], maps)])
    assert np.isfinite(found).tolist() == [[True, False], [True, True]]


def test_without_smoothing_a_class_without_a_token_makes_every_known_term_impossible():
    spec = Spec("y", (Text("t"),), alpha=MAXIMUM_LIKELIHOOD)
    assert exp_scores(spec, "x", ["a", "b"], [None, "x"]) == approx(0, 1 / 2)
    assert exp_scores(spec, "zzz", ["a", "b"], [None, "x"]) == approx(1 / 2, 1 / 2)
