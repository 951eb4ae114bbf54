"""Metrics of labels and predictions: scikit-learn's numbers, weights honoured, and what is undefined."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

from nbspark.errors import DocumentsError
from nbspark.evaluation import Evaluation, measure, merge, tally

DOCS = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd"), st.floats(0.1, 5)), min_size=1, max_size=50)


def evaluated(truth: list[str], predicted: list[str | None], weight: list[float] | None = None) -> Evaluation:
    """Return the metrics of documents, tallied in two parts."""
    columns = {"label": pa.array(truth, pa.string()), "prediction": pa.array(predicted, pa.string())}
    if weight is not None:
        columns["weight"] = pa.array(weight, pa.float64())
    batch = pa.record_batch(columns)
    half = len(truth) // 2
    return measure(merge([tally(batch.slice(0, half)), tally(batch.slice(half))]), intervals=False)


@settings(max_examples=30, deadline=None)
@given(DOCS, st.booleans())
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")  # scikit-learn's, of what is undefined
def test_metrics_are_scikit_learns(docs: list[tuple[str, str, float]], weighted: bool) -> None:
    truth, predicted, weight = map(list, zip(*docs, strict=True))
    found = evaluated(truth, predicted, weight if weighted else None)
    given = {"sample_weight": weight if weighted else None}
    expected = {"accuracy": sk.accuracy_score(truth, predicted, **given)}
    for average in ("macro", "micro", "weighted"):
        three = sk.precision_recall_fscore_support(truth, predicted, average=average, zero_division=0, **given)[:3]
        expected |= {f"{average}_{name}": one for name, one in zip(("precision", "recall", "f1"), three, strict=True)}
    expected["balanced_accuracy"] = sk.balanced_accuracy_score(truth, predicted, **given)
    if len({*truth, *predicted}) > 1:  # undefined for one, as is
        expected["cohens_kappa"] = sk.cohen_kappa_score(truth, predicted, **given)
    else:
        assert found.cohens_kappa is None
    if found.matthews is None:  # of no spread; scikit-learn says 0
        assert len(set(truth)) == 1 or len(set(predicted)) == 1
    else:
        expected["matthews"] = sk.matthews_corrcoef(truth, predicted, **given)
    assert {name: getattr(found, name) for name in expected} == pytest.approx(expected, rel=1e-12, abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(DOCS)
@pytest.mark.filterwarnings("ignore::UserWarning")  # scikit-learn's, of a single label
def test_the_confusion_table_is_normalised_as_scikit_learns(docs: list[tuple[str, str, float]]) -> None:
    truth, predicted, weight = map(list, zip(*docs, strict=True))
    found = evaluated(truth, predicted, weight)
    labels = [one.label for one in found.classes]
    for name, normalize in (("of_label", "true"), ("of_prediction", "pred"), ("of_all", "all")):
        expected = sk.confusion_matrix(truth, predicted, sample_weight=weight, normalize=normalize, labels=labels)
        matrix = np.zeros(expected.shape)
        for pair in found.pairs:
            matrix[labels.index(pair.label), labels.index(str(pair.prediction))] = getattr(pair, name)
        np.testing.assert_allclose(matrix, expected, rtol=1e-12)


def test_a_null_prediction_is_a_class_that_no_document_has() -> None:
    found = evaluated(["a", "a", "b", "b"], ["a", None, "b", "a"])
    as_class = (["a", "a", "b", "b"], ["a", "none", "b", "a"])
    assert found.cohens_kappa == pytest.approx(sk.cohen_kappa_score(*as_class), rel=1e-12)
    assert found.matthews == pytest.approx(sk.matthews_corrcoef(*as_class), rel=1e-12)
    assert (found.micro_precision, found.micro_recall) == (2 / 3, 2 / 4)


def test_what_is_undefined_is_none_and_not_zero() -> None:
    found = evaluated(["a", "b"], ["a", "a"])
    assert [(one.label, one.precision, one.recall) for one in found.classes] == [("a", 1 / 2, 1), ("b", None, 0)]
    assert found.macro_precision == (1 / 2 + 0) / 2
    assert (found.matthews, found.cohens_kappa) == (None, 0.0)


def test_weights_are_the_document_so_many_times() -> None:
    once = evaluated(["a", "a", "b"], ["a", "b", "b"], [2, 1, 3])
    repeated = evaluated(["a", "a", "a", "b", "b", "b"], ["a", "a", "b", "b", "b", "b"])
    for name in ("accuracy", "macro_f1", "cohens_kappa", "matthews", "weighted_precision"):
        assert getattr(once, name) == getattr(repeated, name)
    assert (once.n_docs, once.classes[0].support) == (3, 2)


def test_documents_without_weight_are_refused() -> None:
    with pytest.raises(DocumentsError, match="the 2 documents with a label all have weight 0"):
        evaluated(["a", "b"], ["a", "a"], [0, 0])
    with pytest.raises(DocumentsError, match=r"the weight column holds the weight -1\.0"):
        evaluated(["a", "b"], ["a", "a"], [1, -1])
