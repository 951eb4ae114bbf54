"""A week of nightly retrains on real mails, played by the commands as a scheduler and a person would.

    python benchmarks/week.py --data DIR --work build/week

DIR has the folder `spamassassin`, see ``corpora/mails.py``. Writes seven days of mails, a holdout and the files of what
goes wrong into a new folder, then runs command after command there: prints each with its exit code, its seconds and
what it printed, and at the end the time of each night. The exit code is 1 if a command ends otherwise than it should,
or if the counts at the end are not those of a training from scratch.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from corpora.mails import spamassassin

from nbspark import ModelStore
from nbspark.lifecycle.batches import read_batch
from nbspark.lifecycle.subtract import add_up

DAYS = [f"2026-11-{day}" for day in range(23, 30)]  # Monday to Sunday
HELD_OUT = 10  # of so many shares of the mails, the first three; the days have the others
SEED = 1
MODEL = "models/mails"
Mail = tuple[str, str]  # label, text

OPTIONS = "--holdout-documents holdout.csv --minimum accuracy=0.9 --label label --text text"


def night(day: str, file: str = "") -> str:
    """Return the command of a night, with another file than the day's if one is given."""
    return f"retrain --documents {file or day + '.csv'} --batch {day} --date {day} {OPTIONS}"


# What is run, and the exit code that it must have.
COMMANDS: list[tuple[str, int]] = [
    (night(DAYS[0]), 0),
    (night(DAYS[0]), 0),  # a retry
    (night(DAYS[1], "shuffled.csv"), 3),
    (f"forget --batch {DAYS[1]}", 0),
    (night(DAYS[1]), 0),
    (night(DAYS[2], f"{DAYS[1]}.csv"), 1),  # yesterday's file
    (night(DAYS[2]), 0),
    (night(DAYS[3]), 0),
    ("forget --documents gone.csv", 0),
    ("forget --documents gone.csv", 0),
    ("relabel --documents wrong.csv --from label --to right", 0),
    (night(DAYS[4]), 3),  # two nights that are worse indeed: docs/retraining.md
    (night(DAYS[5]), 3),
    (night(DAYS[6]), 0),
    ("model list", 0),
    ("model rollback", 0),
    ("score --documents holdout.csv --label label --output scored", 0),
    ("evaluate --predictions scored --label label", 0),
    ("model promote 11", 0),
    ("model verify", 0),
    ("train --documents week.parquet --label label --text text --batch week", 0),  # from scratch, into another folder
]
SCRATCH = "models/scratch"


@dataclass(frozen=True)
class Run:
    """A command that was run."""

    command: str
    code: int
    seconds: float
    printed: str


def prepare(data: Path, work: Path) -> None:
    """Write the files of the week: days, holdout, a day with shuffled labels, a mail to forget and one to relabel."""
    corpus = spamassassin(data / "spamassassin")
    # Each text once: what is held out must not be learned.
    mails = dict(zip(corpus.columns["text"].to_pylist(), corpus.labels.to_pylist(), strict=True))
    parts: list[list[Mail]] = [[] for _ in range(HELD_OUT)]
    for text, label in mails.items():
        digest = hashlib.sha256(text.encode()).digest()
        parts[int.from_bytes(digest[:4], "big") % HELD_OUT].append((label, text))
    held_out, days = [mail for part in parts[:3] for mail in part], parts[3:]

    rng = random.Random(SEED)
    labels = [label for label, _ in days[1]]
    rng.shuffle(labels)
    shuffled = [(label, text) for label, (_, text) in zip(labels, days[1], strict=True)]
    gone = next(mail for mail in days[1] if mail[0] == "ham")
    wrong = next(mail for mail in days[3] if mail[0] == "ham")
    week = [mail for day in days for mail in day if mail != gone]

    for day, rows in zip(DAYS, days, strict=True):
        write(work / f"{day}.csv", ["label", "text"], [("spam", wrong[1]) if row == wrong else row for row in rows])
    write(work / "holdout.csv", ["label", "text"], held_out)
    write(work / "shuffled.csv", ["label", "text"], shuffled)
    write(work / "gone.csv", ["label", "text"], [gone])
    write(work / "wrong.csv", ["label", "right", "text"], [("spam", "ham", wrong[1])])
    pq.write_table(
        pa.table({"label": [row[0] for row in week], "text": [row[1] for row in week]}), work / "week.parquet"
    )
    sizes = ", ".join(f"{len(day)}" for day in days)
    print(f"{len(corpus.labels)} mails, {len(mails)} different ones: days of {sizes}; {len(held_out)} held out\n")


def write(file: Path, header: list[str], rows: list[Any]) -> None:
    """Write a CSV file."""
    with file.open("w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows([header, *rows])


def run(command: str, work: Path) -> Run:
    """Run a command on the model, or from scratch on another one, and print what came of it."""
    model = SCRATCH if command.startswith("train") else MODEL
    name, *rest = command.split()
    if name == "model":
        words = [name, rest[0], model, *rest[1:]]
    else:
        words = [name, *rest, *([] if name == "evaluate" else ["--model", model])]
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "nbspark", *words],
        cwd=work,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[1])},
        check=False,
    )
    found = Run(" ".join(words), done.returncode, time.perf_counter() - begin, done.stdout)
    lines = "".join(f"    {line}\n" for line in found.printed.splitlines())
    print(f"$ nbspark {found.command}\n{lines}    -> exit code {found.code}, {found.seconds:.1f} s\n", flush=True)
    return found


def counts(model: Path) -> list[dict[str, Any]]:
    """Return the counts of the newest version, its batches added up, in an order of their own."""
    store = ModelStore(model).store
    rows = add_up(read_batch(store, one) for one in store.latest().batches)
    return sorted(
        rows.to_pylist(), key=lambda row: [(value is not None, value or "") for value in list(row.values())[:3]]
    )


def main() -> int:
    """Play the week."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("build/week"))
    args = parser.parse_args()
    args.work.mkdir(parents=True)
    prepare(args.data, args.work)

    done = [run(command, args.work) for command, _ in COMMANDS]
    print("| command | exit code | s |\n|---|---|---|")
    for one in done:
        print(f"| {' '.join(one.command.split()[:5])} | {one.code} | {one.seconds:.1f} |")
    wrong = [one.command for one, (_, code) in zip(done, COMMANDS, strict=True) if one.code != code]
    week, scratch = counts(args.work / MODEL), counts(args.work / SCRATCH)
    print(f"\ncounts after the week: {len(week):,} rows; from scratch: {len(scratch):,}; equal: {week == scratch}")
    print("".join(f"not the exit code it should have: {command}\n" for command in wrong), end="")
    return int(bool(wrong) or week != scratch)


if __name__ == "__main__":
    sys.exit(main())
