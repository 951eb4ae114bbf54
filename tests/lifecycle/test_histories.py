"""Whatever a model went through, its counts are those of a training on what is left, bit for bit. Without Spark."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nbspark import Categorical, Numeric, Text, local
from nbspark.errors import StoreError
from nbspark.files.local import LocalFiles
from nbspark.lifecycle import sums
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
SOME = st.lists(st.integers(0, 99), min_size=1, max_size=4)  # documents of any batches
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("learn"), BATCHES),
        st.tuples(st.just("forget"), SOME),
        st.tuples(st.just("relabel"), SOME),
        st.tuples(st.just("merge"), BATCHES, BATCHES),
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

    def forget(self, which: list[int]) -> None:
        some = self._documents(which)
        if sum(len(rows) for _, rows in self.held) > len(some):
            self.model.forget(columns([row for _, row in some]), again=True)
            for rows, row in some:
                rows.remove(row)
            self.held = [one for one in self.held if one[1]]

    def relabel(self, which: list[int]) -> None:
        some = self._documents(which)
        table = columns([row for _, row in some]).append_column("new", pa.array(["other"] * len(some)))
        self.model.relabel(table, old="y", new="new", again=True)
        for rows, row in some:
            rows.remove(row)
            rows.append(("other", *row[1:]))

    def merge(self, first: list[tuple], second: list[tuple]) -> None:
        names = str(self.n_batches), str(self.n_batches + 1)
        first, second = marked(first, self.n_batches), marked(second, self.n_batches + 1)
        self.n_batches += 2
        other = new_model(Path(self.model.store.root).with_name(f"other{names[0]}"), first, names[0])
        other.learn(columns(second), batch=names[1])
        assert self.model.merge(other).changed
        self.held += [([names[0]], first), ([names[1]], second)]

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

    def _documents(self, which: list[int]) -> list[tuple[list[tuple], tuple]]:
        """Return some documents, each with the list of its batch."""
        every = [(rows, row) for _, rows in self.held for row in rows]
        return [every[i] for i in dict.fromkeys(one % len(every) for one in which)]


def marked(rows: list[tuple], batch: int) -> list[tuple]:
    """Return documents whose category tells the batch, as no other one's counts hold them; each text has its word."""
    return [
        (label, None if text is None else f"{text} only{batch}x{i}x", f"{category} of {batch}", number, weight)
        for i, (label, text, category, number, weight) in enumerate(rows)
    ]


def word_of(row: tuple) -> bytes:
    """Return the word that only this document has."""
    return str(row[1]).split()[-1].encode()


@pytest.fixture
def plain_files(monkeypatch):
    """Let files of counts be written without compression, so that their bytes can be looked through."""
    monkeypatch.setattr(sums, "EVERY", 2)  # so that most versions have a stored sum
    monkeypatch.setattr(pq, "ParquetWriter", partial(uncompressed, pq.ParquetWriter))


def uncompressed(writer: type, *args: object, **options: object) -> object:
    """Return a writer that does not compress."""
    return writer(*args, **{**options, "compression": "none"})


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(BATCHES, STEPS)
def test_counts_after_any_history_are_those_of_a_training_on_what_is_left(plain_files, first, steps):
    with tempfile.TemporaryDirectory() as folder:
        history = History(folder, first)
        every = {word_of(row) for _, rows in history.held for row in rows if row[1] is not None}
        for kind, *arguments in steps:
            getattr(history, kind)(*arguments)
            history.model.verify()
            assert_sums_agree(history.model)
            every |= {word_of(row) for _, rows in history.held for row in rows if row[1] is not None}
        left = [row for _, rows in history.held for row in rows]
        assert_same(counts_of(history.model), expected_of(left))
        history.vacuum()
        kept = {word_of(row) for row in left if row[1] is not None}
        data = b"".join(file.read_bytes() for file in Path(folder, "m").rglob("*") if file.is_file())
        assert {word for word in every if word in data} == kept
        for (_, rows), batch in zip(history.held, history.model.version().batches, strict=True):
            assert_same(
                content(add_up([read_batch(history.model.store, batch)])), expected_of(rows)
            )  # so windows stay exact


ALIKE = st.lists(st.sampled_from(["a b", "a c", "b c", "a b c", "a a", "c", ""]), min_size=1, max_size=6)


@settings(max_examples=15, deadline=None)
@given(st.lists(ALIKE, min_size=2, max_size=3), st.lists(st.integers(0, 99), min_size=1, max_size=8))
def test_documents_that_could_be_of_several_batches_are_subtracted_from_the_sum_or_refused(batches, which):
    spec, every = Spec("y", (Text("t"),)), [text for texts in batches for text in texts]
    some = [every[i] for i in dict.fromkeys(one % len(every) for one in which)]
    with tempfile.TemporaryDirectory() as folder:
        local.train(spec, {"y": ["x", "z"], "t": ["d", "d"]}, Path(folder, "m"), batch="first")
        model = ModelStore(Path(folder, "m"))
        for i, texts in enumerate(batches):
            if any(texts):
                model.learn({"y": ["x"] * len(texts), "t": texts}, batch=str(i), again=True)
        if not all(any(texts) for texts in batches):
            return
        gone = {"y": ["x"] * len(some), "t": some}
        before = model.version().version
        try:
            model.forget(gone, again=True)
        except StoreError as error:  # the rule takes one document after the other, and looks back at none
            assert "in no batch as a whole" in str(error)  # noqa: PT017
            assert model.version().version == before
            model.compact()
            model.forget(gone, again=True)
        for text in some:
            every.remove(text)
        left = {"y": ["x", "z", *["x"] * len(every)], "t": ["d", "d", *every]}
        assert counts_of(model) == content(rows_of(count_in_memory(spec, kernel_batches(left, spec))))
        assert model.load().labels == ["x", "z"]
        while len(model.version().batches) > 1:  # whatever window is left is counts of some documents
            model.window(last=len(model.version().batches) - 1)
            model.load()


def assert_sums_agree(model: ModelStore) -> None:
    """Assert that a stored sum in the place of the first batches changes no count: the newest version has one."""
    newest = model.store.latest()
    read = model.store.to_read(newest)
    if len(newest.batches) >= sums.EVERY and not any("window" in one.change for one in newest.lineage[: sums.EVERY]):
        assert len(read.batches) <= sums.EVERY
    found = content(add_up(read_batch(model.store, one) for one in read.batches))
    assert_same(found, content(add_up(read_batch(model.store, one) for one in newest.batches)))


def expected_of(rows: list[tuple]) -> dict[tuple, tuple]:
    """Return the counts of documents."""
    return content(rows_of(count_in_memory(SPEC, kernel_batches(columns(rows), SPEC))))


def assert_same(found: dict[tuple, tuple], expected: dict[tuple, tuple]) -> None:
    """Assert that counts are as they should be: tokens and documents to the bit, moments to the last digits."""
    assert {key: values[:2] for key, values in found.items()} == {key: each[:2] for key, each in expected.items()}
    for key, (_, _, mean, m2, *_) in found.items():  # with fractional weights, to the last digits only
        if mean is not None:
            assert (mean, m2) == pytest.approx(expected[key][2:4], rel=1e-12, abs=1e-8)
