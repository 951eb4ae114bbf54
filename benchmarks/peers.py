"""nbspark beside its peers on the same files: medians, ratios and memory, from several rounds in one run.

    make bench                                  # the standard corpus, 200,000 documents
    make bench ARGS='--documents 20000 --rounds 1 --only nbspark mllib'

Every contender has a process of its own that stays alive. The contenders take turns, one at a time, several rounds;
in its turn each does everything twice, and the second time is its warm figure: while others had their turns, Spark's
idle Python workers have ended, and memory has grown cold. The very first time is shown as ``cold``. Start-up (imports,
Java, the engine) is a column of its own.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import select
import statistics
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contenders import CONTENDERS
from corpus import make
from memory import largest

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).parent
SAIL_PYTHON = HERE.parent / ".venv-sail" / "bin" / "python"


class ContenderError(Exception):
    """A contender cannot do what it was asked for."""


class Process:
    """A contender's process."""

    def __init__(self, name: str, corpus: Path, work: Path, heap: str | None, timeout: float) -> None:
        self.timeout = timeout
        python = str(SAIL_PYTHON) if name == "nbspark-sail" else sys.executable
        command = [python, str(HERE / "contenders.py"), name, "--corpus", str(corpus), "--work", str(work)]
        command += ["--heap", heap] if heap else []
        self.log = (work.parent / f"{name}.log").open("w")
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True, cwd=HERE.parent
        )
        self.start_up = self.read()["seconds"]
        self.peak = {"driver": 0, "java": 0, "worker": 0}

    def ask(self, what: str) -> dict[str, Any]:
        """Have one thing done; note the peak memory of the process and of those it started.

        Raises
        ------
        ContenderError
            The contender cannot do it.
        """
        assert self.process.stdin
        print(what, file=self.process.stdin, flush=True)
        answer = self.read()
        if "error" in answer:
            raise ContenderError(answer["error"])
        for kind, megabytes in largest(self.process.pid).items():
            self.peak[kind] = max(self.peak[kind], megabytes)
        return answer

    def read(self) -> dict[str, Any]:
        """Return the next answer."""
        assert self.process.stdout
        if not select.select([self.process.stdout], [], [], self.timeout)[0]:
            raise ContenderError(f"no answer in {self.timeout:.0f} s")
        line = self.process.stdout.readline()
        if not line:
            raise ContenderError(f"ended; see {self.log.name}")
        return json.loads(line)

    def stop(self) -> None:
        """End the process."""
        assert self.process.stdin
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:  # a server thread may outlive its work
            self.process.terminate()
            self.process.wait()


def run(
    names: list[str], corpus: Path, work: Path, *, rounds: int, heap: str | None, timeout: float
) -> dict[str, dict[str, Any]]:
    """Return each contender's times by round, its start-up, its memory and what it found, or why it failed."""
    processes = {name: Process(name, corpus, work / name, heap, timeout) for name in names}
    results: dict[str, dict[str, Any]] = {name: {"cold": {}, "train": [], "score": [], "found": {}} for name in names}
    for turn in range(rounds):
        for name in [name for name in names if "failed" not in results[name]]:
            try:
                take_turn(processes[name], results[name], ("train", "score") if CONTENDERS[name].scores else ("train",))
                shown = ", ".join(f"{step} {results[name][step][-1]:.2f} s" for step in results[name]["cold"])
            except ContenderError as failed:
                shown = results[name]["failed"] = str(failed)
            print(f"round {turn + 1} {name:13} {shown}", file=sys.stderr, flush=True)
    for name, process in processes.items():
        results[name] |= {"start_up": process.start_up, "peak_mb": dict(process.peak)}  # without the check
        if "failed" not in results[name]:
            results[name]["found"] = process.ask("check")["found"]
        process.stop()
    return results


def take_turn(process: Process, result: dict[str, Any], steps: Sequence[str]) -> None:
    """Have a contender do everything twice; keep the second times, and the very first ones."""
    for step in steps:
        seconds = process.ask(step)["seconds"]
        result["cold"].setdefault(step, seconds)
    for step in steps:
        result[step].append(process.ask(step)["seconds"])


def disagreements(results: dict[str, dict[str, Any]]) -> list[str]:
    """Return what the contenders do not agree on: pairs, tokens, and which documents got which label."""
    wrong = []
    for what in ("pairs", "tokens", "predictions"):
        said = {name: one["found"][what] for name, one in results.items() if what in one["found"]}
        first = next(iter(said.values()), None)
        wrong += [f"{name}: other {what} than {next(iter(said))}" for name, value in said.items() if value != first]
    return wrong


def table(results: dict[str, dict[str, Any]]) -> str:
    """Return the figures as a Markdown table; ratios are against nbspark, in the same run."""
    head = "contender,train s,of nbspark,score s,of nbspark,cold train,cold score,start-up"
    columns = [*head.split(","), "peak MB of Python, Java, a worker"]
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    own = {step: _median(results["nbspark"][step]) for step in ("train", "score")} if "nbspark" in results else {}
    for name, one in results.items():
        cells = [name]
        for step in ("train", "score"):
            warm = _median(one[step])
            cells += [f"{warm:.2f}", f"{warm / own[step]:.2f}" if own else ""] if one[step] else ["", ""]
        cells += [f"{one['cold'][step]:.1f}" if step in one["cold"] else "" for step in ("train", "score")]
        peak = one["peak_mb"]
        cells += [f"{one['start_up']:.1f}", ", ".join(str(peak[kind] or "-") for kind in ("driver", "java", "worker"))]
        lines.append("| " + " | ".join(cells) + " |")
    lines += [f"\n{name} failed: {one['failed']}" for name, one in results.items() if "failed" in one]
    return "\n".join(lines)


def _median(seconds: list[float]) -> float:
    """Return the median, NaN of nothing."""
    return statistics.median(seconds or [float("nan")])


def main() -> None:
    """Run the contenders, print the table and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--work", type=Path, default=Path("build/bench"), help="a folder for corpus, models, predictions"
    )
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--classes", type=int, default=20)
    parser.add_argument("--vocabulary", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--heap", help="of Java, for every contender: 1g for nbspark and 4g for MLlib if not given")
    parser.add_argument("--timeout", type=float, default=3600, help="seconds a contender may take for one thing")
    parser.add_argument("--only", nargs="+", choices=CONTENDERS, help="these contenders")
    args = parser.parse_args()
    names = args.only or [name for name in CONTENDERS if name != "nbspark-sail" or SAIL_PYTHON.exists()]
    size = {"documents": args.documents, "classes": args.classes, "vocabulary": args.vocabulary}
    corpus = make(args.work / f"corpus-{args.documents}-{args.classes}-{args.vocabulary}", **size)
    for name in names:
        (args.work / name).mkdir(parents=True, exist_ok=True)
    results = run(names, corpus, args.work, rounds=args.rounds, heap=args.heap, timeout=args.timeout)
    print(table(results))
    wrong = disagreements(results)
    print("the answers agree" if not wrong else "\n".join(wrong))
    (args.work / "peers.json").write_text(json.dumps({"size": size, "results": results}, indent=2) + "\n")
    if wrong:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
