"""A temperature and biases: softer probabilities and the same predictions, in both plans and without Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from scipy.special import softmax

import nbspark
from nbspark import NaiveBayes, Text, local
from nbspark.errors import SpecError
from nbspark.model_store import ModelStore
from nbspark.spec import Spec, changed_spec
from tests.builders import trained

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

LABELS = ["a", "a", "b", "c"]
TEXTS = ["x y", "x x z", "y z", "z w w"]
QUERIES = pa.array(["x z z", "w", "y y x", "", None])
PLAIN = Spec("topic", [Text("body")])
ASKED = {"probabilities": "array", "top_k": 3}


def probabilities_of(columns: list[pa.Array]) -> np.ndarray:
    """Return the probabilities of all classes, shape (n_docs, n_classes)."""
    return np.array(columns[4].to_pylist())


def test_probabilities_are_the_softmax_of_divided_scores_and_predictions_stay() -> None:
    raw = trained(PLAIN, LABELS, TEXTS, **ASKED)
    soft = trained(changed_spec(PLAIN, temperature=3.0), LABELS, TEXTS, **ASKED)
    expected = softmax(raw.joint_log_likelihood([QUERIES]) / 3.0, axis=1)
    found = soft.predict([QUERIES], pa.array(["a", "b", "c", "a", "z"]))
    np.testing.assert_allclose(probabilities_of(found), expected, rtol=1e-12)
    np.testing.assert_allclose(found[1].to_numpy(), expected.max(axis=1), rtol=1e-12)
    np.testing.assert_allclose(
        found[6].drop_null().to_numpy(), -np.log(expected[[0, 1, 2, 3], [0, 1, 2, 0]]), rtol=1e-12
    )
    before = raw.predict([QUERIES])
    assert found[0].equals(before[0])
    assert [[one["label"] for one in row] for row in found[5].to_pylist()] == [
        [one["label"] for one in row] for row in before[5].to_pylist()
    ]


def test_a_longer_document_has_a_higher_temperature() -> None:
    spec = changed_spec(PLAIN, temperature=1.5, temperature_exponent=0.5)
    scorer = trained(spec, LABELS, TEXTS, **ASKED)
    n_known = np.array([3, 1, 3, 1, 1])  # the last two have no term
    expected = softmax(scorer.joint_log_likelihood([QUERIES]) / (1.5 * np.sqrt(n_known))[:, None], axis=1)
    np.testing.assert_allclose(probabilities_of(scorer.predict([QUERIES])), expected, rtol=1e-12)


def test_the_raw_probabilities_are_there_for_who_asks() -> None:
    raw = trained(PLAIN, LABELS, TEXTS, **ASKED).predict([QUERIES])
    spec = changed_spec(PLAIN, temperature=3.0, class_bias={"b": 5.0})
    assert trained(spec, LABELS, TEXTS, calibrated=False, **ASKED).predict([QUERIES]) == raw
    assert trained(changed_spec(PLAIN, temperature=1.0), LABELS, TEXTS, **ASKED).predict([QUERIES]) == raw


def test_a_bias_is_added_after_the_temperature_and_decides_with() -> None:
    spec = changed_spec(PLAIN, temperature=2.0, class_bias={"b": 5.0})
    scorer = trained(spec, LABELS, TEXTS, **ASKED)
    scores = scorer.joint_log_likelihood([QUERIES]) / 2.0 + np.array([0.0, 5.0, 0.0])
    found = scorer.predict([QUERIES])
    np.testing.assert_allclose(probabilities_of(found), softmax(scores, axis=1), rtol=1e-12)
    assert found[0].to_pylist() == ["abc"[i] for i in scores.argmax(axis=1)]
    with pytest.raises(SpecError, match=r"class_bias names \['q'\], which are none of the classes \['a', 'b', 'c'\]"):
        trained(changed_spec(PLAIN, class_bias={"q": 1.0}), LABELS, TEXTS)


def test_scores_that_a_division_makes_equal_keep_their_order() -> None:
    scorer = trained(changed_spec(PLAIN, temperature=1.95), LABELS, TEXTS, **ASKED)
    lower = next(x for x in -np.arange(1000.0, 1024.0) if x / 1.95 == np.nextafter(x, 0.0) / 1.95)
    scores = np.array([[lower, np.nextafter(lower, 0.0), -2000.0]])
    assert scorer._decide(scores, np.ones(1), None)[0].to_pylist() == ["b"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"temperature": 0}, "temperature wants a number >= 1e-06, found 0"),
        ({"temperature": float("nan")}, "temperature wants a number >= 1e-06, found nan"),
        ({"temperature": 1e9}, r"temperature wants a number <= 1e\+06, found 1000000000"),
        ({"class_bias": {"a": float("inf")}}, "class_bias wants a table of numbers, found {'a': inf}"),
        ({"class_bias": [1.0]}, r"class_bias wants a table of numbers, found \[1.0\]"),
    ],
)
def test_what_is_no_calibration_is_refused(options: dict[str, object], told: str) -> None:
    with pytest.raises(SpecError, match=told):
        changed_spec(PLAIN, **options)


def test_a_stored_temperature_is_that_of_both_plans_and_of_local(spark: SparkSession, tmp_path: Path) -> None:
    docs = spark.createDataFrame(list(zip(LABELS, TEXTS, strict=True)), "topic string, body string")
    path = str(tmp_path / "model")
    NaiveBayes("topic", [Text("body")]).learn(docs, path)
    store = ModelStore(path)
    store.set_options(temperature=3.0, temperature_exponent=0.5)
    assert store.version().options == {"temperature": 3.0, "temperature_exponent": 0.5}
    expected = local.load(path).predict(TEXTS, probabilities="array")
    raw = local.load(path).predict(TEXTS, probabilities="array", calibrated=False)
    assert raw == local.load(path, version=1).predict(TEXTS, probabilities="array")
    assert raw["prediction"] == expected["prediction"]
    assert raw["probability"] != expected["probability"]
    model = nbspark.load(path, spark=spark)
    assert Spec.from_toml(model.spec.to_toml()).temperature == 3.0
    for plan in ("broadcast", "join"):
        for calibrated, same in ((True, expected), (False, raw)):
            found = model.transform(docs, plan=plan, probabilities="array", calibrated=calibrated)
            by_text = {row["body"]: row["probabilities"] for row in found.collect()}
            np.testing.assert_allclose([by_text[text] for text in TEXTS], same["probabilities"].to_pylist(), rtol=1e-12)
