"""Settings side by side: the best, the simplest as good, and tests of the difference."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_rel

from nbspark import NaiveBayes, Text
from nbspark.errors import DocumentsError
from nbspark.selection import trials, tuning
from nbspark.selection.grid import settings_of
from nbspark.selection.results import Comparison, Score, Tried

SPEC = NaiveBayes("label", [Text("text")])
ALPHAS = settings_of([SPEC], {"alpha": [0.1, 1.0, 10.0]})


def comparison(*means: tuple[float, ...], n_terms: tuple[int, ...] = (9, 9, 9), metric: str = "accuracy") -> Comparison:
    """Return the settings with this metric by fold, and 3 documents that only the first is right about."""
    tried = [Tried(*one) for one in zip(ALPHAS, [{metric: Score(folds)} for folds in means], n_terms, strict=True)]
    return Comparison(tried, ["0", "1"], np.array([[0, 3, 3], [1, 0, 0], [0, 0, 0]]), metric)


def test_the_simplest_within_one_standard_error_has_fewest_terms_then_the_largest_alpha() -> None:
    # The best has mean 0.8 and standard error 0.1: sqrt(2 * 0.1**2 / (2 - 1)) / sqrt(2).
    assert comparison((0.7, 0.9), (0.75, 0.75), (0.72, 0.72)).simplest == 2
    assert comparison((0.7, 0.9), (0.75, 0.75), (0.69, 0.69)).simplest == 1
    assert comparison((0.7, 0.9), (0.75, 0.75), (0.72, 0.72), n_terms=(9, 5, 9)).simplest == 1


def test_of_equal_settings_the_simplest_is_the_best() -> None:
    assert comparison((0.7, 0.9), (0.9, 0.7), (0.1, 0.1)).best == 1


def test_less_log_loss_is_better_and_infinite_log_loss_the_worst() -> None:
    found = comparison((math.inf, 1.0), (0.5, 0.7), (0.4, 0.9), metric="log_loss")
    assert found.order == [1, 2, 0]
    assert found.p_value(0) is None
    assert found.p_value(2) == pytest.approx(ttest_rel([0.5, 0.7], [0.4, 0.9]).pvalue)
    assert found.tried[0].metrics["log_loss"].to_dict() == {"mean": "Infinity", "se": None, "folds": ["Infinity", 1.0]}


def test_accuracies_are_compared_by_the_documents_that_set_two_settings_apart() -> None:
    found = comparison((0.9, 0.9), (0.8, 0.8), (0.7, 0.7))
    assert found.p_value(0) is None
    assert found.p_value(1) == pytest.approx(2 * (1 + 4) / 2**4)  # 3 and 1: as one-sided, or more, either way
    assert found.p_value(2) == pytest.approx(2 / 2**3)


def documents(n: int) -> dict[str, list[Any]]:
    return {"label": [f"l{i % 3}" for i in range(n)], "text": [f"a{i % 5} b{i % 7} c{i}" for i in range(n)]}


def test_documents_of_a_fold_may_be_scored_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = SPEC.tune(documents(40), {"alpha": [0.1, 1.0]}, folds=3).to_dict()
    monkeypatch.setattr(trials, "WINDOW_ROWS", 2)
    monkeypatch.setattr("nbspark.arrays.batches.BATCH_ROWS", 3)
    assert SPEC.tune(documents(40), {"alpha": [0.1, 1.0]}, folds=3).to_dict() == whole


def test_too_many_counts_for_the_workers_are_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "MOST_PAIRS", 100)  # 40 of terms of their own alone
    with pytest.raises(DocumentsError, match=r"114 .*pairs, and at most 100 go to the workers\. Give every setting"):
        SPEC.cross_validate(documents(40))
    assert len(SPEC.tune(documents(40), {"min_docs": [2, 3]}).settings) == 2
