"""Many versions in a list, without reading every file; and batches that versions share, without reading them again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nbspark import Text
from nbspark.errors import StoreError
from nbspark.files.local import LocalFiles
from nbspark.lifecycle.upkeep import vacuum
from nbspark.model_store import ModelStore
from nbspark.spec import Spec
from nbspark.store.reading import StoredModel
from tests.builders import count_rows, documents, store_batch, store_model

SPEC = Spec("label", (Text("body"),))
ROWS = count_rows(SPEC, [documents(["spam"], ["win"])])


@pytest.fixture
def model(tmp_path, monkeypatch) -> ModelStore:
    """Return a model of ten versions, each of which tells of three before it."""
    monkeypatch.setattr("nbspark.store.versions.HISTORY", 3)
    store = store_model(tmp_path / "m", SPEC, ROWS, n_pairs=1)
    for i in range(2, 11):
        newest = store.latest()
        batch = store_batch(store, str(i), ROWS, n_pairs=1)
        store.publish([*newest.batches, batch], parent=newest, note={}, change={"kind": "learn", "batch": str(i)})
    return ModelStore(tmp_path / "m")


@pytest.fixture
def reads(monkeypatch) -> list[str]:
    """Return the names of the files that are read from now on."""
    found: list[str] = []

    def read(files: LocalFiles, path: str, n_bytes: int = -1) -> bytes:
        found.append(Path(path).name)
        return Path(path).read_bytes()

    monkeypatch.setattr(LocalFiles, "read", read)
    monkeypatch.setattr(LocalFiles, "sha256", lambda files, path: found.append(path) or sha256(files, path))
    return found


sha256 = LocalFiles.sha256


def test_each_file_tells_of_the_versions_before_it(model, reads):
    found = model.summaries()
    assert reads == ["00000010.json", "00000006.json", "00000002.json"]
    assert [(one.version, one.change, one.documents, one.batches) for one in found] == [
        (1, "unknown", 9, 1),
        *[(i, f"learn {i}", 9 * i, i) for i in range(2, 11)],
    ]
    assert found == [version.summary for version in model.versions()]
    assert [one.version for one in model.version(3).lineage] == [3, 2, 1]


def test_a_version_that_was_removed_is_not_listed_but_stays_in_the_lineage(model):
    model.promote(6)
    vacuum(model.store, keep=2, min_age=0)
    assert [one.version for one in model.summaries()] == [6, 9, 10]
    assert [one.version for one in model.version(9).lineage] == [9, 8, 7]


def test_batches_that_versions_share_are_read_once(model, reads):
    assert model.verify() == list(range(1, 11))
    assert len([path for path in reads if path.endswith(".parquet")]) == 10


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"version": 9}, "history wants the versions before it, one after the other"),
        ({"created": "yesterday"}, r"history\[1\].created wants a time in UTC"),
        ({"documents": "many"}, r"history\[1\]: documents has the value 'many'"),
        ({"more": 1}, r"history\[1\]: unknown key 'more'"),
    ],
)
def test_a_history_that_cannot_be_is_refused(model, tmp_path, change, told):
    file = tmp_path / "m" / "versions" / "00000010.json"
    plain = json.loads(file.read_text())
    plain["history"][1] |= change
    file.write_text(json.dumps(plain))
    with pytest.raises(StoreError, match=told):
        StoredModel.open(tmp_path / "m", LocalFiles()).latest()


def test_verify_finds_a_history_that_says_other_than_the_version_itself(model, tmp_path):
    file = tmp_path / "m" / "versions" / "00000010.json"
    plain = json.loads(file.read_text())
    plain["history"][1] |= {"documents": 1}
    file.write_text(json.dumps(plain))
    with pytest.raises(StoreError, match="version 8 is damaged: the history of a later version tells of it otherwise"):
        model.verify()
