"""Changing a trained model: other options give what training anew under them gives."""

from __future__ import annotations

import pyarrow as pa
import pytest

import nbspark
from nbspark import Categorical, NaiveBayes, Numeric, Text
from nbspark.errors import DocumentsError, SpecError
from nbspark.features.options import MAXIMUM_LIKELIHOOD
from nbspark.spec import Spec
from tests.builders import trained

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
