"""Intervals: scipy's Wilson, and a bootstrap that draws a weight for every document."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from nbspark.evaluation import measure, tally
from nbspark.evaluation.intervals import wilson


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_shares_have_wilsons_interval(counts: tuple[int, int]) -> None:
    found = wilson(*counts)
    expected = binomtest(*counts).proportion_ci(method="wilson")
    assert found is not None
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9, abs=1e-12)


def row_by_row(truth: np.ndarray, predicted: np.ndarray, weight: np.ndarray) -> dict[str, tuple[float, float]]:
    """Return intervals by a Poisson weight for every document and replicate."""
    drawn = np.random.default_rng(5).poisson(1, (2000, len(truth))) * weight
    tables = np.stack([drawn[:, (truth == i) & (predicted == j)].sum(axis=1) for i in range(3) for j in range(3)], 1)
    tables = tables.reshape(-1, 3, 3)
    true, given, right = tables.sum(axis=2), tables.sum(axis=1), np.einsum("rii->ri", tables)
    metrics = {
        "macro_f1": (2 * right / (true + given)).mean(axis=1),
        "balanced_accuracy": (right / true).mean(axis=1),
    }
    return {name: tuple(np.quantile(values, [0.025, 0.975])) for name, values in metrics.items()}


@pytest.mark.parametrize("weighted", [False, True])
def test_a_draw_for_each_pair_is_a_draw_for_each_document(weighted: bool) -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, 400)
    predicted = np.where(rng.uniform(size=400) < 0.7, truth, rng.integers(0, 3, 400))
    weight = rng.uniform(0.5, 2, 400) if weighted else np.ones(400)
    batch = pa.record_batch({"label": truth, "prediction": predicted, "weight": weight})
    found = measure(tally(batch)).intervals
    for name, expected in row_by_row(truth, predicted, weight).items():
        assert found[name].method == "bootstrap"
        # 2,000 and 1,000 replicates: the ends of an interval of +-0.045 are known to about 0.003.
        assert (found[name].low, found[name].high) == pytest.approx(expected, abs=0.01)


def test_a_mean_has_the_interval_of_its_bootstrap() -> None:
    rng = np.random.default_rng(6)
    losses, weight = rng.gamma(0.3, 1, 500), rng.uniform(0.5, 2, 500)
    labels = pa.array(["a"] * 500)
    batch = pa.record_batch({"label": labels, "prediction": labels, "log_loss": losses, "weight": weight})
    found = measure(tally(batch)).intervals["log_loss"]
    drawn = rng.poisson(1, (2000, 500)) * weight
    expected = np.quantile(drawn @ losses / drawn.sum(axis=1), [0.025, 0.975])
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=0.01)  # of +-0.05


def test_an_infinite_log_loss_has_no_interval() -> None:
    labels = pa.array(["a", "a"])
    batch = pa.record_batch({"label": labels, "prediction": labels, "log_loss": [np.inf, 1.0]})
    assert "log_loss" not in measure(tally(batch)).intervals


def test_the_calibration_errors_interval_allows_for_what_chance_adds() -> None:
    rng = np.random.default_rng(7)
    confidence = rng.uniform(0.5, 1, 3000)
    right = rng.uniform(size=3000) < confidence  # calibrated: the true error is 0
    batch = pa.record_batch({"label": np.where(right, "a", "b"), "prediction": ["a"] * 3000, "probability": confidence})
    found = measure(tally(batch))
    assert found.calibration_error > 0.005
    assert found.intervals["calibration_error"].low < 0.005
