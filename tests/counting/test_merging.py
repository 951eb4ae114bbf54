"""The end of the shuffle: the same sums whatever the order of rows, the cuts, and the characters of labels."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbspark import Numeric, Text
from nbspark.arrays import runs
from nbspark.counting.counter import Counter
from nbspark.counting.merging import merge, pack
from nbspark.counting.parcels import merge_parcels
from nbspark.spec import Spec
from tests.builders import documents

SPEC = Spec("y", (Text("t"), Numeric("x")))
LABELS = ["spam", "a\x1fb", "a\\", "\\n", "", "a\\sb"]  # the separator and the escapes of packed labels among them
STREAMS = [
    documents([label, label, None], ["win cash", f"w{i} cash", "win"], [1.5, float(i), None])
    for i, label in enumerate(LABELS)
]


def rows_of(batches: list[pa.RecordBatch]) -> list[dict[str, object]]:
    """Return merged rows in one order."""
    return sorted(pa.Table.from_batches(merge(batches)).to_pylist(), key=str)


COUNTED = [merge_parcels(Counter(SPEC).count([stream])) for stream in STREAMS]
PACKED = [batch for counts in COUNTED for batch in pack(counts)]
MERGED = rows_of(PACKED)


def test_each_key_comes_once_with_its_label_unharmed():
    keys = [(row["label"], row["feature"], row["term"]) for row in MERGED]
    assert len(keys) == len(set(keys))
    assert {row["label"] for row in MERGED if row["label"] is not None} == set(LABELS)
    assert next(row["n_docs"] for row in MERGED if row["feature"] == "rows_read") == 3 * len(LABELS)


@given(st.permutations(range(len(PACKED))), st.integers(1, 9))
@settings(max_examples=20, deadline=None)
def test_rows_may_come_in_any_order_and_be_cut_anywhere(order, cut):
    rows = pa.Table.from_batches([PACKED[i] for i in order])
    scattered = rows.take(pa.array(range(rows.num_rows - 1, -1, -1))).to_batches(max_chunksize=cut)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "CUT_ROWS", cut)
        assert rows_of(scattered) == MERGED


def test_merged_counts_merge_again_to_the_same():
    again = list(pack(merge(PACKED)))
    assert rows_of(again) == MERGED
    twice = rows_of([*again, *again])
    assert [row["n_docs"] for row in twice] == [2 * row["n_docs"] for row in MERGED]
    assert [row["mean"] for row in twice] == [row["mean"] for row in MERGED]
    assert [row["m2"] for row in twice] == [None if row["m2"] is None else 2 * row["m2"] for row in MERGED]


def test_nothing_merges_to_nothing():
    assert list(merge([])) == []
