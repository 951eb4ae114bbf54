"""Metrics of probabilities: scikit-learn's numbers, from maps, arrays and structs, and how coarse tables may be off."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk
from sklearn.calibration import calibration_curve

from nbspark.errors import DocumentsError
from nbspark.evaluation import Evaluation, measure, merge, ranking, tally
from nbspark.evaluation.ranking import ScoreTable, merge_packed
from nbspark.evaluation.tallies import with_ranking

CLASSES = ["a", "b", "c"]


def batch_of(
    truth: np.ndarray, matrix: np.ndarray, weight: np.ndarray | None = None, *, form: str = "map"
) -> pa.RecordBatch:
    """Return predictions with the probabilities of all classes."""
    labels = np.array(CLASSES[: matrix.shape[1]])
    best = matrix.argmax(axis=1)
    pairs = [list(zip(labels.tolist(), row, strict=True)) for row in matrix.tolist()]
    probabilities = {
        "map": lambda: pa.array(pairs, pa.map_(pa.string(), pa.float64())),
        "array": lambda: pa.array(matrix.tolist(), pa.list_(pa.float64())),
        "struct": lambda: pa.array([dict(reversed(row)) for row in pairs]),
    }[form]()
    columns = {
        "label": pa.array(labels[truth]),
        "prediction": pa.array(labels[best]),
        "probability": pa.array(matrix.max(axis=1)),
        "log_loss": pa.array(-np.log(matrix[np.arange(len(truth)), truth])),
        "probabilities": probabilities,
    }
    if weight is not None:
        columns["weight"] = pa.array(weight)
    return pa.record_batch(columns)


def evaluated(batch: pa.RecordBatch, n_parts: int = 3) -> Evaluation:
    """Return the metrics of a batch that is tallied in parts."""
    parts = np.array_split(np.arange(batch.num_rows), n_parts)
    return measure(merge([tally(batch.take(pa.array(part)), classes=CLASSES) for part in parts]), intervals=False)


def random_docs(seed: int, n: int, n_classes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return truth, probabilities with ties, and weights; every class occurs."""
    rng = np.random.default_rng(seed)
    matrix = rng.integers(1, 9, (n, n_classes)) ** 2.0
    matrix /= matrix.sum(axis=1, keepdims=True)
    return np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)], matrix, rng.uniform(0.1, 3, n)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(4, 60), st.sampled_from([2, 3]), st.booleans())
def test_metrics_of_probabilities_are_scikit_learns(seed: int, n: int, n_classes: int, weighted: bool) -> None:
    truth, matrix, weight = random_docs(seed, n, n_classes)
    given = {"sample_weight": weight if weighted else None}
    found = evaluated(batch_of(truth, matrix, weight if weighted else None))
    onehot = np.eye(n_classes)[truth]
    for i, one in enumerate(found.classes):
        assert one.roc_auc == pytest.approx(sk.roc_auc_score(onehot[:, i], matrix[:, i], **given), rel=1e-12)
        precision = sk.average_precision_score(onehot[:, i], matrix[:, i], **given)
        assert one.average_precision == pytest.approx(precision, rel=1e-12)
    assert found.macro_roc_auc == pytest.approx(sk.roc_auc_score(onehot, matrix, **given), rel=1e-12)
    assert found.log_loss == pytest.approx(sk.log_loss(truth, matrix, **given), rel=1e-12)
    brier = sk.brier_score_loss(truth, matrix if n_classes > 2 else matrix[:, 1], **given)
    assert found.brier == pytest.approx(brier, rel=1e-12)
    assert found.ranking_error_at_most == 0.0


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(3, 40))
def test_top_k_accuracy_is_scikit_learns(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    truth, matrix = np.r_[0, 1, 2, rng.integers(0, 3, n - 3)], rng.dirichlet(np.ones(3), n)  # no ties
    found = evaluated(batch_of(truth, matrix))
    expected = {k: sk.top_k_accuracy_score(truth, matrix, k=k, labels=range(3)) for k in (1, 2)}
    assert found.top_k_accuracy == expected | {3: 1.0}


def test_of_equal_probabilities_the_first_label_is_the_better() -> None:
    found = evaluated(batch_of(np.array([0, 1, 2]), np.full((3, 3), 1 / 3)))
    assert found.top_k_accuracy == {1: 1 / 3, 2: 2 / 3, 3: 1.0}
    assert found.accuracy == found.top_k_accuracy[1]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_calibration_error_is_that_of_scikit_learns_curve(seed: int) -> None:
    truth, matrix, _ = random_docs(seed, 80, 3)
    found = evaluated(batch_of(truth, matrix))
    right, confidence = matrix.argmax(axis=1) == truth, matrix.max(axis=1)
    accuracy, mean = calibration_curve(right, confidence, n_bins=15)
    counts = np.array([one.n_docs for one in found.reliability])
    np.testing.assert_allclose([one.accuracy for one in found.reliability], accuracy, rtol=1e-12)
    np.testing.assert_allclose([one.confidence for one in found.reliability], mean, rtol=1e-12)
    assert found.calibration_error == pytest.approx((counts * np.abs(accuracy - mean)).sum() / 80, rel=1e-12)


def test_maps_arrays_and_structs_say_the_same() -> None:
    truth, matrix, _ = random_docs(1, 30, 3)
    found = [evaluated(batch_of(truth, matrix, form=form)) for form in ("map", "array", "struct")]
    assert found[0] == found[1] == found[2]


def test_lists_of_the_best_labels_give_top_k_as_far_as_they_go() -> None:
    best = [[{"label": "a", "probability": 0.6}, {"label": "b", "probability": 0.3}]] * 3
    batch = pa.record_batch({"label": ["a", "b", "c"], "prediction": ["a"] * 3, "top_k": best})
    assert evaluated(batch).top_k_accuracy == {1: 1 / 3, 2: 2 / 3}


def test_a_label_that_the_model_does_not_know_is_no_hit_and_has_no_brier_score() -> None:
    batch = batch_of(np.array([0, 1]), np.array([[0.75, 0.25], [0.25, 0.75]]))
    batch = batch.set_column(0, "label", pa.array(["a", "new"]))
    found = evaluated(batch)
    assert (found.n_brier, found.brier) == (1, ((1 - 0.75) ** 2 + 0.25**2) / 2)
    assert found.top_k_accuracy == {1: 1 / 2, 2: 1 / 2}


def test_rows_of_another_model_are_refused() -> None:
    truth, matrix, _ = random_docs(1, 9, 3)
    two, three = batch_of(truth % 2, matrix[:, :2]), batch_of(truth, matrix)
    with pytest.raises(DocumentsError, match="some classes have probabilities in 18 rows and others in 9"):
        measure(merge([tally(two), tally(three)]))
    with pytest.raises(DocumentsError, match="probabilities hold 3 numbers a row, and the model knows 2 labels"):
        tally(batch_of(truth, matrix, form="array"), classes=["a", "b"])


def test_coarse_tables_say_how_far_they_may_be_off(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    scores = rng.beta(0.1, 0.1, 20_000)
    is_positive = rng.uniform(size=20_000) < 0.2 + 0.6 * scores
    monkeypatch.setattr(ranking, "MAX_SCORES", 200)
    table = ScoreTable.of(scores, is_positive, np.ones(20_000))
    assert (table.dropped > 0, len(table.keys) <= 200) == (True, True)
    for found, exact in (
        (table.roc_auc(), sk.roc_auc_score(is_positive, scores)),
        (table.average_precision(), sk.average_precision_score(is_positive, scores)),
    ):
        assert found is not None
        assert abs(found[0] - exact) <= found[1] < 0.05
    # However the documents were cut up, and in whatever order the parts came.
    cut = np.array_split(rng.permutation(20_000), 7)
    parts = [ScoreTable.of(scores[some], is_positive[some], np.ones(len(some))).pack() for some in cut]
    merged = merge_packed([merge_packed(parts[:3]).pack(), *parts[:2:-1]])
    assert (merged.dropped, merged.roc_auc()) == (table.dropped, table.roc_auc())
    np.testing.assert_array_equal(merged.keys, table.keys)


def test_the_ranking_of_a_class_without_documents_is_undefined() -> None:
    truth, matrix, _ = random_docs(1, 9, 3)
    found = evaluated(batch_of(np.minimum(truth, 1), matrix))
    assert [one.roc_auc is None for one in found.classes if one.label == "c"] in ([], [True])
    assert with_ranking(tally(batch_of(truth * 0, matrix))).num_rows  # only average precision of "a" is defined
    assert found.macro_roc_auc == pytest.approx(
        np.mean([sk.roc_auc_score(np.minimum(truth, 1) == i, matrix[:, i]) for i in (0, 1)]), rel=1e-12
    )
