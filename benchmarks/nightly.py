"""Twenty nights: nbspark learns each day, others train anew on all days so far. The corpus of ``corpus.py`` in days.

    python benchmarks/nightly.py --work build/nightly nbspark        # one at a time; each adds to results.json
    python benchmarks/nightly.py --work build/nightly mllib
    python benchmarks/nightly.py --work build/nightly scikit-learn
    python benchmarks/nightly.py --work build/nightly table

nbspark goes through all nights in one warm session, then learns, forgets and trains anew in turn. The peers are timed
at a few sizes, warm; the nights between lie on the line between two sizes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq
from contenders import CONTENDERS
from corpus import make
from timing import timed

from nbspark import ModelStore, NaiveBayes, Text

DAYS, PARTS = 20, 2  # files of a day: one for each core
FORGOTTEN = 100  # documents
LEARN, FORGET, SPREAD, ANEW = "learn one day", "forget 100 of one day", "forget 100 of all days", "train on all days"
SPEC = NaiveBayes(label="label", features=[Text("text")])


def make_days(work: Path, documents: int) -> list[Path]:
    """Write the corpus day by day, and in ``upto-NN`` links to all days so far; return the folders of days."""
    days = [work / f"day-{day:02d}" for day in range(1, DAYS + 1)]
    if not (work / f"upto-{DAYS:02d}").exists():
        corpus = pq.read_table(make(work / "corpus", documents=documents))
        size = documents // DAYS // PARTS
        for i, day in enumerate(days):
            day.mkdir(exist_ok=True)
            for part in range(PARTS):
                pq.write_table(corpus.slice((i * PARTS + part) * size, size), day / f"{day.name}-{part}.parquet")
        for n in range(1, DAYS + 1):
            upto = work / f"upto-{n:02d}"
            upto.mkdir()
            for day in days[:n]:
                for file in day.iterdir():
                    os.link(file, upto / file.name)
    return days


def time_nbspark(work: Path, days: list[Path], rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each night, and of learning, forgetting and training anew at the end, in turn."""
    from nbspark.runtime.session import local_session

    spark = local_session(name="nightly", conf={"spark.master": "local[2]", "spark.driver.memory": "1g"})
    fresh, model = work / "fresh", work / "model"

    def anew() -> None:
        shutil.rmtree(fresh, ignore_errors=True)
        SPEC.learn(spark.read.parquet(str(work / f"upto-{DAYS:02d}")), fresh)

    def learn(batch: str, day: Path) -> None:
        ModelStore(model, spark=spark).learn(spark.read.parquet(str(day)), batch=batch, again=True)

    def forget(some: Path) -> None:
        ModelStore(model, spark=spark).forget(spark.read.parquet(str(some)), again=True)

    anew()  # to warm up
    seconds: dict[str, list[float]] = {"nights": [], LEARN: [], FORGET: [], SPREAD: [], ANEW: []}
    shutil.rmtree(model, ignore_errors=True)
    for i, day in enumerate(days):
        night = (lambda: SPEC.learn(spark.read.parquet(str(days[0])), model, batch="day-01")) if not i else None
        seconds["nights"].append(timed(night or (lambda day=day: learn(day.name, day)))[0])  # type: ignore[misc]
    for turn in range(rounds + 1):
        gone = work / "gone"
        shutil.rmtree(gone, ignore_errors=True)
        for name, part in ((FORGET, [days[-1]]), (SPREAD, days)):
            (gone / name).mkdir(parents=True)
            size = FORGOTTEN // len(part)
            for day in part:  # a document is forgotten once
                rows = pq.read_table(day).slice(1_000 + turn * size + 4_000 * (name == SPREAD), size)
                pq.write_table(rows, gone / name / f"{day.name}.parquet")
        ways: dict[str, Callable[[], None]] = {
            FORGET: lambda gone=gone: forget(gone / FORGET),  # type: ignore[misc]
            LEARN: lambda turn=turn: learn(f"again-{turn}", days[turn]),  # type: ignore[misc]
            ANEW: anew,
            SPREAD: lambda gone=gone: forget(gone / SPREAD),  # type: ignore[misc]
        }
        for name, way in ways.items():
            taken = timed(way)[0]
            if turn:
                seconds[name].append(taken)
    spark.stop()
    return seconds


def time_peer(name: str, work: Path, sizes: list[int]) -> dict[str, list[float]]:
    """Return the seconds of training on so many days, warm, by number of days."""
    out = work / name
    out.mkdir(exist_ok=True)
    contender = CONTENDERS[name](work / f"upto-{sizes[0]:02d}", out)
    contender.setup()
    contender.train()
    seconds = {}
    for n in sizes:
        contender.corpus = str(work / f"upto-{n:02d}")
        seconds[str(n)] = [timed(contender.train)[0]]
    return seconds


def all_nights(by_size: dict[str, list[float]]) -> float:
    """Return the seconds of all nights, those between two measured sizes on the line between them.

    >>> all_nights({"1": [1.0], "20": [20.0]})
    210.0
    """
    known = sorted((int(n), statistics.median(seconds)) for n, seconds in by_size.items())
    total = known[0][1]
    for (n, low), (m, high) in pairwise(known):
        total += sum(low + (high - low) * (day - n) / (m - n) for day in range(n + 1, m + 1))
    return total


def print_tables(results: dict[str, dict[str, list[float]]]) -> None:
    """Print what the nights took, and the parts of a night."""
    ours = results["nbspark"]
    nights = {"nbspark": sum(ours["nights"])}
    last = {"nbspark": ours["nights"][-1]}
    for name in ("mllib", "scikit-learn"):
        if name in results:
            nights[name], last[name] = all_nights(results[name]), results[name][str(DAYS)][0]
    print("| | 20 nights, s | of nbspark | the last night, s | of nbspark |\n|---|---|---|---|---|")
    for name, total in nights.items():
        ratios = total / nights["nbspark"], last[name] / last["nbspark"]
        print(f"| {name} | {total:.1f} | {ratios[0]:.1f} | {last[name]:.2f} | {ratios[1]:.1f} |")
    print("\n| nbspark, 20 days learned | s | of training anew | of learning a day |\n|---|---|---|---|")
    for name in (ANEW, LEARN, FORGET, SPREAD):
        ratios = [statistics.median(a / b for a, b in zip(ours[name], ours[one], strict=True)) for one in (ANEW, LEARN)]
        print(f"| {name} | {statistics.median(ours[name]):.2f} | {ratios[0]:.2f} | {ratios[1]:.2f} |")


def main() -> None:
    """Time one contender, or print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["nbspark", "mllib", "scikit-learn", "table"])
    parser.add_argument("--work", type=Path, default=Path("build/nightly"))
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1, 10, 20])
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    kept = args.work / "results.json"
    results = json.loads(kept.read_text()) if kept.exists() else {}
    if args.what != "table":
        work = args.work.resolve()
        days = make_days(work, args.documents)
        mine = args.what == "nbspark"
        results[args.what] = time_nbspark(work, days, args.rounds) if mine else time_peer(args.what, work, args.sizes)
        kept.write_text(json.dumps(results, indent=1))
    if "nbspark" in results:
        print_tables(results)


if __name__ == "__main__":
    main()
