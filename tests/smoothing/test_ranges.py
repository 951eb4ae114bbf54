"""At the ends of the range of what may be given every answer is finite, and beyond it the bound is told."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

from nbspark import Numeric, Terms, Text
from nbspark.counting.table import CountTable
from nbspark.errors import DocumentsError, SpecError, StoreError
from nbspark.smoothing.vocabulary import limit
from nbspark.spec import Spec
from tests.builders import count_rows, count_table, documents, trained

MAPS = pa.map_(pa.string(), pa.float64())
MANY = 2.0**53 - 1
EVENTS = ["multinomial", "binary", "bernoulli", "complement"]


def maps(*counts: dict[str, float]) -> pa.Array:
    return pa.array([list(one.items()) for one in counts], MAPS)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("alpha", [1e-100, 1e100])
@pytest.mark.parametrize("many", [1.0, MANY])
def test_scores_are_finite_at_the_ends_of_the_range(event, alpha, many):
    spec = Spec("y", (Terms("t", event=event, alpha=alpha),))
    scorer = trained(spec, ["a", "b", "c"], maps({"x": many}, {"y": 1.0}, {"z": many / 2, "y": 1.0}))
    [scores] = scorer.joint_log_likelihood([maps({"x": many, "y": 1.0})])
    assert all(map(math.isfinite, scores))


@pytest.mark.parametrize("count", [2.0**53, 1e308, math.inf, -1.0, math.nan])
def test_a_count_or_weight_outside_the_range_is_refused_with_the_bound(count):
    with pytest.raises(DocumentsError, match=r"a count is a finite number >= 0, below 2\*\*53"):
        count_rows(Spec("y", (Terms("t"),)), [documents(["a"], maps({"x": count}))])
    with pytest.raises(DocumentsError, match=r"a weight is a finite number >= 0, below 2\*\*53"):
        count_rows(Spec("y", (Text("t"),), weight="w"), [documents(["a"], ["x"], weights=[count])])
    scorer = trained(Spec("y", (Terms("t"),)), ["a"], maps({"x": 1.0}))
    with pytest.raises(DocumentsError, match="a count is a finite number"):
        scorer.joint_log_likelihood([maps({"x": count})])


def test_a_sum_that_could_not_be_exact_is_refused():
    spec = Spec("y", (Terms("t"),))
    batch = documents(["a"] * 11, maps({"x": MANY}, *[{"x": 1.0}] * 10))
    with pytest.raises(DocumentsError, match=r"sum to 900719925474(0992|100[0-9]); sums are exact below 2\*\*53"):
        count_rows(spec, [batch])
    counts = count_rows(spec, [batch.slice(0, 1)])
    with pytest.raises(StoreError, match=r"exact below 2\*\*53"):
        CountTable.from_arrow(pa.concat_tables([counts, counts]))


def test_a_share_that_is_added_to_variances_has_a_bound():
    with pytest.raises(SpecError, match=r"var_smoothing wants a number <= 1e\+06, found 1e\+308"):
        Numeric("x", var_smoothing=1e308)


def test_a_share_of_documents_is_compared_as_the_decimal_that_was_written():
    texts = ["t" if i < 7 else "s" if i < 36 else None for i in range(100)]  # t in 7 documents, s in 29
    counts = count_table(Spec("y", (Text("t"),)), ["a", "b"] * 50, texts).features["t"]
    assert limit(Text("t", min_docs=0.07, max_docs=0.07), counts).terms.to_pylist() == ["t"]
    assert limit(Text("t", min_docs=0.29, max_docs=0.29), counts).terms.to_pylist() == ["s"]


@pytest.mark.parametrize("n_docs", [3, 30, 100, 1000])
def test_a_share_that_is_reached_exactly_keeps_the_term_at_both_limits(n_docs):
    for n in range(1, n_docs, max(1, n_docs // 100)):
        texts = ["t"] * n + [None] * (n_docs - n)
        counts = count_table(Spec("y", (Text("t"),)), ["a"] * n_docs, texts).features["t"]
        assert limit(Text("t", min_docs=n / n_docs, max_docs=n / n_docs), counts).terms.to_pylist() == ["t"]
