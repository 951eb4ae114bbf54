"""Time whole commands of two checkouts in turn: what a user waits for, start of Python, Java and Spark included.

    python benchmarks/startup.py --documents docs.csv --label label --text text --before ../yesterday --pairs 5

Without ``--before`` this checkout is compared with itself without its archive of classes. Prints the seconds of the
clock and of the processors (of all processes together, Java's end included) of each pair, their medians and ratios.
The processors' seconds depend less on who else uses the machine. Linux only.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from nbspark.runtime.archive import VARIABLE

HERE = Path(__file__).resolve().parents[1]
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: Java, whose parent ends before it, becomes a child of this process


def run(environment: dict[str, str], options: list[str]) -> tuple[float, float]:
    """Run ``nbspark train`` once and return the seconds of the clock and of the processors."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as errors:
        command = [sys.executable, "-m", "nbspark", "train", *options, "--model", f"{folder}/model"]
        before, start = _processor_seconds(), time.perf_counter()
        done = subprocess.run(
            command, env=os.environ | environment, cwd=folder, stdout=subprocess.DEVNULL, stderr=errors, check=False
        )
        seconds = time.perf_counter() - start
        _wait_for_all()
        if done.returncode:
            errors.seek(0)
            sys.exit(errors.read().decode(errors="replace"))
        return seconds, _processor_seconds() - before


def _processor_seconds() -> float:
    """Return the processors' seconds of all processes that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _wait_for_all() -> None:
    """Wait until the last process that a command has left behind has ended."""
    try:
        while True:
            os.wait()
    except ChildProcessError:
        return


def main() -> None:
    """Run the pairs and print a table."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--documents", required=True, metavar="PATH")
    parser.add_argument("--label", required=True, metavar="COLUMN")
    parser.add_argument("--text", required=True, metavar="COLUMN")
    parser.add_argument("--before", type=Path, metavar="DIR", help="the checkout to compare with")
    parser.add_argument("--pairs", type=int, default=5)
    args = parser.parse_args()
    options = ["--documents", str(Path(args.documents).resolve()), "--label", args.label, "--text", args.text]
    after = {"PYTHONPATH": str(HERE)}
    before = {"PYTHONPATH": str(args.before.resolve())} if args.before else after | {VARIABLE: "off"}
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    subprocess.run([sys.executable, "-m", "nbspark.runtime.archive"], env=os.environ | after, cwd=HERE, check=True)
    for environment in (before, after):  # once for the disk's cache
        run(environment, options)
    print("| before: clock s | processor s | after: clock s | processor s |\n|---|---|---|---|")
    rows = []
    for _ in range(args.pairs):
        rows.append([*run(before, options), *run(after, options)])
        print("| " + " | ".join(f"{seconds:.1f}" for seconds in rows[-1]) + " |", flush=True)
    clock, processors, clock_after, processors_after = (statistics.median(column) for column in zip(*rows, strict=True))
    print(f"| **{clock:.1f}** | **{processors:.1f}** | **{clock_after:.1f}** | **{processors_after:.1f}** |")
    ratios = f"{clock_after / clock:.2f} of the clock, {processors_after / processors:.2f} of the processors"
    print(f"\nmedians, after / before: {ratios}")


if __name__ == "__main__":
    main()
