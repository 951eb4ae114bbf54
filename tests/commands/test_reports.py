"""The report of a run says how the run ended, whatever an earlier one said."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path

import pytest

from nbspark import __version__
from nbspark.commands.reports import Report, write_json
from nbspark.commands.running import logged_warnings
from nbspark.errors import PathError


def read(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


def test_a_run_is_running_until_it_succeeds_or_fails(tmp_path: Path) -> None:
    path = tmp_path / "reports" / "r.json"
    report = Report("train", str(path))
    report.begin(others={})
    running = read(path)
    assert (running["status"], running["ended"]) == ("running", None)
    report.spark = "4.0.0"
    report.seconds["learn"] = 1.5
    report.succeed({"rows": 3})
    found = read(path)
    assert (found["status"], found["rows"], found["seconds"]) == ("succeeded", 3, {"learn": 1.5})
    assert (found["nbspark"], found["spark"], found["run_id"]) == (__version__, "4.0.0", running["run_id"])
    assert found["started"] <= found["ended"]

    later = Report("train", str(path))
    later.begin(others={})
    later.fail("no documents")
    found = read(path)
    assert (found["status"], found["error"], "rows" in found) == ("failed", "no documents", False)
    assert found["run_id"] != running["run_id"]


def test_what_is_logged_as_a_warning_is_in_the_report() -> None:
    log = logging.getLogger("nbspark")
    with logged_warnings() as found:
        log.warning("%d files are hidden", 2)
        log.info("plan broadcast")
    log.warning("later")
    assert found == ["2 files are hidden"]


def test_a_report_that_was_not_begun_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text('{"a": 1}')
    report = Report("train", str(tmp_path / "mine.json"))
    with pytest.raises(PathError, match=r"mine\.json' exists and is no report of nbspark"):
        report.begin(others={})
    report.fail("x")
    assert read(tmp_path / "mine.json") == {"a": 1}


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.json"
    write_json(str(path), {"n": 1})

    def full(*_: object, **__: object) -> None:
        raise OSError(28, os.strerror(28), "r.json")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(PathError, match=r"r\.json cannot be written: No space left on device\."):
        write_json(str(path), {"n": 2})
    assert read(path) == {"n": 1}
    assert [file.name for file in tmp_path.iterdir()] == ["r.json"]
