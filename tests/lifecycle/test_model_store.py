"""A stored model's life without Spark: what the store says of each change, and what is on the disk afterwards."""

from __future__ import annotations

import threading

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nbspark import Text, local
from nbspark.errors import DocumentsError, StoreError
from nbspark.files.local import LocalFiles
from nbspark.lifecycle.batches import count_in_memory
from nbspark.lifecycle.documents import kernel_batches
from nbspark.model_store import ModelStore
from nbspark.spec import Spec
from nbspark.store import Store
from nbspark.store.learned import Learned, create_files, publish_first

SPEC = Spec("y", (Text("t"),))
FIRST = {"y": ["spam", "spam", "ham"], "t": ["win cash now", "cash prize", "lunch at noon"]}
SECOND = {"y": ["ham", None], "t": ["noon call", "no label"]}


@pytest.fixture
def model(tmp_path) -> ModelStore:
    store = Store.create(tmp_path / "m", SPEC.to_dict(), LocalFiles())
    files = count_in_memory(SPEC, kernel_batches(FIRST, SPEC))
    with store.new_batch("mon") as folder:
        written = create_files(files, store.files, folder)
        publish_first(store, folder, batch="mon", learned=Learned.of(files), written=written, date="2026-11-23")
    return ModelStore(tmp_path / "m")


def folders(model: ModelStore) -> int:
    return len(model.store.files.names(f"{model.store.root}/batches"))


def test_a_batch_that_comes_twice_changes_nothing_and_leaves_no_folder(model):
    assert model.learn(SECOND, batch="tue", date="2026-11-24").changed
    again = model.learn({"y": [None, "ham"], "t": ["no label", "noon call"]}, batch="tue", date="2026-11-24")
    assert (again.changed, again.why) == (False, "batch 'tue' is already learned")
    assert folders(model) == 2
    assert model.version().rows["rows_read"] == 5


def test_documents_under_another_id_are_known_again(model):
    with pytest.raises(StoreError, match="batch 'wed': these documents were learned as batch 'mon' already"):
        model.learn({name: values[::-1] for name, values in FIRST.items()}, batch="wed")
    assert folders(model) == 1


def test_a_forgotten_mail_is_in_no_file(model):
    model.learn({"y": ["ham"], "t": ["noon xylophone"]}, batch="tue")
    model.promote(1)
    outcome = model.forget({"y": ["spam"], "t": ["cash prize"]})
    assert outcome.version.change["kind"] == "forget"
    model.promote(outcome.version.version)
    assert model.vacuum(min_age=0).versions == (1, 2)
    assert (model.store.versions(), model.store.removed()) == ([3], [1, 2])
    terms = {
        term
        for info in model.store.files.walk(f"{model.store.root}/batches")
        for term in pq.read_table(f"{model.store.root}/batches/{info.path}")["term"].to_pylist()
    }
    assert "prize" not in terms
    assert "cash" in terms  # another mail has it
    model.verify()


@pytest.mark.parametrize(
    ("documents", "told"),
    [
        ({"y": ["spam"], "t": ["xylophone"]}, "'xylophone' in 'spam' would fall below zero"),
        ({"y": ["eggs"], "t": ["cash"]}, "'cash' in 'eggs'"),
        ({"y": ["spam"] * 3, "t": ["cash"] * 3}, "'cash' in 'spam', documents of 'spam'"),
        (FIRST, "nothing would be left"),
    ],
)
def test_what_was_never_learned_cannot_be_forgotten_and_nothing_changes(model, documents, told):
    with pytest.raises(StoreError, match=told):
        model.forget(documents)
    assert model.store.versions() == [1]
    assert folders(model) == 1


def test_forgetting_is_told_when_it_was_just_done(model):
    gone = {"y": ["ham"], "t": ["lunch at noon"]}
    assert model.forget(gone).changed
    again = model.forget(gone)
    assert not again.changed
    assert "made by this very change" in str(again.why)
    with pytest.raises(StoreError, match="below zero"):
        model.forget(gone, again=True)


def test_a_relabelled_mail_moves_in_one_version(model):
    outcome = model.relabel({"y": ["spam"], "right": ["ham"], "t": ["cash prize"]}, old="y", new="right")
    assert outcome.version.version == 2
    found = model.load()
    assert found.labels == ["ham", "spam"]
    assert local.load(model.store.root, version=1).predict(["prize"])["prediction"].to_pylist() == ["spam"]
    assert local.load(model.store.root).predict(["prize"])["prediction"].to_pylist() == ["ham"]


def test_the_champion_is_loaded_until_another_is_promoted(model):
    model.learn({"y": ["ham"] * 9, "t": ["prize"] * 9}, batch="tue")
    assert model.version().version == 2  # without a champion the newest
    assert model.promote(1)[1]
    assert not model.promote(1)[1]
    assert model.version().version == 1
    assert local.load(model.store.root).predict(["prize"])["prediction"].to_pylist() == ["spam"]
    model.promote(2)
    assert model.rollback().version == 1
    with pytest.raises(StoreError, match="no way back"):
        model.rollback()
    with pytest.raises(StoreError, match=r"no alias 'champoin' \(did you mean 'champion'\?\)"):
        model.version(alias="champoin")
    with pytest.raises(StoreError, match=r"no version 7; found \[1, 2\]"):
        model.promote(7)


def test_options_of_a_version_are_read_with_it(model):
    outcome = model.set_options(alpha=0.1, event="complement")
    assert outcome.version.options == {"alpha": 0.1, "features": {"t": {"event": "complement"}}}
    assert not model.set_options(alpha=0.1).changed
    assert model.load().spec.alpha == 0.1
    assert model.load(1).spec == SPEC
    back = model.set_options(alpha=1.0, event="multinomial")
    assert back.version.options == {}


def test_a_difference_names_classes_terms_options_and_what_moved_most(model):
    model.learn({"y": ["ham", "eggs"], "t": ["cash", "breakfast"]}, batch="tue")
    model.set_options(alpha=0.5)
    found = model.diff(1, 3)
    assert (found.classes_gained, found.classes_lost) == (["eggs"], [])
    assert (found.terms_gained, found.terms_lost) == ({"t": ["breakfast"]}, {"t": []})
    assert found.options == {"alpha": (None, 0.5)}
    feature, label, term, *_ = found.moved[0]
    assert (feature, label, term) == ("t", "ham", "cash")


def test_compact_keeps_ids_days_and_fingerprints(model):
    model.learn(SECOND, batch="tue", date="2026-11-24")
    before = [held for one in model.version().batches for held in one.holds]
    outcome = model.compact()
    assert [held for one in outcome.version.batches for held in one.holds] == before
    assert not model.learn(SECOND, batch="tue").changed
    assert not model.compact().changed


def test_merged_models_add_up_and_clashing_ids_are_refused(model, tmp_path):
    store = Store.create(tmp_path / "other", SPEC.to_dict(), LocalFiles())
    files = count_in_memory(SPEC, kernel_batches(SECOND, SPEC))
    with store.new_batch("tue") as folder:
        written = create_files(files, store.files, folder)
        publish_first(store, folder, batch="tue", learned=Learned.of(files), written=written)
    other = ModelStore(tmp_path / "other")
    assert model.merge(other).version.rows["rows_read"] == 5
    assert not model.merge(other).changed
    model.verify()
    other.learn(FIRST, batch="tue2")
    with pytest.raises(StoreError, match="both models have a batch 'tue'"):
        model.merge(other)


def test_writers_that_race_all_publish_and_each_batch_counts_once(model):
    def write(name: str) -> None:
        own = ModelStore(model.store.root)
        for i in range(4):
            own.learn({"y": ["ham"], "t": [f"word{name}{i}"]}, batch=f"{name}{i}")

    writers = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    assert model.store.versions() == list(range(1, 14))
    assert len(model.version().batches) == 13
    assert folders(model) == 13


def test_documents_that_hold_nothing_to_learn_make_no_version(model):
    for documents, told in (
        ({"y": [None], "t": ["cash"]}, "no row has a label"),
        ({"y": ["ham"], "t": [""]}, "no term and no number"),
        ({"y": ["ham"]}, r"no column \['t'\]"),
        (["cash"], "want a mapping of columns"),
    ):
        with pytest.raises(DocumentsError, match=told):
            model.learn(documents, batch="tue")
    with pytest.raises(StoreError, match=r"date 'monday': wants a day as YYYY-MM-DD"):
        model.learn(SECOND, batch="tue", date="monday")
    assert (model.store.versions(), folders(model)) == ([1], 1)


def test_an_arrow_table_is_learned_like_a_mapping(model):
    assert model.learn(pa.table(SECOND), batch="tue").changed
    assert not model.learn(SECOND, batch="tue").changed
