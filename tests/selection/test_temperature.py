"""Temperatures and biases: scipy's minimum of the log loss, the same from parts, and what cannot be fitted."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_softmax

from nbspark import NaiveBayes, Text, local
from nbspark.errors import DocumentsError
from nbspark.evaluation import measure, merge, tally
from nbspark.selection.folds import Folds
from nbspark.selection.temperature import HOTTEST, Scored, fit_temperature, tally_scores, temperature_of
from nbspark.selection.vector_scaling import RIDGE, fit_vector
from nbspark.spec import Spec
from tests.builders import count_table
from tests.pages import run_page


def overconfident(seed: int, n: int = 400, n_classes: int = 4, times: float = 9.0) -> Scored:
    """Return scores that are ``times`` too large, true classes and weights."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 1.5, (n, n_classes))
    truth = (log_softmax(logits, axis=1) + rng.gumbel(size=logits.shape)).argmax(axis=1)
    scores = logits * times - rng.uniform(0, 900, (n, 1))
    return Scored(scores, truth, weight=rng.uniform(0.2, 2, n))


def log_loss(docs: Scored, inverse: float, bias: np.ndarray | float = 0.0) -> float:
    """Return the mean log loss by scipy's softmax."""
    scores, truth, _, weight = docs
    logs = log_softmax(inverse * scores + bias, axis=1)
    return float(-(weight * logs[np.arange(len(truth)), truth]).sum() / weight.sum())


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.3, 300))
def test_the_temperature_has_the_least_log_loss(seed: int, times: float) -> None:
    docs = overconfident(seed, times=times)
    found = fit_temperature(lambda: [docs], 0.0)
    least = minimize_scalar(lambda log: log_loss(docs, np.exp(log)), bounds=(-9, 3), method="bounded").fun
    assert log_loss(docs, 1 / found.value) <= least + 1e-7
    assert found.log_loss == pytest.approx(log_loss(docs, 1 / found.value), rel=1e-6)
    assert found.log_loss_before == pytest.approx(log_loss(docs, 1.0), rel=1e-9)


def test_it_is_found_again_from_data_that_have_it() -> None:
    assert fit_temperature(lambda: [overconfident(1, n=20_000, times=7.0)], 0.0).value == pytest.approx(7.0, rel=0.03)


def test_sums_of_parts_are_those_of_all() -> None:
    docs = overconfident(2)
    parts = [
        Scored(docs.scores[part], docs.truth[part], weight=docs.weight[part])
        for part in (slice(0, 150), slice(150, None))
    ]
    np.testing.assert_allclose(sum(map(tally_scores, parts)), tally_scores(docs), rtol=1e-12)


def test_unknown_labels_and_impossible_classes_are_left_out() -> None:
    scores, truth, _, _ = overconfident(3, n=50)
    more = np.array([[0.0, 1, 2, 3], [-np.inf, 0, 1, 1], [-np.inf, 0, 1, 2]])
    both = Scored(np.r_[scores, more], np.r_[truth, -1, 0, 1])  # nothing known; true class impossible; fine
    fine = Scored(np.r_[scores, [[-1e9, 0, 1, 2]]], np.r_[truth, 1])
    expected = fit_temperature(lambda: [fine], 0.0).value
    assert fit_temperature(lambda: [both], 0.0).value == pytest.approx(expected, rel=1e-9)
    assert fit_vector(lambda: [both], "abcd", 0.0).temperature == pytest.approx(
        fit_vector(lambda: [fine], "abcd", 0.0).temperature, rel=1e-6
    )


def test_documents_that_say_nothing_are_as_hot_as_can_be() -> None:
    scores = np.array([[50.0, 0.0], [0.0, 50.0]] * 10)
    docs = Scored(scores, np.array([0, 0] * 10))
    assert fit_temperature(lambda: [docs], 0.0).value == pytest.approx(HOTTEST)


def test_without_a_known_label_there_is_no_temperature() -> None:
    with pytest.raises(DocumentsError, match="temperature: no document has a label that the model"):
        temperature_of(tally_scores(Scored(np.zeros((2, 3)), np.array([-1, -1]))))


def test_biases_have_the_least_log_loss() -> None:
    docs = overconfident(5, n=600)
    slighted = docs._replace(scores=docs.scores + np.array([0.0, 20.0, -10.0, 0.0]))
    found = fit_vector(lambda: [slighted], ["a", "b", "c", "d"], 0.0)
    bias = np.array(list(found.class_bias.values()))
    total = docs.weight.sum()

    def penalised(x: np.ndarray) -> float:
        return log_loss(slighted, np.exp(x[0]), x[1:]) + RIDGE / 2 * float(x[1:] @ x[1:]) / total

    least = minimize(penalised, np.r_[-2, np.zeros(4)], method="BFGS").fun
    assert penalised(np.r_[-np.log(found.temperature), bias]) <= least + 1e-7
    assert found.log_loss == pytest.approx(log_loss(slighted, 1 / found.temperature, bias), rel=1e-9)
    assert found.log_loss < fit_temperature(lambda: [slighted], 0.0).log_loss - 0.1
    # 20 nats at a temperature of about 9: taken back
    assert found.class_bias["b"] - found.class_bias["a"] == pytest.approx(-20 / found.temperature, abs=0.4)


def test_a_class_without_documents_keeps_a_bias() -> None:
    docs = overconfident(6)
    found = fit_vector(lambda: [docs._replace(truth=np.minimum(docs.truth, 2))], "abcd", 0.0)
    assert np.isfinite(list(found.class_bias.values())).all()


def test_cross_validation_finds_the_temperature_of_its_own_out_of_fold_log_losses() -> None:
    docs = corpus(8, 150)
    found = NaiveBayes("topic", [Text("body")]).cross_validate(docs, folds=4)
    fitted = found.temperature()
    near = [fitted.value * factor for factor in (0.8, 1.0, 1.25)]
    spec = NaiveBayes("topic", [Text("body")], temperature_exponent=fitted.exponent)
    tuned = spec.tune(docs, {"temperature": near}, folds=4, metric="log_loss")
    names = Folds(("body",), 4).names([pa.array(docs["body"])]).to_pylist()
    sizes = [names.count(fold) for fold in tuned.folds]  # what was minimised is the mean over documents
    cold, best, hot, plain = (
        np.average(one.metrics["log_loss"].folds, weights=sizes) for one in (*tuned.settings, *found.settings)
    )
    assert best < min(cold, hot) < plain
    assert (fitted.log_loss, fitted.log_loss_before) == (pytest.approx(best, rel=1e-5), pytest.approx(plain, rel=1e-6))
    model = found.model(calibrated=True)
    assert (model.spec.temperature, model.spec.temperature_exponent) == (fitted.value, fitted.exponent)


def corpus(seed: int, n: int) -> dict[str, list[str]]:
    rng = np.random.default_rng(seed)
    topics = rng.integers(0, 3, n)
    bodies = [" ".join(f"w{w} w{w}" for w in rng.integers(0, 6, 5) + 2 * topic) for topic in topics]
    return {"topic": [f"t{topic}" for topic in topics], "body": bodies}


def test_a_document_of_weight_two_is_fitted_as_if_it_were_there_twice() -> None:
    docs = corpus(11, 60) | {"n": [1 + i % 2 for i in range(60)]}
    twice = {name: [one for one, n in zip(values, docs["n"], strict=True) for _ in range(n)]
             for name, values in docs.items()}  # fmt: skip
    weighted = NaiveBayes("topic", [Text("body")], weight="n").cross_validate(docs, folds=3)
    repeated = NaiveBayes("topic", [Text("body")]).cross_validate(twice, folds=3)
    assert weighted.temperature().options == pytest.approx(repeated.temperature().options, rel=1e-5)
    for metric, one in weighted.calibration().items():
        assert one == pytest.approx(repeated.calibration()[metric], rel=1e-6)


def test_the_calibration_errors_are_those_of_the_predictions_out_of_fold() -> None:
    docs = corpus(12, 80) | {"part": [i % 2 for i in range(80)]}
    found = NaiveBayes("topic", [Text("body")]).cross_validate(docs, fold_column="part")
    fitted, parts = found.temperature(), {"before": [], "after": []}
    for part in (0, 1):
        learned, asked = ({name: [v for v, p in zip(values, docs["part"], strict=True) if (p == part) == own]
                           for name, values in docs.items()} for own in (False, True))  # fmt: skip
        for when, options in (("before", {}), ("after", fitted.options)):
            spec = Spec("topic", [Text("body")], **options)
            columns = [pa.array(learned[name]) for name in ("topic", "body")]
            predicted = local.LocalModel(spec, count_table(spec, *columns)).predict(asked["body"])
            rows = predicted.append_column("label", pa.array(asked["topic"])).combine_chunks().to_batches()
            parts[when].append(tally(rows[0]))
    expected = {when: measure(merge(some), intervals=False).calibration_error for when, some in parts.items()}
    assert found.calibration()["calibration_error"] == pytest.approx(expected, rel=1e-5)


def test_the_exponent_of_the_length_is_found_again() -> None:
    rng = np.random.default_rng(9)
    docs = overconfident(9, n=8000, times=2.0)
    lengths = np.ceil(rng.lognormal(3, 1, 8000))
    longer = Scored(docs.scores * lengths[:, None] ** 0.7, docs.truth, lengths)
    found = fit_temperature(lambda: [longer.sampled(0.5), longer])
    assert (found.exponent, found.value) == (pytest.approx(0.7, abs=0.03), pytest.approx(2.0, rel=0.12))
    alone = fit_temperature(lambda: [docs._replace(weight=None)], 0.0)
    assert found.log_loss == pytest.approx(alone.log_loss, abs=0.02)


def test_a_sample_is_chosen_by_content() -> None:
    docs = overconfident(10, n=4000)
    some = docs.sampled(0.25)
    assert 900 < len(some.truth) < 1100
    backwards = Scored(docs.scores[::-1], docs.truth[::-1], weight=docs.weight[::-1]).sampled(0.25)
    np.testing.assert_array_equal(backwards.scores[::-1], some.scores)


def test_the_page_on_calibration_runs() -> None:
    assert run_page("docs/calibration.md")["model"].spec.temperature > 0
