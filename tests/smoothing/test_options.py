"""Options that are chosen when a model is read: priors, pseudo-counts, vocabulary limits; and changing them later."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

import nbspark
from nbspark import Categorical, NaiveBayes, Numeric, Terms, Text
from nbspark.errors import DocumentsError, SpecError
from nbspark.features.options import MAXIMUM_LIKELIHOOD
from nbspark.smoothing.vocabulary import limit
from nbspark.spec import Spec
from tests.builders import count_table, trained

LABELS = ["a", "a", "a", "b", None]
TEXTS = ["x x y", "x", None, "y z z z", "z"]  # a: 4 tokens, b: 4; V = 3


def exp_scores(spec: Spec, query: str | None, labels: list = LABELS, texts: list = TEXTS) -> list[float]:
    return np.exp(trained(spec, labels, texts).joint_log_likelihood([pa.array([query], pa.string())])[0]).tolist()


def approx(*fractions: Fraction | float) -> object:
    return pytest.approx([float(one) for one in fractions], rel=1e-12)


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


# Vocabulary limits

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


# Changing a trained model

ROWS = [
    ("a", "x x y", "p", 1.0, 1.0),
    ("a", "x w", "q", 2.0, 2.0),
    ("a", None, None, 5.0, 1.0),
    ("b", "y z z z", "p", 8.0, 0.5),
    ("b", "y v", "p", None, 3.0),
    ("c", "w w z", "r", 3.0, 1.0),
    (None, "z", "q", 0.0, 1.0),
]
FEATURES = (Text("t"), Categorical("c"), Numeric("x"))
SPEC = NaiveBayes("y", FEATURES, weight="w")


@pytest.fixture(scope="module")
def model(spark, tmp_path_factory):
    """A model whose documents are no more."""
    folder = tmp_path_factory.mktemp("docs")
    rows = spark.createDataFrame(ROWS, "y string, t string, c string, x double, w double")
    rows.write.parquet(str(folder / "docs"))
    model = SPEC.learn(spark.read.parquet(str(folder / "docs")), str(folder / "model"))
    for file in (folder / "docs").iterdir():
        file.unlink()
    return model


def anew(spec: Spec) -> list[dict]:
    """Return the predictions of a model trained under the spec, on its own documents."""
    labels, *columns, weights = zip(*(row for row in ROWS if row[0]), strict=True)
    scorer = trained(spec, labels, *map(pa.array, columns), weights=weights, probabilities=True)
    found = scorer.predict([pa.array(column) for column in list(zip(*ROWS, strict=True))[1:4]])
    return pa.table(found, schema=pa.schema(scorer.fields())).to_pylist()


@pytest.mark.parametrize(
    ("feature", "options"),
    [
        (None, {"alpha": 0.25, "prior": "tokens", "prior_smoothing": 2.0, "class_weight": "balanced"}),
        (None, {"event": "bernoulli", "var_smoothing": 0.5, "prior": "uniform"}),
        (None, {"event": "complement", "norm": True, "prior": "none"}),
        (None, {"drop_top": 1, "max_terms": 3, "min_docs": 0.2, "event": "binary"}),
        ("t", {"alpha": {"x": 0.5, "z": 4.0}, "max_docs": 2, "min_count": 1}),
        ("c", {"alpha": MAXIMUM_LIKELIHOOD}),
    ],
)
def test_other_options_give_what_training_anew_under_them_gives(spark, model, feature, options):
    changed = model.with_options(feature=feature, **options)
    of_model = {} if feature else {k: v for k, v in options.items() if k in ("alpha", "class_weight") or "prior" in k}
    of_features = {name: value for name, value in options.items() if name not in of_model}
    features = [
        type(one)(**{**vars(one), **{k: v for k, v in of_features.items() if k in vars(one)}})
        if feature in (None, one.name)
        else one
        for one in FEATURES
    ]
    expected = Spec("y", tuple(features), weight="w", **of_model)
    assert changed.spec.to_dict() == expected.to_dict()
    docs = spark.createDataFrame(ROWS, "y string, t string, c string, x double, w double").coalesce(1)
    rows = changed.transform(docs, probabilities=True).collect()
    for row, wanted in zip(rows, anew(expected), strict=True):
        assert row["prediction"] == wanted["prediction"]
        assert row["probabilities"] == pytest.approx(dict(wanted["probabilities"]), rel=1e-12)
        assert (row["n_terms"], row["n_known"]) == (wanted["n_terms"], wanted["n_known"])


def test_with_options_leaves_the_model_itself_as_it_was(model):
    before = model.spec.to_dict()
    assert model.with_options(alpha=9.0, max_terms=1).n_terms == {"t": 1, "c": 3}
    assert (model.spec.to_dict(), model.n_terms) == (before, {"t": 5, "c": 3})


@pytest.mark.parametrize(
    ("feature", "options", "told"),
    [
        (None, {"ngrams": (1, 2)}, r"with_options \(others need the documents again\): unknown key 'ngrams'"),
        (None, {"alhpa": 1.0}, r"unknown key 'alhpa' \(did you mean 'alpha'\?\)"),
        ("body", {"alpha": 1.0}, r"no feature 'body'; found \['t', 'c', 'x'\]"),
        ("c", {"event": "bernoulli"}, r"feature 'c' has no \['event'\]"),
        ("x", {"alpha": 1.0, "norm": True}, r"feature 'x' has no \['alpha', 'norm'\]"),
        ("t", {"prior": "none"}, r"feature 't' has no \['prior'\]"),
        (None, {"alpha": 0.0}, "alpha wants a number > 0"),
        (None, {"event": "bernoulli", "alpha": {"x": 1.0}}, "event='bernoulli' takes one alpha"),
    ],
)
def test_with_options_refuses_what_no_one_would_heed(model, feature, options, told):
    with pytest.raises(SpecError, match=told):
        model.with_options(feature=feature, **options)


def test_with_options_says_when_no_feature_has_the_option(model):
    only_categories = type(model)(Spec("y", (Categorical("c"),)), model.counts, model.rows)
    with pytest.raises(SpecError, match=r"no feature has \['event'\]"):
        only_categories.with_options(event="bernoulli")


def test_pseudo_counts_may_come_from_a_frame(spark):
    alphas = spark.createDataFrame([("win", 2), ("cash", 3)], "term string, alpha int")
    assert Text("body", alpha=nbspark.collect_alphas(alphas)).alpha == {"win": 2.0, "cash": 3.0}
    with pytest.raises(DocumentsError, match=r"\['win'\] more than once"):
        nbspark.collect_alphas(alphas.unionAll(alphas.where("term = 'win'")))
