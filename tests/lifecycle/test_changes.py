"""Changes as pure functions: from a version to the batches and options of the next one."""

from __future__ import annotations

import pytest

from nbspark.errors import StoreError
from nbspark.lifecycle.changes import Change, Unchanged, add, decay, drop, keep_last, keep_since, set_options
from nbspark.store import Batch, BatchFile, LearnedBatch, Version

FILE = BatchFile("counts/part-0.parquet", 12, "0" * 64)


def batch(name: str, date: str | None = None, fingerprint: str | None = None, **others) -> Batch:
    learned = (LearnedBatch(name, date, fingerprint or name.rjust(16, "0")),)
    return Batch(name, f"batches/{name}-1f", (FILE,), {"n_pairs": 1}, learned=learned, **others)


A, B, C = batch("a", "2026-11-27"), batch("b", "2026-11-28"), batch("c", "2026-11-29")
FOLDED = Batch("b", "batches/b-2e", (FILE,), {"n_pairs": 1}, learned=(*A.holds, *B.holds))


def version(*batches: Batch, **others) -> Version:
    return Version(1, None, batches, "2026-11-29T06:00:00+00:00", "ana", "0.1.0", **others)


def ids(found: Change | Unchanged) -> list[str]:
    assert isinstance(found, Change)
    return [one.batch for one in found.batches]


def test_a_new_batch_is_added():
    found = add(version(A), B)
    assert ids(found) == ["a", "b"]
    assert found.change == {"kind": "learn", "batch": "b"}


def test_the_same_batch_again_changes_nothing():
    assert add(version(A, B), B) == Unchanged("batch 'b' is already learned")
    assert add(version(FOLDED, C), A) == Unchanged("batch 'a' is already learned")


def test_other_documents_under_the_same_id_are_refused_unless_they_replace():
    other = batch("a", fingerprint="f" * 16)
    with pytest.raises(StoreError, match=r"batch 'a' is learned already, from other documents.*--replace"):
        add(version(A, B), other)
    found = add(version(A, B), other, replacing=True)
    assert isinstance(found, Change)
    assert found.batches == (other, B)
    with pytest.raises(StoreError, match="folded into one with 1 others by compact"):
        add(version(FOLDED), other, replacing=True)


def test_the_same_documents_under_another_id_are_refused_unless_they_come_again():
    other = batch("z", fingerprint=A.holds[0].fingerprint)
    with pytest.raises(StoreError, match=r"learned as batch 'a' already.*--again"):
        add(version(FOLDED, C), other)
    assert ids(add(version(A), other, again=True)) == ["a", "z"]


def test_a_batch_is_dropped_by_its_id():
    assert ids(drop(version(A, B, C), "b")) == ["a", "c"]
    for what, name, told in (
        ((A, B), "x", "no batch 'x' in version 1; found 'a', 'b'"),
        ((FOLDED, C), "a", "folded into one with 1 others"),
        ((A,), "a", "would leave nothing"),
    ):
        with pytest.raises(StoreError, match=told):
            drop(version(*what), name)


def test_a_window_keeps_the_last_batches_by_day():
    assert ids(keep_last(version(C, A, B), 2)) == ["c", "b"]
    undated = batch("d")
    assert ids(keep_last(version(C, A, undated), 2)) == ["a", "d"]  # as they were learned
    assert isinstance(keep_last(version(A, B), 2), Unchanged)
    with pytest.raises(StoreError, match="one batch or more, found 0"):
        keep_last(version(A), 0)


def test_a_window_keeps_a_batch_exactly_at_its_limit():
    assert ids(keep_since(version(A, B, C), "2026-11-28")) == ["b", "c"]
    assert isinstance(keep_since(version(A, B), "2026-11-27"), Unchanged)
    for batches, day, told in (
        ((A, B), "2026-12-01", "an empty window would leave nothing"),
        ((A, batch("d")), "2026-11-27", "'d' have none"),
        ((FOLDED, C), "2026-11-28", "lies inside batch 'b'"),
        ((A,), "28.11.2026", "wants a day as YYYY-MM-DD, found '28.11.2026'"),
    ):
        with pytest.raises(StoreError, match=told):
            keep_since(version(*batches), day)


def test_decay_halves_a_batch_for_every_half_life():
    found = decay(version(A, B, C), 1.0)
    assert isinstance(found, Change)
    assert [one.weight for one in found.batches] == [0.25, 0.5, 1.0]
    assert isinstance(decay(version(*found.batches), 1.0), Unchanged)  # weights are of the day, not of one another
    later = decay(version(A, B), 2.0, "2026-11-30")
    assert isinstance(later, Change)
    assert [one.weight for one in later.batches] == [0.5**1.5, 0.5]
    early = decay(version(A, B, C), 1.0, "2026-11-27")
    assert early == Unchanged("every batch has that weight already")
    with pytest.raises(StoreError, match=r"nothing would be left of 'a'"):
        decay(version(A, C), 1e-3)


def test_options_are_set_over_the_same_batches():
    found = set_options(version(A), {"alpha": 0.1})
    assert isinstance(found, Change)
    assert (found.batches, found.options) == ((A,), {"alpha": 0.1})
    assert isinstance(set_options(version(A, options={"alpha": 0.1}), {"alpha": 0.1}), Unchanged)
