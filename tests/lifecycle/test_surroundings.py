"""A model whose surroundings fail it: a folder that cannot be written, a clock that goes back, damaged files."""

from __future__ import annotations

import os
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nbspark import local
from nbspark.errors import StoreError
from nbspark.model_store import ModelStore
from nbspark.store import aliases, layout
from tests.lifecycle.replay import CHANGES, DAYS, NEW, state, train

if TYPE_CHECKING:
    from collections.abc import Iterator

NOBODY = 65534


@pytest.fixture
def path(tmp_path: Path) -> Path:
    train(tmp_path / "model", DAYS)
    train(tmp_path / "model-other", {"2026-10-01": {"y": ["spam"], "t": ["other cash"]}})
    ModelStore(tmp_path / "model").promote(2)
    return tmp_path / "model"


@pytest.fixture
def read_only() -> Iterator[Path]:
    """Return a model that this process may read only, even where it runs as root."""
    root = Path(tempfile.mkdtemp())
    try:
        train(root / "model", DAYS)
        train(root / "model-other", {"2026-10-01": {"y": ["spam"], "t": ["other cash"]}})
        for one in (root, *root.rglob("*")):
            one.chmod(0o555 if one.is_dir() else 0o444)
        is_root = os.geteuid() == 0
        if is_root:
            os.seteuid(NOBODY)
        try:
            yield root / "model"
        finally:
            if is_root:
                os.seteuid(0)
    finally:
        for one in (root, *root.rglob("*")):
            one.chmod(0o755)
        shutil.rmtree(root)


@pytest.mark.parametrize("change", [name for name in CHANGES if name != "vacuum"])
def test_a_model_that_may_only_be_read_scores_and_refuses_every_change_in_one_line(
    read_only: Path, change: str
) -> None:
    with pytest.raises(StoreError, match=r"^cannot create .*: Permission denied\. Check the disk and the path\.$"):
        CHANGES[change](ModelStore(read_only))
    assert local.load(read_only).predict(["win cash"]).to_pylist()[0]["prediction"] == "spam"


def test_vacuum_of_a_model_that_may_only_be_read_says_so(read_only: Path) -> None:
    with pytest.raises(StoreError, match="Permission denied"):
        ModelStore(read_only).vacuum(min_age=0)


def test_a_clock_that_goes_back_changes_neither_the_order_of_versions_nor_of_an_alias(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Yesteryear(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:
            return datetime(1999, 12, 31, tzinfo=UTC)

    monkeypatch.setattr(layout, "datetime", Yesteryear)
    monkeypatch.setattr(aliases, "datetime", Yesteryear)
    model = ModelStore(path)
    made = model.learn(NEW, batch="2026-11-24", date="2026-11-24").version
    model.promote(made.version)
    assert made.created.startswith("1999-12-31")
    assert (model.version().version, model.versions()[-1].version) == (4, 4)
    assert model.rollback().version == 2


def test_a_folder_whose_time_lies_ahead_is_taken_for_a_running_writers(path: Path) -> None:
    left = path / "batches" / "2026-11-25-ab"
    left.mkdir()
    ahead = datetime.now(UTC).timestamp() + 3600
    os.utime(left, (ahead, ahead))
    assert ModelStore(path).vacuum(keep=3, min_age=0).folders == ()


@pytest.mark.parametrize("damage", ["truncated", "flipped", "emptied", "of another number"])
def test_a_damaged_alias_is_named_and_versions_still_load_by_number(path: Path, damage: str) -> None:
    file = path / "aliases" / "champion" / "00000001.json"
    whole = file.read_bytes()
    changed = {
        "truncated": whole[: len(whole) // 2],
        "flipped": whole.replace(b'"version"', b'"versioN"'),
        "emptied": b"",
        "of another number": whole.replace(b'"number": 1', b'"number": 7'),
    }
    assert changed[damage] != whole
    file.write_bytes(changed[damage])
    for read in (lambda: local.load(path), lambda: ModelStore(path).verify()):
        with pytest.raises(StoreError, match=r"aliases/champion/00000001\.json"):
            read()
    assert local.load(path, version=2).predict(["win cash"]).to_pylist()[0]["prediction"] == "spam"


def test_an_alias_of_a_version_that_is_missing_is_found_by_verify(path: Path) -> None:
    (path / "versions" / "00000002.json").unlink()
    with pytest.raises(StoreError, match=r"version 2|00000002"):
        ModelStore(path).verify()


def test_a_newest_version_that_is_damaged_leaves_the_older_ones_as_they_were(path: Path) -> None:
    before = state(path)["versions"]
    newest = path / "versions" / "00000003.json"
    newest.write_bytes(newest.read_bytes()[:-20])
    with pytest.raises(StoreError, match=r"versions/00000003\.json"):
        ModelStore(path).verify()
    model = ModelStore(path)
    assert [dict(model.version(one).change) for one in (1, 2)] == [before[one]["change"] for one in (1, 2)]
    assert local.load(path).predict(["win cash"]).num_rows == 1  # the champion is version 2
    with pytest.raises(StoreError, match=r"versions/00000003\.json"):
        model.learn(NEW, batch="2026-11-24")
