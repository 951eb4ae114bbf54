"""Temperatures and biases: scipy's minimum of the log loss, the same from parts, and what cannot be fitted."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_softmax

from nbspark import NaiveBayes, Text
from nbspark.errors import DocumentsError
from nbspark.selection.folds import Folds
from nbspark.selection.temperature import HOTTEST, fit_temperature, tally_scores, temperature_of
from nbspark.selection.vector_scaling import RIDGE, fit_vector

Docs = tuple[np.ndarray, np.ndarray, np.ndarray]


def overconfident(seed: int, n: int = 400, n_classes: int = 4, times: float = 9.0) -> Docs:
    """Return scores that are ``times`` too large, true classes and weights."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 1.5, (n, n_classes))
    truth = (log_softmax(logits, axis=1) + rng.gumbel(size=logits.shape)).argmax(axis=1)
    return logits * times - rng.uniform(0, 900, (n, 1)), truth, rng.uniform(0.2, 2, n)


def log_loss(docs: Docs, inverse: float, bias: np.ndarray | float = 0.0) -> float:
    """Return the mean log loss by scipy's softmax."""
    scores, truth, weight = docs
    logs = log_softmax(inverse * scores + bias, axis=1)
    return float(-(weight * logs[np.arange(len(truth)), truth]).sum() / weight.sum())


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.3, 300))
def test_the_temperature_has_the_least_log_loss(seed: int, times: float) -> None:
    docs = overconfident(seed, times=times)
    found = fit_temperature([docs])
    least = minimize_scalar(lambda log: log_loss(docs, np.exp(log)), bounds=(-9, 3), method="bounded").fun
    assert log_loss(docs, 1 / found.value) <= least + 1e-7
    assert found.log_loss == pytest.approx(log_loss(docs, 1 / found.value), rel=1e-6)
    assert found.log_loss_before == pytest.approx(log_loss(docs, 1.0), rel=1e-9)


def test_it_is_found_again_from_data_that_have_it() -> None:
    assert fit_temperature([overconfident(1, n=20_000, times=7.0)]).value == pytest.approx(7.0, rel=0.03)


def test_sums_of_parts_are_those_of_all() -> None:
    docs = overconfident(2)
    parts = [tally_scores(*(one[part] for one in docs)) for part in (slice(0, 150), slice(150, None))]
    np.testing.assert_allclose(sum(parts), tally_scores(*docs), rtol=1e-12)


def test_unknown_labels_and_impossible_classes_are_left_out() -> None:
    scores, truth, _ = overconfident(3, n=50)
    more = np.array([[0.0, 1, 2, 3], [-np.inf, 0, 1, 1], [-np.inf, 0, 1, 2]])
    both = (np.r_[scores, more], np.r_[truth, -1, 0, 1], None)  # nothing known; true class impossible; fine
    fine = (np.r_[scores, [[-1e9, 0, 1, 2]]], np.r_[truth, 1], None)
    assert fit_temperature([both]).value == pytest.approx(fit_temperature([fine]).value, rel=1e-9)
    assert fit_vector(lambda: [both], "abcd").temperature == pytest.approx(
        fit_vector(lambda: [fine], "abcd").temperature, rel=1e-6
    )


def test_documents_that_say_nothing_are_as_hot_as_can_be() -> None:
    scores = np.array([[50.0, 0.0], [0.0, 50.0]] * 10)
    assert fit_temperature([(scores, np.array([0, 0] * 10), None)]).value == pytest.approx(HOTTEST)


def test_without_a_known_label_there_is_no_temperature() -> None:
    with pytest.raises(DocumentsError, match="temperature: no document has a label that the model"):
        temperature_of(tally_scores(np.zeros((2, 3)), np.array([-1, -1])))


def test_biases_have_the_least_log_loss() -> None:
    docs = overconfident(5, n=600)
    scores, truth, weight = docs
    slighted = (scores + np.array([0.0, 20.0, -10.0, 0.0]), truth, weight)
    found = fit_vector(lambda: [slighted], ["a", "b", "c", "d"])
    bias = np.array(list(found.class_bias.values()))
    total = weight.sum()

    def penalised(x: np.ndarray) -> float:
        return log_loss(slighted, np.exp(x[0]), x[1:]) + RIDGE / 2 * float(x[1:] @ x[1:]) / total

    least = minimize(penalised, np.r_[-2, np.zeros(4)], method="BFGS").fun
    assert penalised(np.r_[-np.log(found.temperature), bias]) <= least + 1e-7
    assert found.log_loss == pytest.approx(log_loss(slighted, 1 / found.temperature, bias), rel=1e-9)
    assert found.log_loss < fit_temperature([slighted]).log_loss - 0.1
    # 20 nats at a temperature of about 9: taken back
    assert found.class_bias["b"] - found.class_bias["a"] == pytest.approx(-20 / found.temperature, abs=0.4)


def test_a_class_without_documents_keeps_a_bias() -> None:
    scores, truth, weight = overconfident(6)
    found = fit_vector(lambda: [(scores, np.minimum(truth, 2), weight)], "abcd")
    assert np.isfinite(list(found.class_bias.values())).all()


def test_cross_validation_finds_the_temperature_of_its_own_out_of_fold_log_losses() -> None:
    rng = np.random.default_rng(8)
    topics = rng.integers(0, 3, 150)
    bodies = [" ".join(f"w{w} w{w}" for w in rng.integers(0, 6, 5) + 2 * topic) for topic in topics]
    docs = {"topic": [f"t{topic}" for topic in topics], "body": bodies}
    found = NaiveBayes("topic", [Text("body")]).cross_validate(docs, folds=4)
    fitted = found.temperature()
    near = [fitted.value * factor for factor in (0.8, 1.0, 1.25)]
    tuned = NaiveBayes("topic", [Text("body")]).tune(docs, {"temperature": [*near, 1.0]}, folds=4, metric="log_loss")
    names = Folds(("body",), 4).names([pa.array(bodies)]).to_pylist()
    sizes = [names.count(fold) for fold in tuned.folds]  # what was minimised is the mean over documents
    cold, best, hot, plain = (np.average(one.metrics["log_loss"].folds, weights=sizes) for one in tuned.settings)
    assert best < min(cold, hot) < plain
    assert (fitted.log_loss, fitted.log_loss_before) == (pytest.approx(best, rel=1e-6), pytest.approx(plain, rel=1e-6))
    model = found.model(calibrated=True)
    assert model.spec.temperature == fitted.value
