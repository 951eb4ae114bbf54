"""Counts in memory: rows of one key become one, and what cannot be counts is an error, not a crash."""

from __future__ import annotations

import pyarrow as pa
import pytest

from nbspark.counting.checks import class_codes
from nbspark.counting.table import CountTable
from nbspark.errors import StoreError
from tests.builders import counts_rows

# One document of spam, "win win", and one of ham, "lunch".
ROWS = [
    ("spam", "body", "win", 2.0, 1.0),
    ("ham", "body", "lunch", 1.0, 1.0),
    ("spam", "body", None, 2.0, 1.0),
    ("ham", "body", None, 1.0, 1.0),
    ("spam", None, None, 0.0, 1.0),
    ("ham", None, None, 0.0, 1.0),
    (None, "rows_read", None, 0.0, 2.0),
]


def test_rows_of_one_key_are_added_up():
    table = CountTable.from_arrow(counts_rows(*ROWS, *ROWS))
    body = table.features["body"]
    assert (table.labels, table.docs.tolist()) == (["ham", "spam"], [1.0 + 1.0, 1.0 + 1.0])
    assert (body.terms.to_pylist(), body.classes.tolist()) == (["lunch", "win"], [0, 1])
    assert (body.n_tokens.tolist(), body.n_docs.tolist()) == ([1.0 + 1.0, 2.0 + 2.0], [1.0 + 1.0, 1.0 + 1.0])


@pytest.mark.parametrize("term", ["word", None])
@pytest.mark.parametrize("n_rows", [1, 100, 100_000])
def test_counts_of_a_label_without_its_class_row_name_the_label(n_rows, term):
    foreign = counts_rows(("eggs", "body", term, 1.0, 1.0)).take(pa.array([0] * n_rows))
    with pytest.raises(StoreError, match=r"the labels \['eggs'\] have counts, but no row of their documents"):
        CountTable.from_arrow(pa.concat_tables([counts_rows(*ROWS), foreign]))


def test_of_many_unknown_labels_the_first_ten_are_named():
    with pytest.raises(StoreError, match=r"'l9'\] and 90 more labels have counts, but no row"):
        class_codes(pa.array([f"l{i}" for i in range(100)] * 1_000), pa.array(["ham", "spam"]))


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (("spam", None, "win", 1.0, 1.0), "1 rows with a label and a term, but no feature"),
        (("spam", "body", "win", float("nan"), 1.0), "n_tokens wants a finite number, found .*nan"),
        (("spam", "body", "win", 1.0, float("inf")), "n_docs wants a finite number, found .*inf"),
        (("spam", "body", "win", -3.0, 0.0), "tokens of a term want numbers >= 0, found -1.0"),
        (("spam", "body", "win", 1.0, 1.0), "documents with a term are 2.0, more than the 1.0 that have the feature"),
        (("spam", "body", None, 1.0, 1.0), "documents that have the feature are 2.0, more than the 1.0 of the class"),
        (("spam", None, None, 0.0, -2.0), "documents of a class want numbers >= 0, found -1.0"),
    ],
)
def test_rows_that_cannot_be_counts_are_refused(row, told):
    with pytest.raises(StoreError, match=told):
        CountTable.from_arrow(counts_rows(*ROWS, row))


def test_no_rows_are_a_table_without_classes():
    assert CountTable.from_arrow(counts_rows()).labels == []
