"""Commands with a real Spark job, killed at moments spread over their run, and run again.

Run as a program, with a folder to work in, how often each command is killed and, if not all, which commands: prints a
line a command. After each kill the versions that were good before are unchanged, and the same command again ends as an
undisturbed run does.
"""

from __future__ import annotations

import csv
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.lifecycle.replay import DAYS, state, train

if TYPE_CHECKING:
    from collections.abc import Sequence

ROWS = {
    "new.csv": [("y", "t"), *(("eggs", f"scrambled word{i} on toast") for i in range(2000)), ("ham", "at lunch")],
    "gone.csv": [("y", "t"), ("spam", "cash prize")],
    "wrong.csv": [("y", "z", "t"), ("ham", "spam", "call me")],
    "held.csv": [("y", "t"), ("spam", "win a lot"), ("ham", "late lunch")],
}
COMMANDS: dict[str, Sequence[str]] = {
    "retrain": ("--documents", "new.csv", "--batch", "2026-11-24", "--holdout-documents", "held.csv"),
    "learn": ("--documents", "new.csv", "--batch", "2026-11-24", "--date", "2026-11-24"),
    "forget": ("--documents", "gone.csv"),
    "relabel": ("--documents", "wrong.csv", "--from", "y", "--to", "z"),
}


def start(command: str, model: Path) -> subprocess.Popen[bytes]:
    """Start a command in a process group of its own, which Java belongs to."""
    line = [sys.executable, "-m", "nbspark", command, *COMMANDS[command], "--model", str(model)]
    return subprocess.Popen(
        line,
        cwd=model.parent,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    )


def run(command: str, model: Path) -> None:
    """Run a command to its end, which must be a good one."""
    code = start(command, model).wait()
    assert code == 0, f"{command}: exit code {code}"


def killed(command: str, model: Path, seconds: float) -> float | None:
    """Kill a command after some seconds; if it ended before, return after how many."""
    begin = time.perf_counter()
    process = start(command, model)
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    ended = None if process.poll() is None else time.perf_counter() - begin
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return ended


def replay(command: str, root: Path, n_kills: int) -> tuple[int, int]:
    """Kill a command at moments of its run and run it again; return kills after it had published, and leftovers."""

    def fresh(name: str) -> Path:
        return shutil.copytree(root / "model", root / name)

    before = state(root / "model")
    undisturbed = fresh(f"{command}-undisturbed")
    begin = time.perf_counter()
    run(command, undisturbed)
    seconds = time.perf_counter() - begin
    wanted: Any = state(undisturbed)
    n_published = n_left = 0
    for i in range(n_kills):
        # The first part of a run starts Java and Spark: no kills there.
        while ended := killed(command, model := fresh(f"{command}-{i}"), seconds * (0.3 + 0.7 * i / n_kills)):
            seconds = ended  # the machine is less busy than it was
            assert state(model) == wanted
            shutil.rmtree(model)
        after = state(model)
        assert all(after["versions"][one] == before["versions"][one] for one in before["versions"]), (command, i)
        is_published = after["versions"].keys() == wanted["versions"].keys()
        n_published += is_published
        n_left += len(list((model / "batches").iterdir())) > len(before["versions"])
        begin = time.perf_counter()
        run(command, model)
        if not is_published:  # it did all of its work
            seconds = time.perf_counter() - begin
        assert state(model) == wanted, f"{command}, kill {i}: run again, it ends otherwise"
        shutil.rmtree(model)
    return n_published, n_left


def main(root: Path, n_kills: int, commands: Sequence[str] = ()) -> None:
    """Print what became of the commands."""
    train(root / "model", DAYS)
    for name, rows in ROWS.items():
        with (root / name).open("w", newline="") as file:
            csv.writer(file).writerows(rows)
    for command in commands or COMMANDS:
        n_published, n_left = replay(command, root, n_kills)
        print(
            f"{command}: killed {n_kills} times, {n_published} of them after it had published, {n_left} left a "
            "folder; run again, each ended as undisturbed",
            flush=True,
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), int(sys.argv[2]), sys.argv[3:])
