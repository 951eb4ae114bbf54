"""Explanations: parts that add up to the difference of the scores, and terms where they stand."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from nbspark import Categorical, NaiveBayes, Numeric, Terms, Text
from nbspark.errors import SpecError
from nbspark.insight.explain import Explainer
from nbspark.scoring.kernel import Scorer
from nbspark.smoothing.likelihoods import smooth
from nbspark.spec import Spec
from tests.builders import count_table

LABELS = ["spam", "spam", "ham", "ham", "ham", "news"]
TEXTS = ["win cash now, win!", "cash prize", "lunch at noon", None, "see you at noon", "shares fell at noon"]
TAGS = [{"x": 1.5}, {"y": 2.0}, {"x": 1.0, "z": 0.5}, None, {}, {"z": 3.0}]
DKIM = ["no", None, "yes", "yes", "no", "yes"]
SIZES = [10.0, 12.0, 3.0, None, 4.5, 80.0]
QUERY = (
    ["win cash at noon, unheard of", "", None, "shares shares fell"],
    [{"x": 2.5, "never": 1.0}, None, {"z": 1.0}, {}],
    ["no", "maybe", None, "yes"],
    [11.0, None, 3.5, 100.0],
)


def as_columns(columns) -> list[pa.Array]:
    texts, tags, dkim, sizes = columns
    pairs = [None if one is None else list(one.items()) for one in tags]
    return [pa.array(texts), pa.array(pairs, pa.map_(pa.string(), pa.float64())), pa.array(dkim), pa.array(sizes)]


def explain(spec: Spec, **asked) -> tuple[list[dict], np.ndarray, list[str]]:
    """Return the explanations of the queries, their scores, and the labels."""
    likelihoods = smooth(spec, count_table(spec, LABELS, *as_columns((TEXTS, TAGS, DKIM, SIZES))))
    columns = as_columns(QUERY)
    explainer = Explainer(spec.features, likelihoods, **asked)
    rows = pa.table(explainer.predict(columns), schema=pa.schema(explainer.fields())).to_pylist()
    return rows, Scorer(spec.features, likelihoods).joint_log_likelihood(columns), explainer.labels


def sum_of_parts(found: dict) -> float:
    parts = [found["prior"], found["bias"], found["other"]]
    return math.fsum([*parts, *(one["contribution"] for one in [*found["terms"], *found["numbers"]])])


@pytest.mark.parametrize("top", [None, 2, 0])
@pytest.mark.parametrize(
    ("event", "options"),
    [
        ("multinomial", {}),
        ("multinomial", {"alpha": {"win": 0.5}}),
        ("binary", {}),
        ("bernoulli", {}),
        ("complement", {}),
        ("complement", {"norm": True}),
    ],
)
def test_the_parts_are_the_difference_of_the_scores_in_every_event_model(event, options, top):
    text, terms = Text("t", ngrams=(1, 2), event=event, **options), Terms("g", event=event, **options)
    spec = Spec("y", (text, terms, Categorical("d"), Numeric("n")), class_weight="balanced")
    rows, scores, labels = explain(spec, top=top)
    assert len(rows) == 4
    for row, of_row in zip(rows, scores, strict=True):
        found = row["explanation"]
        best, other = np.argsort(-of_row, kind="stable")[:2]
        assert (row["prediction"], found["against"]) == (labels[best], labels[other])
        assert found["difference"] == of_row[best] - of_row[other]
        assert math.isclose(sum_of_parts(found), found["difference"], rel_tol=1e-9, abs_tol=1e-12)


def test_a_term_adds_what_the_book_says():
    spec = Spec("y", (Text("t"),))
    likelihoods = smooth(spec, count_table(spec, LABELS[:3], TEXTS[:3]))
    [_, _, n_terms, n_known, [explained]] = Explainer(spec.features, likelihoods).predict(
        [pa.array(["win win noon x"])]
    )
    found = explained.as_py()
    # spam: 6 tokens, 2 of them "win"; ham: 3 tokens; 7 terms.
    of = {one["term"]: one["contribution"] for one in found["terms"]}
    assert found["against"] == "ham"
    assert of["win"] == pytest.approx(2 * math.log((3 / 13) / (1 / 10)))
    assert of["noon"] == pytest.approx(math.log((1 / 13) / (2 / 10)))
    assert found["prior"] == pytest.approx(math.log(2))
    assert (found["bias"], found["n_other"], found["numbers"]) == (0.0, 0, [])
    assert found["unknown"] == [{"feature": "t", "term": "x", "n": 1.0, "spans": [{"start": 13, "stop": 14}]}]
    assert [one["spans"] for one in found["terms"]] == [
        [{"start": 0, "stop": 3}, {"start": 4, "stop": 7}],
        [{"start": 8, "stop": 12}],
    ]
    assert (n_terms.to_pylist(), n_known.to_pylist()) == ([4], [3])


def test_any_class_can_be_the_other_one_and_the_runner_up_stands_in_for_the_prediction_itself():
    spec = Spec("y", (Text("t"), Terms("g"), Categorical("d"), Numeric("n")))
    rows, scores, labels = explain(spec, against="ham")
    against = [row["explanation"]["against"] for row in rows]
    for row, of_row, other in zip(rows, scores, against, strict=True):
        second = labels[np.argsort(-of_row, kind="stable")[1]]
        assert other == ("ham" if row["prediction"] != "ham" else second)
    with pytest.raises(SpecError, match=r"no class 'hum' \(did you mean 'ham'\?\)"):
        explain(spec, against="hum")


def test_what_is_impossible_in_the_other_class_is_infinite_and_what_is_so_in_all_has_no_explanation():
    spec = Spec("y", (Text("t"),), alpha="maximum_likelihood")
    likelihoods = smooth(spec, count_table(spec, ["a", "b", "a"], ["win noon", "lunch noon", "noon"]))
    columns = [pa.array(["win noon", "win lunch"])]
    prediction, _, _, _, explained = Explainer(spec.features, likelihoods).predict(columns)
    assert prediction.to_pylist() == ["a", None]
    assert explained[1].as_py() is None
    found = explained[0].as_py()
    assert {one["term"]: one["contribution"] for one in found["terms"]} == {
        "win": math.inf,
        "noon": pytest.approx(math.log((2 / 3) / (1 / 2))),
    }
    assert found["difference"] == sum_of_parts(found) == math.inf


def test_a_wrong_prediction_is_compared_with_the_true_class():
    spec = Spec("y", (Text("t"),))
    likelihoods = smooth(spec, count_table(spec, LABELS, TEXTS))
    truth = pa.array(["news", "spam", "no such class", None])
    columns = [pa.array(["win cash", "win cash", "win cash", "win cash"])]
    *_, explained, is_error = Explainer(spec.features, likelihoods).predict(columns, truth)
    assert is_error.to_pylist() == [True, False, True, None]
    assert [one["against"].as_py() for one in explained] == ["news", "ham", "ham", "ham"]
    *_, explained, _ = Explainer(spec.features, likelihoods, errors_only=True).predict(columns, truth)
    assert [one.is_valid for one in explained] == [True, False, True, False]


def test_a_bias_of_calibration_that_turns_the_prediction_turns_what_is_explained():
    spec = Spec("y", (Text("t"),), class_bias={"ham": 50.0})
    likelihoods = smooth(spec, count_table(spec, LABELS[:3], TEXTS[:3]))
    prediction, *_, [explained] = Explainer(spec.features, likelihoods).predict([pa.array(["win win"])])
    found = explained.as_py()
    assert (prediction.to_pylist(), found["against"]) == (["ham"], "spam")
    assert found["difference"] == pytest.approx(sum_of_parts(found))
    assert found["difference"] < 0  # by its words it is spam


def test_one_class_has_no_explanation_and_no_document_none():
    spec = Spec("y", (Text("t"),))
    likelihoods = smooth(spec, count_table(spec, ["a"], ["win"]))
    assert Explainer(spec.features, likelihoods).predict([pa.array(["win"])])[4].to_pylist() == [None]
    assert Explainer(spec.features, likelihoods).predict([pa.array([], pa.string())])[4].to_pylist() == []


def test_both_plans_and_no_spark_explain_alike(spark, tmp_path):
    rows = list(zip(LABELS, TEXTS, DKIM, SIZES, strict=True))
    docs = spark.createDataFrame(rows, "y string, t string, d string, n double")
    text = Text("t", ngrams=(1, 2), event="bernoulli")
    model = NaiveBayes(label="y", features=[text, Categorical("d"), Numeric("n")]).fit(docs)
    model.save(tmp_path / "m")
    from nbspark import local

    asked = {"top": 3, "against": "news"}
    here = local.load(tmp_path / "m").explain(dict(zip("ytdn", zip(*rows, strict=True), strict=True)), **asked)
    key = [str(row) for row in rows]
    for plan in ("broadcast", "join"):
        there = model.explain(docs, plan=plan, **asked).toArrow().to_pylist()
        found = {str(tuple(row[name] for name in "ytdn")): row["explanation"] for row in there}
        for one, row in zip(key, here.to_pylist(), strict=True):
            assert pytest.approx(found[one]["difference"], rel=1e-9) == row["explanation"]["difference"]
            assert _rounded(found[one]) == _rounded(row["explanation"])
    errors = model.explain(docs, truth="y", errors_only=True, keep=["y"]).collect()
    predicted = [row["prediction"] for row in model.transform(docs).collect()]
    assert len(errors) == sum(one != y for one, y in zip(predicted, LABELS, strict=True))
    assert all(row["is_error"] and row["explanation"]["against"] == row["y"] for row in errors)


def _rounded(found):
    if isinstance(found, float):
        return round(found, 9)
    if isinstance(found, dict):
        return {key: _rounded(one) for key, one in found.items()}
    return [_rounded(one) for one in found] if isinstance(found, list) else found
