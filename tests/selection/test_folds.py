"""Folds go by content, and counts of folds are counts."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pyarrow as pa
import pytest

from nbspark import NaiveBayes, Text
from nbspark.errors import DocumentsError, SpecError
from nbspark.lifecycle.batches import count_in_memory
from nbspark.lifecycle.documents import kernel_batches
from nbspark.selection.folds import Folds, hash_column
from nbspark.selection.memory import run_in_memory
from nbspark.selection.tuning import Plan, total_files
from nbspark.store.learned import Learned

SPEC = NaiveBayes("label", [Text("text")])
DOCS = {
    "label": ["x", "y", "x", "y", None, "x"],
    "text": ["a b", "b c c", "a", "c", "a c", None],
    "fold": [1, 2, 1, 2, 1, 2],
}


@pytest.mark.parametrize(
    "values",
    [
        ["a", "b", "a", None],
        [1, 2, 1, None],
        [0.5, float("nan"), 0.5, 2.0],
        [True, False, True, None],
        [Decimal("1.50"), Decimal("2.00"), Decimal("1.50"), None],
        [datetime.date(2024, 1, 1), None, datetime.date(2024, 1, 1), datetime.date(2025, 1, 1)],
        [["a", "b"], ["a", "a"], ["b", "a"], None],
        pa.array([{"a": 2.0}, {"b": 1.0}, {"a": 2.0}, None], pa.map_(pa.string(), pa.float64())),
    ],
)
def test_only_equal_values_share_a_hash(values: object) -> None:
    first, second, same, last = hash_column(pa.array(values)).tolist()
    assert first == same
    assert len({first, second, last}) == 3


def test_a_slice_of_a_column_has_the_same_folds() -> None:
    texts = pa.array([f"document {i}" for i in range(50)])
    whole = Folds(("text",), 7).names([texts]).to_pylist()
    assert Folds(("text",), 7).names([texts.slice(20, 9)]).to_pylist() == whole[20:29]
    assert len(set(whole)) == 7


def test_a_group_stays_together() -> None:
    people = pa.array(["ann", "bob", "ann", "eve", "bob"])
    ann, bob, ann_again, _, bob_again = Folds(("who",), 5).names([people]).to_pylist()
    assert (ann, bob) == (ann_again, bob_again)


def test_the_total_of_all_folds_is_what_a_training_counts() -> None:
    found = run_in_memory(DOCS, Plan.of([SPEC], {}, fold_column="fold"))
    whole = count_in_memory(SPEC, kernel_batches(DOCS, SPEC))
    assert Learned.of(total_files(found.files[0])) == Learned.of(whole)


def test_terms_that_no_setting_can_know_are_not_held() -> None:
    docs = {"label": ["x", "y"] * 4, "text": ["a b c", "a b", *["a"] * 6], "fold": [1, 2, 2, 1] * 2}
    found = run_in_memory(docs, Plan.of([SPEC], {"min_docs": [3, 2]}, fold_column="fold"))
    assert found.bases[0].counts.features["text"].total.terms.to_pylist() == ["a", "b"]  # c is in one document


def test_documents_in_one_fold_are_refused() -> None:
    docs = {"label": ["x", "y"], "text": ["a", "a"]}
    with pytest.raises(DocumentsError, match="all that have a label are in one fold"):
        SPEC.cross_validate(docs)


def test_a_document_without_a_fold_is_refused() -> None:
    with pytest.raises(DocumentsError, match=r"1 rows have no fold in the column 'fold'"):
        SPEC.cross_validate(DOCS | {"fold": [1, 2, 1, 2, None, 2]}, fold_column="fold")


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"grid": {"alfa": [1]}}, "alfa"),
        ({"grid": {"alpha": [0.0]}}, r"grid: alpha=0.0 goes with nothing else in it: model: alpha wants a number > 0"),
        ({"grid": {"alpha": []}}, "grid: alpha wants a list of values"),
        ({"grid": {}, "folds": 1}, "folds wants a whole number from 2 to 1,000, found 1"),
        ({"grid": {}, "metric": "f1"}, "metric='f1' is not one of"),
        ({"grid": {}, "group": "label", "fold_column": "fold"}, "Give one of the two"),
    ],
)
def test_what_cannot_be_tried_is_told_before_a_document_is_read(asked: dict, told: str) -> None:
    with pytest.raises(SpecError, match=told):
        SPEC.tune(None, **asked)
