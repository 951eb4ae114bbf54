"""Stored sums of a version's first batches: read in their place, and no more than a copy of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nbspark import Text, local
from nbspark.errors import StoreError
from nbspark.lifecycle import sums
from nbspark.model_store import ModelStore
from nbspark.spec import Spec

SPEC = Spec("y", (Text("t"),))


@pytest.fixture
def model(tmp_path, monkeypatch):
    """A model of five batches, in which a sum is kept of every three that there are: of the first 3, and of all 5."""
    monkeypatch.setattr(sums, "EVERY", 3)
    local.train(SPEC, {"y": ["spam", "ham"], "t": ["win cash0", "noon"]}, tmp_path / "m", batch="0")
    found = ModelStore(tmp_path / "m")
    for i in range(1, 5):
        found.learn({"y": ["spam", None], "t": [f"win cash{i}", "x"]}, batch=str(i))
    return found


def stored(model: ModelStore) -> list[int]:
    """Return of how many batches there are sums."""
    return sorted(int(path.name[:8]) for path in Path(model.store.root, "sums").glob("*.json"))


def read(model: ModelStore) -> list[str]:
    """Return which folders are read for the newest version."""
    return [one.folder.split("/")[0] for one in model.store.to_read(model.store.latest()).batches]


def n_win(model: ModelStore) -> float:
    """Return how often "win" is counted."""
    counts = local.read_counts(model.store, model.store.latest()).features["t"]
    return float(counts.sum_by_term(counts.n_tokens)[counts.terms.to_pylist().index("win")])


def test_a_sum_is_read_in_the_place_of_its_batches(model):
    assert (stored(model), read(model), n_win(model)) == ([3, 5], ["sums"], 5.0)
    model.learn({"y": ["spam"], "t": ["win"]}, batch="5")
    assert (read(model), n_win(model)) == (["sums", "batches"], 6.0)
    assert model.verify() == [1, 2, 3, 4, 5, 6]


def test_a_damaged_or_missing_sum_is_told_by_verify_and_otherwise_passed_over(model):
    [file] = Path(model.store.root, "sums").glob("00000005-*/counts/*.parquet")
    file.write_bytes(file.read_bytes()[:-1] + b"!")
    assert (read(model), n_win(model)) == (["sums", "batches", "batches"], 5.0)
    with pytest.raises(StoreError, match=r"sums/00000005-.*other content of the same size. It is a copy: remove it"):
        model.verify()
    for path in Path(model.store.root, "sums").glob("*.json"):
        path.unlink()
    assert (read(model), n_win(model)) == (["batches"] * 5, 5.0)


def test_a_sum_of_other_batches_is_not_read(model):
    newest = Path(model.store.root, "versions/00000005.json")
    plain = json.loads(newest.read_text())
    plain["batches"][1]["folder"] = plain["batches"][1]["folder"] + "0"
    newest.write_text(json.dumps(plain))
    assert read(model) == ["batches"] * 5


def test_decayed_batches_are_not_in_a_sum_and_a_window_ends_them(model):
    model.window(last=4)
    assert read(model) == ["batches"] * 4
    model.learn({"y": ["spam"], "t": ["win"]}, batch="5")
    model.learn({"y": ["spam"], "t": ["win win"]}, batch="6")
    assert read(model) == ["batches"] * 6  # the window is one of the last three changes
    model.learn({"y": ["spam"], "t": ["win win win"]}, batch="7")
    assert (read(model), n_win(model)) == (["sums"], 4 + 1 + 2 + 3)


def test_vacuum_leaves_no_sum_that_holds_what_was_forgotten(model, monkeypatch):
    monkeypatch.setattr(sums, "EVERY", 99)  # so that forgetting makes no new sum, and leaves the old ones
    model.forget({"y": ["spam"], "t": ["win cash1"]})
    removed = model.vacuum()
    assert len([one for one in removed.folders if one.startswith("sums/")]) == 2  # those of 3 and 5 batches with it
    assert not list(Path(model.store.root, "sums").iterdir())
    assert (read(model), n_win(model)) == (["batches"] * 4, 4.0)
    assert model.verify() == [6]


def test_a_sum_that_cannot_be_written_leaves_the_change_as_it_is(model, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "no space")

    monkeypatch.setattr(sums, "create_once", full)
    for i in range(3):
        assert model.learn({"y": ["spam"], "t": [f"win{i}"]}, batch=f"more{i}").changed
    assert (stored(model), read(model)) == ([3, 5], ["sums", "batches", "batches", "batches"])
    assert len(list(Path(model.store.root, "sums").iterdir())) == 4
