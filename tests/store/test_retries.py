"""A job that died before it published is run again in the same folder, and nobody has to clean up."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nbspark.errors import PathError
from nbspark.files.local import LocalFiles
from nbspark.store import Store, spec_file

SPEC = {"label": "topic", "features": [{"kind": "text", "column": "body"}]}


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return what became of the retries of trainings that died at each of their file-system events."""
    command = [sys.executable, "-m", "tests.store.replay", str(tmp_path_factory.mktemp("replay"))]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("training", ["learn", "save"])
@pytest.mark.parametrize("death", ["killed", "disk full", "interrupted"])
def test_wherever_a_first_training_dies_its_retry_succeeds_unless_all_was_done(
    replayed: dict[str, list[str]], training: str, death: str
) -> None:
    found = replayed[f"{training}, {death}"]
    n_done = found.count("was published")  # the last events: a temporary name goes, folders are brought to the disk
    assert len(found) >= 40
    assert 1 <= n_done <= 6
    assert found == ["succeeded"] * (len(found) - n_done) + ["was published"] * n_done


def leave_spec(root: Path, spec: dict[str, Any]) -> None:
    """Leave what a job leaves that dies between its last two files."""
    store = Store.create(root, spec, LocalFiles())
    store.files.create(f"{root}/spec.json", spec_file.spec_bytes(spec))
    store.files.create(f"{root}/batches/1-ab/counts/part-00000.parquet", b"counts")


def test_another_spec_on_a_dead_jobs_folder_is_refused_before_any_work_and_said(tmp_path: Path) -> None:
    leave_spec(tmp_path, SPEC)
    with pytest.raises(
        PathError, match=r"left spec\.json there, of another model \(alpha None, not 0\.5\)\. If that job"
    ):
        Store.create(tmp_path, SPEC | {"alpha": 0.5}, LocalFiles())
    assert Store.create(tmp_path, SPEC, LocalFiles()).spec == SPEC


def test_a_dead_job_of_another_nbspark_is_said_to_be_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_spec(tmp_path, SPEC)
    monkeypatch.setattr(spec_file, "TOKENIZER_VERSION", 99)
    with pytest.raises(PathError, match=r"of another model \(tokenizer_version \d+, not 99\)"):
        Store.create(tmp_path, SPEC, LocalFiles())


@pytest.mark.parametrize("left", [b"", b"{", b'{"spec": 7}', b"[]"])
def test_half_a_spec_file_is_said_to_be_left(tmp_path: Path, left: bytes) -> None:
    (tmp_path / "spec.json").write_bytes(left)
    with pytest.raises(PathError, match=r"left spec\.json there, of another model\. If that job runs no more, remove"):
        Store.create(tmp_path, SPEC, LocalFiles())


def test_only_a_folder_with_a_version_or_with_other_things_is_taken(tmp_path: Path) -> None:
    leave_spec(tmp_path, SPEC)
    (tmp_path / "versions").mkdir()
    (tmp_path / "versions" / ".00000001.json.ab").write_bytes(b"half")
    (tmp_path / ".spec.json.cd").write_bytes(b"half")
    Store.create(tmp_path, SPEC, LocalFiles())
    (tmp_path / "versions" / "00000001.json").touch()
    with pytest.raises(PathError, match="there already"):
        Store.create(tmp_path, SPEC, LocalFiles())
