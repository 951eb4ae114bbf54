"""Changes that die anywhere are made again, and several writers at once each get their turn."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

# Of the file-system events of the changes, every so manieth; `python -m tests.lifecycle.replay DIR` takes them all.
STEP = 41


def run(program: str, *args: Any) -> Any:
    """Run a program of the tests and return what it prints."""
    command = [sys.executable, "-m", f"tests.lifecycle.{program}", *map(str, args)]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def died(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, int]]:
    """Return how often each change died and was made again, by death."""
    return run("replay", tmp_path_factory.mktemp("replay"), STEP)


@pytest.mark.parametrize("death", ["killed", "disk full", "interrupted"])
def test_a_change_that_dies_anywhere_loses_nothing_and_ends_as_if_undisturbed_when_made_again(died, death):
    assert all(n >= 1 for change, n in died[death].items() if change != "promote"), died
    assert sum(died[death].values()) >= 15


def test_five_writers_at_once_lose_no_batch_and_count_none_twice(tmp_path):
    found = run("writers", tmp_path)
    assert found["exit codes"] == [0] * 5
    assert found["batches"] == sorted(["2026-11-21", *(f"{writer}-{i}" for writer in range(5) for i in range(10))])
    assert (found["versions"], found["folders"]) == (1 + 5 * 10, 1 + 5 * 10)
    assert found["learned"] == 2 + 5 * 10 * 2
