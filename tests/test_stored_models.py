"""Every kind of feature and every option on disk and back."""

from __future__ import annotations

import json

import pytest

import nbspark
from nbspark import Categorical, NaiveBayes, Numeric, Terms, Text, local
from nbspark.features.options import MAXIMUM_LIKELIHOOD
from nbspark.spec import Spec

pytestmark = pytest.mark.usefixtures("compiled")

# Labels, terms and categories that are keys of tables, with every character that TOML or JSON has to quote.
FULL = NaiveBayes(
    label="the label",
    features=[
        Text(
            "body", ngrams=(1, 2), alpha={"caf\u00e9": 0.5, 'a.b "c" \\ \n': 2, "中文": 0.25}, drop_top=1, max_docs=0.9
        ),
        Text("body", name="subject", event="complement", norm=True, min_docs=1, min_count=1.5, max_terms=50, alpha=2),
        Text("body", name="letters", tokens="chars_wb", ngrams=(2, 3), event="binary"),
        Text("body", name="words", stop_words=("the", "'"), min_length=2),
        Categorical("dkim", alpha={"true": 3.0}),
        Categorical("day", alpha=MAXIMUM_LIKELIHOOD),
        Numeric("length", var_smoothing=1e-6),
        Terms("tags", event="bernoulli", min_docs=0.0),
        Terms("tfidf"),
    ],
    alpha=0.5,
    prior={"spam": 0.25, "ham": 0.75 - 1e-12, 'a "b". c': 1e-12},
    prior_smoothing=0.5,
    weight="w",
    class_weight={"spam": 2.0, "ham": 1, 'a "b". c': 0.5},
)
OTHERS = [
    Spec("y", (Text("t"),), alpha=MAXIMUM_LIKELIHOOD, prior="tokens", class_weight="balanced"),
    Spec("y", (Terms("t"),), alpha={"x": 1e-100, "": 1.0}, prior="none"),
    Spec("y", (Numeric("x"),), prior="uniform"),
]


@pytest.mark.parametrize("spec", [FULL, *OTHERS])
def test_toml_and_json_give_every_option_back(spec):
    kind = type(spec)
    assert kind.from_toml(spec.to_toml()) == spec
    assert kind.from_json(spec.to_json()) == spec
    assert kind.from_dict(json.loads(json.dumps(spec.to_dict()))).to_toml() == spec.to_toml()


@pytest.fixture(scope="module")
def docs(spark):
    odd = 'a "b". c'
    rows = [
        (1, "spam", "win cash now", False, "mon", 12.5, ["promo", None], {"win": 0.5, "cash": 1.25}, 1.0),
        (2, "spam", "the caf\u00e9 cash", False, "tue", 80.0, ["promo", "new"], {"cash": 2.0}, 2.0),
        (3, "ham", "lunch at the caf\u00e9", True, "tue", 33.0, ["work"], {"lunch": 1.0, "zero": 0.0}, 1.0),
        (4, "ham", None, None, None, None, None, None, 0.5),
        (5, odd, "中文 lunch", True, "mon", 7.0, [], {}, 1.0),
        (6, None, "cash", True, "sun", 1.0, ["work"], {"win": 1.0}, 1.0),
    ]
    schema = (
        "id int, `the label` string, body string, dkim boolean, day string, length double, tags array<string>, "
        "tfidf map<string,double>, w double"
    )
    return spark.createDataFrame(rows, schema).coalesce(1).cache()


def test_a_stored_model_with_every_kind_of_feature_is_the_same_with_and_without_spark(docs, tmp_path):
    path = str(tmp_path / "model")
    model = FULL.fit(docs)
    model.save(path)
    loaded, without_spark = nbspark.load(path), local.load(path)
    assert loaded.spec == without_spark.spec == Spec.from_dict(FULL.to_dict())
    assert (loaded.labels, loaded.rows, loaded.n_terms) == (model.labels, model.rows, model.n_terms)
    assert without_spark.labels == model.labels

    asked = {"probabilities": True, "top_k": 2}
    expected = [row.asDict(recursive=True) for row in model.transform(docs, **asked).collect()]
    assert [row.asDict(recursive=True) for row in loaded.transform(docs, **asked).collect()] == expected
    columns = {name: [row[name] for row in expected] for name in FULL.columns()}
    for row, wanted in zip(without_spark.predict(columns, **asked).to_pylist(), expected, strict=True):
        row["probabilities"] = dict(row["probabilities"])
        assert row == {name: wanted[name] for name in row}
