"""A retrain behind its gate, without Spark: what it publishes, whom it promotes, and what its retry finds."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import pytest

from nbspark import Text
from nbspark.errors import DocumentsError, PathError, SpecError, StoreError
from nbspark.files.local import LocalFiles
from nbspark.lifecycle.batches import read_batch
from nbspark.lifecycle.subtract import add_up
from nbspark.model_store import ModelStore
from nbspark.spec import Spec
from nbspark.store import Store
from nbspark.store.aliases import history
from nbspark.store.learned import describe_learned
from tests.lifecycle.test_histories import content

SPEC = Spec("y", (Text("t"),))
WORDS = {"spam": "win cash", "ham": "lunch noon"}


def mails(day: str, n: int = 20, *, wrong: bool = False) -> dict[str, list[str]]:
    """Return mails of a day, each with a word of its own; with the labels the wrong way round if asked."""
    labels = ["spam", "ham"] * (n // 2)
    texts = [f"{WORDS[label]} {day}{i}" for i, label in enumerate(labels)]
    return {"y": labels[::-1] if wrong else labels, "t": texts}


HELD_OUT = mails("held", 10)


@pytest.fixture
def model(tmp_path) -> ModelStore:
    return ModelStore(tmp_path / "m", spec=SPEC)


def champion(model: ModelStore) -> int:
    return model.aliases()["champion"].version


def folders(model: ModelStore) -> int:
    return len(model.store.files.names(f"{model.store.root}/batches"))


def test_a_week_behind_the_gate(model):
    monday = model.retrain(mails("mon"), batch="mon", date="2026-11-23", minimum={"accuracy": 0.9})
    assert (monday.changed, monday.decision.promoted, champion(model)) == (True, True, 1)
    assert monday.version.change == {"kind": "train", "batch": "mon"}
    tuesday = model.retrain(mails("tue"), batch="tue", holdout=HELD_OUT)
    assert (tuesday.version.version, champion(model)) == (2, 2)
    assert tuesday.version.change == {"kind": "retrain", "batch": "tue"}
    note = tuesday.version.note["gate"]
    assert (note["challenger"]["accuracy"], note["champion_version"], note["p_value"]) == (1.0, 1, 1.0)

    again = model.retrain(mails("tue"), batch="tue", holdout=HELD_OUT)  # the night comes twice
    assert (again.changed, again.why, again.decision) == (False, "batch 'tue' is already learned", tuesday.decision)
    assert (model.store.versions(), folders(model)) == ([1, 2], 2)

    wednesday = model.retrain(mails("wed", 200, wrong=True), batch="wed", holdout=HELD_OUT)
    assert not wednesday.decision.promoted
    assert "accuracy 0.0000 is significantly worse than the champion's 1.0000" in wednesday.decision.reason
    assert (wednesday.version.version, champion(model)) == (3, 2)
    assert model.version().version == 2  # what is scored with
    again = model.retrain(mails("wed", 200, wrong=True), batch="wed", holdout=HELD_OUT)
    assert (again.changed, again.decision) == (False, wednesday.decision)

    model.forget(batch="wed")
    assert model.retrain(mails("thu"), batch="thu", holdout=HELD_OUT).decision.promoted
    assert champion(model) == 5
    assert model.rollback().version == 2
    assert not model.retrain(mails("thu"), batch="thu", holdout=HELD_OUT).changed
    assert champion(model) == 2  # what a person moved back stays there
    anew = ModelStore(f"{model.store.root}2", spec=SPEC)
    anew.retrain(mails("mon"), batch="mon")
    for day in ("tue", "thu"):
        anew.learn(mails(day), batch=day)
    counts = [
        content(add_up(read_batch(one.store, batch) for batch in one.store.latest().batches)) for one in (model, anew)
    ]
    assert counts[0] == counts[1]


def test_equal_documents_are_on_one_side_whatever_the_night(model):
    model.retrain(mails("mon", 200), batch="mon", holdout=0.5)
    n_learned = model.version().rows["rows_read"]
    assert 60 < n_learned < 140
    model.retrain({"y": ["ham"] * 200, "t": mails("mon", 200)["t"]}, batch="tue", holdout="1/2")
    assert model.version(2).rows["rows_read"] == 2 * n_learned


@pytest.mark.parametrize("metric", ["macro_f1", "log_loss"])
def test_the_other_metrics_have_a_gate_too(model, metric):
    model.retrain(mails("mon"), batch="mon")
    assert model.retrain(mails("tue"), batch="tue", holdout=HELD_OUT, metric=metric).decision.promoted
    kept = model.retrain(mails("wed", 200, wrong=True), batch="wed", holdout=HELD_OUT, metric=metric)
    assert (kept.decision.promoted, kept.decision.p_value) == (False, 1 / 1_001)


def test_a_first_version_below_the_minimum_is_nobodys_champion(model):
    first = model.retrain(mails("mon", wrong=True), batch="mon", holdout=HELD_OUT, minimum={"accuracy": 0.9})
    assert (first.decision.promoted, first.decision.reason) == (False, "accuracy 0.0000 is below the minimum 0.9")
    assert (model.store.versions(), model.aliases()) == ([1], {})
    second = model.retrain(mails("tue", 200), batch="tue", holdout=HELD_OUT, minimum={"accuracy": 0.9})
    assert (second.decision.promoted, second.decision.champion, champion(model)) == (True, None, 2)


def test_a_model_without_a_champion_keeps_the_version_that_was_used(model):
    model.retrain(mails("mon"), batch="mon")
    plain = ModelStore(f"{model.store.root}2", spec=SPEC)
    plain.store.publish(list(plain_batches(plain)), note={})
    assert not plain.retrain(mails("wed", 200, wrong=True), batch="wed", holdout=HELD_OUT).decision.promoted
    assert champion(plain) == 1
    assert plain.version().version == 1


def plain_batches(model: ModelStore):
    """Yield a written batch of a model that no gate has seen."""
    folder = model.store.new_batch_folder("mon")
    learned, written = model._write(mails("mon"), folder, None)
    yield describe_learned(model.store, folder, "mon", None, learned, written)


@pytest.mark.parametrize(
    ("documents", "asked", "error", "told"),
    [
        ({"y": ["eggs"] * 20, "t": mails("tue")["t"]}, {}, DocumentsError, r"all their labels \('eggs'\) are new"),
        ({"t": mails("tue")["t"]}, {}, DocumentsError, r"no column \['y'\]"),
        (mails("tue"), {"holdout": {"y": ["eggs"], "t": ["cash"]}}, DocumentsError, "none of its labels"),
        (
            mails("tue"),
            {"holdout": {"y": [None], "t": ["cash"]}},
            DocumentsError,
            "none of the 1 documents has a label",
        ),
        (mails("tue"), {"holdout": {"y": ["ham"]}}, DocumentsError, r"no column \['t'\]"),
        (mails("tue"), {"holdout": 1.0}, SpecError, "holdout wants a share between 0 and 1"),
        (mails("tue", 2), {"holdout": "999/1000"}, DocumentsError, "without the share 999/1000 that is held out: "),
        (mails("tue", 2), {"holdout": "1/1000"}, DocumentsError, "it holds no document"),
        (mails("tue"), {"minimum": {"recall": 1}}, SpecError, "metric 'recall'"),
        (mails("tue"), {"level": 5}, SpecError, "level wants"),
        (mails("tue"), {"batch": "mon"}, StoreError, "batch 'mon' is learned already, from other documents"),
        (mails("old"), {"batch": "mon"}, StoreError, "no version that is there says what a gate decided"),
        (mails("old"), {}, StoreError, "were learned as batch 'old' already"),
    ],
)
def test_what_cannot_be_judged_changes_nothing(model, documents, asked, error, told):
    model.retrain(mails("mon"), batch="mon", holdout=HELD_OUT)
    model.learn(mails("old"), batch="old")
    if "no version" in told:
        asked = asked | {"batch": "old"}
    with pytest.raises(error, match=told):
        model.retrain(documents, **{"batch": "tue", "holdout": HELD_OUT} | asked)
    assert (model.store.versions(), champion(model), folders(model)) == ([1, 2], 1, 2)


def test_another_spec_than_the_models_is_refused(model, tmp_path):
    model.retrain(mails("mon"), batch="mon")
    with pytest.raises(SpecError, match=r"differs from the model's: t: tokens 'chars', not 'words'\. What is learned"):
        ModelStore(model.store.root, spec=Spec("y", (Text("t", tokens="chars"),)))
    with pytest.raises(SpecError, match=r"alpha 0\.5, not 1\.0\. These can be set: nbspark set"):
        ModelStore(model.store.root, spec=Spec("y", (Text("t"),), alpha=0.5))
    with pytest.raises(SpecError, match=r"features \['text t', 'text s'\], not \['text t'\]"):
        ModelStore(model.store.root, spec=Spec("y", (Text("t"), Text("s"))))
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "notes.txt").touch()
    with pytest.raises(PathError, match="there already"):
        ModelStore(tmp_path / "else", spec=SPEC)


@dataclass(frozen=True)
class Dying(LocalFiles):
    """Files of a process that is killed before it changes them for the n-th time: nothing works afterwards."""

    at: int = 0
    changes: list[str] = field(default_factory=list)

    def _count(self, path: str) -> None:
        self.changes.append(path)
        if len(self.changes) >= self.at:
            raise KeyboardInterrupt

    def create(self, path: str, data: bytes) -> None:
        self._count(path)
        super().create(path, data)

    def remove(self, path: str) -> None:
        self._count(path)
        super().remove(path)

    def remove_empty(self, path: str) -> None:
        self._count(path)
        super().remove_empty(path)


def told(model: ModelStore) -> tuple:
    """Return what a model's folder says, but for times and random names."""
    moves = [(one, move.version, move.reason) for one, move in model.aliases().items()]
    versions = [(one.version, one.change, one.note, [b.holds for b in one.batches]) for one in model.versions()]
    return moves, len(model.store.files.names(f"{model.store.root}/aliases/champion")), versions


@pytest.mark.parametrize("night", ["first", "without a champion", "promoted", "kept"])
def test_wherever_a_retrain_is_killed_its_retry_ends_as_if_nothing_had_been(tmp_path, night):
    documents = mails("tue", 200, wrong=night == "kept")

    def start(path) -> ModelStore:
        store = ModelStore(path, spec=SPEC)
        if night == "without a champion":
            store.store.publish(list(plain_batches(store)), note={})
        elif night != "first":
            store.retrain(mails("mon"), batch="mon", holdout=HELD_OUT)
        return store

    def retrain(store: ModelStore, files: LocalFiles | None = None):
        mine = ModelStore(store.store.root, spec=SPEC)
        mine.store = Store(mine.store.root, files or mine.store.files, mine.store.spec)
        return mine.retrain(documents, batch="tue", holdout=HELD_OUT)

    undisturbed = start(tmp_path / "clean")
    wanted = retrain(undisturbed)
    for at in range(1, 20):
        store = start(tmp_path / str(at))
        files = Dying(at=at)
        try:
            retrain(store, files)
            break
        except KeyboardInterrupt:
            found = retrain(store)
        assert found.decision == wanted.decision
        assert told(store) == told(undisturbed)
    assert at >= {"kept": 3, "promoted": 4, "without a champion": 5, "first": 5}[night]


def test_retrains_that_race_all_count_and_the_champion_goes_forward_only(model):
    model.retrain(mails("mon"), batch="mon", holdout=HELD_OUT)

    def write(name: str) -> None:
        own = ModelStore(model.store.root)
        for i in range(2):
            own.retrain(mails(f"{name}{i}"), batch=f"{name}{i}", holdout=HELD_OUT)

    writers = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    newest = model.store.latest()
    assert sorted(held.batch for one in newest.batches for held in one.holds) == [
        *(f"{name}{i}" for name in "abc" for i in range(2)),
        "mon",
    ]
    moves = [one.version for one in history(model.store, "champion")]
    assert moves == sorted(set(moves))
    assert moves[-1] == newest.version == 7
    assert folders(model) == 7
