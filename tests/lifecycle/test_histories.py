"""Whatever a model went through, its counts are those of a training on what is left, bit for bit. Without Spark."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbspark import Categorical, Numeric, Text
from nbspark.files.local import LocalFiles
from nbspark.lifecycle.batches import count_in_memory, read_batch, rows_of
from nbspark.lifecycle.documents import kernel_batches
from nbspark.lifecycle.subtract import add_up
from nbspark.model_store import ModelStore
from nbspark.spec import Spec
from nbspark.store import Store
from nbspark.store.learned import Learned, create_files, publish_first

SPEC = Spec("y", (Text("t"), Categorical("c"), Numeric("x")), weight="w")
NAMES = ("y", "t", "c", "x", "w")
DOCUMENTS = st.tuples(
    st.sampled_from(["spam", "ham", "eggs"]),
    st.sampled_from(["win cash", "cash", "lunch noon lunch", "", None]),
    st.sampled_from(["a", "b", None]),
    st.sampled_from([1.0, 2.5, 1000.0, None]),
    st.sampled_from([1.0, 0.1, 2.0]),
)
BATCHES = st.lists(DOCUMENTS, min_size=1, max_size=5)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("learn"), BATCHES),
        st.tuples(st.just("forget"), st.integers(0, 99)),
        st.tuples(st.just("relabel"), st.integers(0, 99)),
        st.tuples(st.just("replace"), st.integers(0, 99), BATCHES),
        st.tuples(st.just("window"), st.integers(1, 4)),
        st.tuples(st.just("compact"), st.integers(0, 2)),
        st.tuples(st.just("vacuum")),
    ),
    max_size=8,
)


def columns(rows: list[tuple]) -> pa.Table:
    types = [pa.string(), pa.string(), pa.string(), pa.float64(), pa.float64()]
    made = [pa.array(list(values), kind) for values, kind in zip(zip(*rows, strict=True), types, strict=True)]
    return pa.table(dict(zip(NAMES, made, strict=True)))


def new_model(root: Path, rows: list[tuple], batch: str = "0") -> ModelStore:
    store = Store.create(root, SPEC.to_dict(), LocalFiles())
    files = count_in_memory(SPEC, kernel_batches(columns(rows), SPEC))
    with store.new_batch(batch) as folder:
        written = create_files(files, store.files, folder)
        publish_first(store, folder, batch=batch, learned=Learned.of(files), written=written)
    return ModelStore(root)


def content(table: pa.Table) -> dict[tuple, tuple]:
    """Return the counts of classes by their key."""
    rows = [tuple(row.values()) for row in table.to_pylist() if row["label"] is not None]
    found = {row[:3]: row[3:] for row in rows}
    assert len(found) == len(rows)
    return found


def counts_of(model: ModelStore) -> dict[tuple, tuple]:
    return content(add_up(read_batch(model.store, one) for one in model.store.latest().batches))


class History:
    """A model, and beside it the documents that each of its batches holds."""

    def __init__(self, folder: str, rows: list[tuple]) -> None:
        first = marked(rows, 0)
        self.model = new_model(Path(folder, "m"), first)
        self.held: list[tuple[list[str], list[tuple]]] = [(["0"], first)]
        self.n_batches = 1

    def learn(self, rows: list[tuple]) -> None:
        rows, name = marked(rows, self.n_batches), str(self.n_batches)
        assert self.model.learn(columns(rows), batch=name).changed
        assert not self.model.learn(columns(rows[::-1]), batch=name).changed
        self.held.append(([name], rows))
        self.n_batches += 1

    def forget(self, which: int) -> None:
        i, row = self._document(which)
        if sum(len(rows) for _, rows in self.held) > 1:
            self.model.forget(columns([row]), again=True)
            self.held[i][1].remove(row)
            self.held = [one for one in self.held if one[1]]

    def relabel(self, which: int) -> None:
        i, row = self._document(which)
        table = columns([row]).append_column("new", pa.array(["other"]))
        self.model.relabel(table, old="y", new="new", again=True)
        self.held[i][1].remove(row)
        self.held[i][1].append(("other", *row[1:]))

    def replace(self, which: int, rows: list[tuple]) -> None:
        i = which % len(self.held)
        ids, _ = self.held[i]
        if len(ids) == 1:
            rows = marked(rows, self.n_batches)
            assert self.model.learn(columns(rows), batch=ids[0], replace=True).changed
            self.held[i] = (ids, rows)
            self.n_batches += 1

    def window(self, last: int) -> None:
        self.model.window(last=last)
        del self.held[:-last]

    def compact(self, keep: int) -> None:
        self.model.compact(keep=keep)
        old = self.held[: len(self.held) - keep]
        if len(old) > 1:
            self.held[: len(old)] = [([one for ids, _ in old for one in ids], [row for _, rows in old for row in rows])]

    def vacuum(self) -> None:
        self.model.vacuum(min_age=0)
        assert len(self.model.versions()) == 1

    def _document(self, which: int) -> tuple[int, tuple]:
        every = [(i, row) for i, (_, rows) in enumerate(self.held) for row in rows]
        return every[which % len(every)]


def marked(rows: list[tuple], batch: int) -> list[tuple]:
    """Return documents in which the category tells the batch: no other one's counts hold them."""
    return [(label, text, f"{category} of {batch}", number, weight) for label, text, category, number, weight in rows]


@settings(max_examples=40, deadline=None)
@given(BATCHES, STEPS)
def test_counts_after_any_history_are_those_of_a_training_on_what_is_left(first, steps):
    with tempfile.TemporaryDirectory() as folder:
        history = History(folder, first)
        for kind, *arguments in steps:
            getattr(history, kind)(*arguments)
            history.model.verify()
        left = [row for _, rows in history.held for row in rows]
        expected = content(rows_of(count_in_memory(SPEC, kernel_batches(columns(left), SPEC))))
        found = counts_of(history.model)
        assert {key: values[:2] for key, values in found.items()} == {key: each[:2] for key, each in expected.items()}
        for key, (_, _, mean, m2, *_) in found.items():  # with fractional weights, to the last digits only
            if mean is not None:
                assert (mean, m2) == pytest.approx(expected[key][2:4], rel=1e-12, abs=1e-8)
