"""Parcels: every term in one parcel, wherever it was counted; the same sums whatever the streams, cuts and order."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbspark import Categorical, Numeric, Text
from nbspark.counting import parcels
from nbspark.counting.counter import Counter
from nbspark.counting.parcels import TOTALS, merge_parcels
from nbspark.spec import Spec
from tests.builders import documents

SPEC = Spec("y", (Text("t", ngrams=(1, 3)), Categorical("c"), Numeric("x")), weight="w")
LABELS = ["spam", "a\x1fb", "a\\", "\\n", "", None]  # the separator and the escapes of packed labels among them
TEXTS = ["win cash", "win a prize now", "now win", "a a a a", None, "prize"]


def stream(shift: int) -> pa.RecordBatch:
    """Return six documents in which labels and texts meet otherwise than in another stream."""
    texts = TEXTS[shift:] + TEXTS[:shift]
    return documents(LABELS, texts, [str(i % 2) for i in range(6)], [1.0] * 6, weights=[1, 2, 0.5, 0.1, 1, 1])


def rows_of(batches: list[pa.RecordBatch]) -> list[dict[str, object]]:
    """Return merged rows in one order."""
    return sorted(pa.Table.from_batches(merge_parcels(batches)).to_pylist(), key=str)


STREAMS = [stream(i) for i in range(6)]
PACKED = [batch for one in STREAMS for batch in Counter(SPEC).count([one])]
TOGETHER = rows_of(list(Counter(SPEC).count(STREAMS)))  # counted by one worker


def test_counts_of_many_streams_are_those_of_one():
    assert rows_of(PACKED) == TOGETHER
    tokens = sum(row["n_tokens"] for row in TOGETHER if row["term"] == "win a prize")
    assert tokens == pytest.approx(1 + 2 + 0.5 + 0.1 + 1, abs=0)  # once under each label, whose weights these are


@given(st.permutations(range(len(PACKED))), st.integers(1, 9), st.integers(1, 50))
@settings(max_examples=20, deadline=None)
def test_parcels_may_come_in_any_order_and_be_merged_few_or_many_at_a_time(order, cut, n_pairs):
    rows = pa.Table.from_batches([PACKED[i] for i in order])
    scattered = rows.take(pa.array(range(rows.num_rows - 1, -1, -1))).to_batches(max_chunksize=cut)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parcels, "MERGE_PAIRS", n_pairs)
        assert rows_of(scattered) == TOGETHER


def test_a_term_is_in_the_same_parcel_wherever_it_was_counted():
    where: dict[tuple[str, str], set[int]] = {}
    for batch in PACKED:
        for i, parcel in enumerate(batch.column("parcel").to_pylist()):
            for row in pa.Table.from_batches(merge_parcels([batch.slice(i, 1)])).to_pylist():
                if parcel != TOTALS:
                    where.setdefault((row["feature"], row["term"]), set()).add(parcel)
    assert set(where) == {(row["feature"], row["term"]) for row in TOGETHER if row["label"] is not None and row["term"]}
    assert {len(found) for found in where.values()} == {1}


def test_no_parcels_merge_to_nothing():
    assert list(merge_parcels([])) == []
