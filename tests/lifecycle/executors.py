"""A learning on a standalone cluster whose executors and Python workers are killed while it runs.

Run as a program, with a folder to work in: starts a master and two workers of its own on loopback, learns the same
documents undisturbed and with kills, and prints how often what was killed. The counts are the same, bit for bit.
"""

from __future__ import annotations

import csv
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING

from tests.lifecycle.replay import DAYS, state, train

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parents[2]
N_DOCUMENTS = 60_000
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.executor.memory": "600m",
    "spark.executor.cores": "1",
    "spark.task.maxFailures": "20",
    "spark.sql.files.maxPartitionBytes": "150k",  # some 30 tasks
    "spark.sql.files.openCostInBytes": "0",
}


def free_port() -> int:
    """Return a port of loopback that nobody has."""
    with socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def cluster(root: Path) -> Iterator[tuple[str, list[int]]]:
    """Start a master and two workers; yield the master's address and the process ids of the workers."""
    address = f"spark://127.0.0.1:{(port := free_port())}"
    deploy = "org.apache.spark.deploy"
    master = [f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", str(free_port())]
    worker = [f"{deploy}.worker.Worker", "--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0"]
    work = ["--work-dir", str(root / "work"), address]
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(HERE)}
    started: list[subprocess.Popen[bytes]] = []
    with (root / "cluster.log").open("w") as log:
        try:
            for command in (master, [*worker, *work], [*worker, *work]):
                started.append(subprocess.Popen(["spark-class", *command], stdout=log, stderr=log, env=environment))
                time.sleep(4)
            yield address, [one.pid for one in started[1:]]
        finally:
            for one in started:
                one.terminate()
                one.wait()


def below(pid: int) -> list[tuple[int, str]]:
    """Return the process ids and commands of everything that a process has started."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(maxsplit=2) for line in listed.splitlines()]
    found: list[tuple[int, str]] = []
    parents = {pid}
    while parents:
        children = [(int(one), command) for one, parent, command in rows if int(parent) in parents]
        found += children
        parents = {one for one, _ in children}
    return found


def learn(address: str, model: Path, root: Path) -> subprocess.Popen[bytes]:
    """Start the job."""
    settings = [word for key, value in SETTINGS.items() for word in ("--conf", f"{key}={value}")]
    arguments = ["--documents", str(root / "new.csv"), "--batch", "2026-11-24", "--model", str(model)]
    command = ["spark-submit", "--master", address, *settings, str(HERE / "jobs" / "learn.py"), *arguments]
    with (root / "job.log").open("w") as log:
        environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(HERE)}
        return subprocess.Popen(command, stdout=log, stderr=log, env=environment)


def disturb(job: subprocess.Popen[bytes], workers: list[int]) -> dict[str, int]:
    """Kill executors and Python workers in turn while a job runs; return how many of each."""
    kinds = {"Python worker": "pyspark/daemon", "executor": "CoarseGrainedExecutorBackend"}
    killed = dict.fromkeys(kinds, 0)
    turn = 0
    while job.poll() is None:
        kind = list(kinds)[turn % 2]
        found = [one for worker in workers for one in below(worker)]
        is_working = any("pyspark" in command and "daemon" in command for _, command in found)
        wanted = [pid for pid, command in found if kinds[kind].replace("/", ".") in command]
        if is_working and wanted and killed[kind] < 3:
            with suppress(ProcessLookupError):
                os.kill(wanted[-1], signal.SIGKILL)
                killed[kind] += 1
                turn += 1
        time.sleep(0.5)
    return killed


def main(root: Path) -> None:
    """Print what was killed."""
    train(root / "model", DAYS)
    with (root / "new.csv").open("w", newline="") as file:
        rows = [
            (("spam", "ham")[i % 2], f"word{i % 977} word{i % 991} and some more words {i}") for i in range(N_DOCUMENTS)
        ]
        csv.writer(file).writerows([("y", "t"), *rows])
    with cluster(root) as (address, workers):
        for name in ("undisturbed", "disturbed"):
            shutil.copytree(root / "model", root / name)
        assert learn(address, root / "undisturbed", root).wait() == 0, (root / "job.log").read_text()
        job = learn(address, root / "disturbed", root)
        killed = disturb(job, workers)
        assert job.wait() == 0, (root / "job.log").read_text()
    assert all(killed.values()), killed
    assert state(root / "disturbed") == state(root / "undisturbed")
    print("killed", ", ".join(f"{n} times {kind}" for kind, n in killed.items()), "and the counts are the same")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
