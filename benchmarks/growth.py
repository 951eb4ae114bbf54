"""How time grows: against documents, classes and cores, as a table and a plot.

    python benchmarks/growth.py --output build/growth

Each point is trained and scored in a fresh Spark, the median of some warm rounds, at most two cores.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from corpus import make

DOCUMENTS = (50_000, 100_000, 200_000, 400_000, 800_000)
CLASSES = (2, 20, 200, 1_000, 5_000)
CORES = (1, 2)


def measure(corpus: Path, work: Path, cores: int, rounds: int, memory: str) -> dict[str, float]:
    """Return the median seconds of training and of scoring, in this process's own Spark.

    All of it is held to as many processors as there are tasks: Java and a Python worker would keep two busy with one.
    """
    import nbspark
    from nbspark import NaiveBayes, Text
    from nbspark.runtime.session import local_session

    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    spark = local_session(name="growth", conf={"spark.master": f"local[{cores}]", "spark.driver.memory": memory})
    spec = NaiveBayes(label="label", features=[Text("text")])
    seconds: dict[str, list[float]] = {"train": [], "score": []}
    n_pairs = 0
    for _ in range(rounds + 1):
        for name in ("model", "scored"):
            shutil.rmtree(work / name, ignore_errors=True)
        start = time.perf_counter()
        spec.learn(spark.read.parquet(str(corpus)), str(work / "model"))
        trained = time.perf_counter()
        model = nbspark.load(str(work / "model"), spark=spark)
        model.transform(spark.read.parquet(str(corpus)), keep=["id"]).write.parquet(str(work / "scored"))
        seconds["train"].append(trained - start)
        seconds["score"].append(time.perf_counter() - trained)
        n_pairs = model.rows["n_pairs"]
    return {"pairs": n_pairs, **{step: statistics.median(times[1:] or times) for step, times in seconds.items()}}


def point(corpus: Path, work: Path, cores: int, args: argparse.Namespace) -> dict[str, float]:
    """Measure one point in a process of its own."""
    command = [sys.executable, __file__, "--output", str(work), "--rounds", str(args.rounds), "--memory", args.memory]
    done = subprocess.run([*command, "--point", str(corpus), str(cores)], stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    print(corpus.name, f"{cores} cores", found, file=sys.stderr, flush=True)
    return found


def plot(series: dict[str, dict[int, dict[str, float]]], file: Path) -> None:
    """Draw seconds against each size, both axes logarithmic: a straight line of slope 1 is linear growth."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(series), figsize=(4.5 * len(series), 4), sharey=True)
    for axis, (name, points) in zip(axes, series.items(), strict=True):
        for step, marker in (("train", "o"), ("score", "s")):
            axis.plot(list(points), [found[step] for found in points.values()], marker=marker, label=step)
        axis.set(xscale="log", yscale="log", xlabel=name, xticks=list(points), xticklabels=[f"{x:,}" for x in points])
        axis.minorticks_off()
        axis.tick_params(axis="x", rotation=30)
        axis.grid(alpha=0.3)
    ticks = [1, 2, 5, 10, 20, 50, 100]
    seconds = [found[step] for points in series.values() for found in points.values() for step in ("train", "score")]
    axes[0].set(ylabel="seconds, warm", yticks=ticks, yticklabels=ticks, ylim=(min(seconds) / 1.3, max(seconds) * 1.3))
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(file, dpi=110)


def main() -> None:
    """Measure every point, print the tables, draw the plot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path("build/growth"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", default="2g", help="of the driver")
    parser.add_argument("--documents", type=int, nargs="*", default=DOCUMENTS)
    parser.add_argument("--classes", type=int, nargs="*", default=CLASSES)
    parser.add_argument("--point", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    if args.point:
        corpus, cores = args.point
        print(json.dumps(measure(Path(corpus), args.output, int(cores), args.rounds, args.memory)))
        return
    corpora = {
        "documents": {n: make(args.output / f"documents-{n}", documents=n) for n in args.documents},
        "classes": {n: make(args.output / f"classes-{n}", classes=n) for n in args.classes},
    }
    series = {
        name: {n: point(corpus, args.output, CORES[-1], args) for n, corpus in sizes.items()}
        for name, sizes in corpora.items()
    }
    standard = corpora["documents"].get(200_000) or next(iter(corpora["documents"].values()))
    series = {name: points for name, points in series.items() if points}
    series["cores"] = {cores: point(standard, args.output, cores, args) for cores in CORES}
    for name, points in series.items():
        print(f"\n| {name} | pairs | train s | score s |\n|---|---|---|---|")
        for n, found in points.items():
            print(f"| {n:,} | {found['pairs']:,} | {found['train']:.2f} | {found['score']:.2f} |")
    plot(series, args.output / "growth.png")
    (args.output / "growth.json").write_text(json.dumps(series, indent=2) + "\n")


if __name__ == "__main__":
    main()
