"""Sums of fractional counts are the same to the last bit in any order and any partitioning."""

from __future__ import annotations

import math
import random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbspark import Terms, Text
from nbspark.arrays.decimals import rounded, sums, sums_by_code
from nbspark.spec import Spec
from tests.builders import count_rows, documents

DECIMALS = st.integers(0, 10**12).map(lambda units: units / 10**9)
MAPS = pa.map_(pa.string(), pa.float64())


@given(st.lists(DECIMALS, min_size=1, max_size=50), st.randoms(use_true_random=False))
def test_a_sum_is_the_decimal_in_any_order(values, shuffled):
    expected = sum(round(value * 10**9) for value in values) / 10**9
    shuffled.shuffle(values)
    assert sums(np.array(values), np.array([0])).tolist() == [expected]
    assert sums_by_code(np.zeros(len(values), int), np.array(values), 1).tolist() == [expected]


@given(DECIMALS, DECIMALS)
def test_subtraction_gives_back_what_was_there(kept, gone):
    together = sums(np.array([kept, gone]), np.array([0]))
    assert sums(np.append(together, -gone), np.array([0])).tolist() == [kept]


def test_whole_counts_are_exact_beyond_the_range_of_decimals():
    assert sums(np.array([2.0**52, 2.0**52 - 1]), np.array([0])).tolist() == [2.0**53 - 1]
    assert rounded(np.array([2.0**24 + 0.25, 0.5])).tolist() == [2.0**24 + 0.25, 0.5]


WEIGHTS = [0.1 * (i % 7 + 1) for i in range(155)]  # 0.1, 0.2, ... 0.7: 22 times, and 0.1
ROWS = [("ab"[i % 2], "x y x" if i % 3 else "y z", weight) for i, weight in enumerate(WEIGHTS)]


@pytest.mark.parametrize("n_parts", [1, 3, 7])
def test_weighted_counts_do_not_depend_on_the_partitioning(n_parts):
    rows = list(ROWS)
    random.Random(n_parts).shuffle(rows)
    parts = [rows[i::n_parts] for i in range(n_parts)]
    spec = Spec("y", (Text("t"),), weight="w")
    streams = [
        [documents(*map(list, zip(*((a, b) for a, b, _ in part), strict=True)), weights=[w for *_, w in part])]
        for part in parts
    ]
    found = count_rows(spec, *streams).select(["label", "feature", "term", "n_tokens", "n_docs"]).to_pylist()
    for row in found:
        own = [(text, weight) for label, text, weight in ROWS if label == row["label"]]
        if row["term"] is not None:
            n_tokens = sum(text.split().count(row["term"]) * round(weight * 10) for text, weight in own) / 10
            n_docs = sum(round(weight * 10) for text, weight in own if row["term"] in text.split()) / 10
            assert (row["n_tokens"], row["n_docs"]) == (n_tokens, n_docs)
        elif row["label"] is not None and row["feature"] is None:
            assert row["n_docs"] == sum(round(weight * 10) for _, weight in own) / 10
    totals = {row["label"]: row["n_tokens"] for row in found if row["feature"] == "t" and row["term"] is None}
    for label, total in totals.items():
        assert total == round(math.fsum(r["n_tokens"] for r in found if r["label"] == label and r["term"]), 9)


def test_weighted_fractional_counts_are_rounded_once_each_and_agree():
    spec = Spec("y", (Terms("t"),), weight="w")
    maps = pa.array([[("x", 1 / 3), ("y", 0.7)], [("x", 2 / 3)], [("y", 1 / 7)]], MAPS)
    rows = count_rows(spec, [documents(["a"] * 3, maps, weights=[1 / 3, 0.1, 1 / 7])]).to_pylist()
    found = {row["term"]: row["n_tokens"] for row in rows if row["feature"] == "t"}
    third, seventh = 0.333333333333, 0.142857142857
    assert found["x"] == round(round(third * third, 12) + round(0.666666666667 * 0.1, 12), 12)
    assert found["y"] == round(round(third * 0.7, 12) + round(seventh * seventh, 12), 12)
    assert found[None] == round(found["x"] + found["y"], 12)


@given(st.lists(st.floats(0, 100), min_size=1, max_size=50), st.randoms(use_true_random=False))
def test_a_sum_of_any_numbers_up_to_9007_is_the_same_in_any_order_and_partitioning(values, shuffled):
    whole = sums(np.array(values), np.array([0])).tolist()
    shuffled.shuffle(values)
    cut = shuffled.randrange(len(values))
    parts = [sums(np.array(part), np.array([0]))[0] for part in (values[:cut], values[cut:]) if part]
    assert sums(np.array(parts), np.array([0])).tolist() == whole
    assert whole == pytest.approx([math.fsum(values)], rel=0, abs=1e-12 * len(values))
