"""Confident learning: beside cleanlab on the same probabilities, and in parts as of the whole."""

from __future__ import annotations

import numpy as np
import pytest

from nbspark.insight.label_errors import confident_joint, doubts, noise_matrix, self_confidence, thresholds


def random_documents(n: int, n_classes: int, *, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return true classes, labels of which one in ten is turned, and probabilities that know something."""
    rng = np.random.default_rng(seed)
    true = rng.integers(n_classes, size=n)
    labels = np.where(rng.random(n) < 0.1, (true + rng.integers(1, n_classes, size=n)) % n_classes, true)
    scores = rng.normal(size=(n, n_classes))
    scores[np.arange(n), true] += 2.0
    probabilities = np.exp(scores)
    return true, labels, probabilities / probabilities.sum(axis=1, keepdims=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n_classes", [2, 5])
def test_doubtful_labels_are_those_of_cleanlab_in_its_order(n_classes):
    cleanlab = pytest.importorskip("cleanlab", reason="cleanlab is a peer of benchmarks, installed with them")
    _, labels, probabilities = random_documents(400, n_classes, seed=3)
    limits = thresholds(self_confidence(probabilities, labels))
    found = doubts(probabilities, labels, limits)
    order = np.argsort(found.margin, kind="stable")
    expected = cleanlab.filter.find_label_issues(
        labels,
        probabilities,
        filter_by="confident_learning",
        return_indices_ranked_by="normalized_margin",
        n_jobs=1,
    )
    assert order[found.is_doubtful[order]].tolist() == list(expected)
    joint = confident_joint(labels, found.counted_as, n_classes)
    theirs = cleanlab.count.compute_confident_joint(labels, probabilities, calibrate=False)
    np.testing.assert_array_equal(joint, theirs)
    n_docs = np.bincount(labels).astype(float)
    expected_matrix = cleanlab.count.estimate_joint(labels, probabilities)
    # Theirs is of whole documents.
    np.testing.assert_allclose(noise_matrix(joint, n_docs), expected_matrix, rtol=0, atol=1 / len(labels))


def test_labels_that_were_turned_are_found():
    true, labels, probabilities = random_documents(2000, 4, seed=5)
    found = doubts(probabilities, labels, thresholds(self_confidence(probabilities, labels)))
    worst = np.argsort(found.margin)[:100]
    assert np.mean(true[worst] != labels[worst]) > 0.85  # chance is 0.1
    assert found.is_doubtful[worst].all()


def test_sums_and_counts_of_parts_add_up_to_those_of_the_whole():
    _, labels, probabilities = random_documents(300, 3, seed=9)
    labels[:7] = -1  # without a label
    parts = [slice(0, 100), slice(100, 300)]
    sums = sum(self_confidence(probabilities[part], labels[part]) for part in parts)
    np.testing.assert_allclose(sums, self_confidence(probabilities, labels), rtol=1e-12)
    limits = thresholds(sums)
    whole = doubts(probabilities, labels, limits)
    assert whole.counted_as[:7].tolist() == [-1] * 7
    assert not whole.is_doubtful[:7].any()
    joints = [
        confident_joint(labels[part], doubts(probabilities[part], labels[part], limits).counted_as, 3) for part in parts
    ]
    np.testing.assert_array_equal(sum(joints), confident_joint(labels, whole.counted_as, 3))
