"""What training costs by its parts, from Spark's own event log, and what that says for other sizes.

    python benchmarks/scale.py --work build/scale                                    # on this machine
    python benchmarks/scale.py --work build/scale --master spark://HOST:7077 --py-files nbspark.zip
    python benchmarks/scale.py --predict build/scale/costs.json --terabytes 10 --workers 100 --cores 16

Corpora of several sizes are trained, each twice in a fresh Spark; the figures are of the second time. Core seconds are
the sums over tasks of Spark's ``Executor Run Time``.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from corpus import make

DOCUMENTS = (100_000, 200_000, 400_000, 800_000)
TASK_BYTES = 128e6  # spark.sql.files.maxPartitionBytes


def measure(corpus: Path, work: Path, args: argparse.Namespace) -> dict[str, float]:
    """Train twice in a Spark of its own; return what the second training cost."""
    from nbspark import NaiveBayes, Text
    from nbspark.runtime.session import local_session

    log = work / "events"
    shutil.rmtree(log, ignore_errors=True)
    log.mkdir(parents=True)
    conf = {"spark.master": args.master, "spark.eventLog.enabled": "true", "spark.eventLog.dir": log.as_uri()}
    conf |= {"spark.eventLog.rolling.enabled": "false", "spark.eventLog.compress": "false"}
    conf |= {"spark.submit.pyFiles": str(args.py_files.resolve())} if args.py_files else {}
    conf |= dict(one.split("=", 1) for one in args.conf)
    spark = local_session(name="scale", conf=conf)
    for _ in range(2):
        shutil.rmtree(work / "model", ignore_errors=True)
        began = time.time()
        model = NaiveBayes(label="label", features=[Text("text")]).learn(
            spark.read.parquet(str(corpus)), str(work / "model")
        )
        seconds = time.time() - began
    n_pairs, n_tokens = model.rows["n_pairs"], float(model._table.features["text"].n_tokens.sum())
    spark.stop()
    [events] = [path for path in log.iterdir() if not path.name.startswith(".")]
    counted, merged = stages_of(events, since=began * 1000)
    return {
        "seconds": seconds,
        "tokens": n_tokens,
        "pairs": n_pairs,
        "text_bytes": text_bytes(corpus),
        "file_bytes": sum(file.stat().st_size for file in corpus.glob("*.parquet")),
        "tasks": counted["tasks"],
        "count_core_seconds": counted["run"],
        "shuffle_rows": counted["shuffle_rows"],
        "shuffle_bytes": counted["shuffle_bytes"],
        "merge_core_seconds": merged["run"],
        "model_bytes": sum(file.stat().st_size for file in work.glob("model/batches/*/counts/*")),
    }


def text_bytes(corpus: Path) -> int:
    """Return the bytes of text in a corpus."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    return sum(pc.sum(pc.binary_length(pq.read_table(file)["text"])).as_py() for file in corpus.glob("*.parquet"))


def stages_of(events: Path, since: float) -> tuple[dict[str, float], dict[str, float]]:
    """Return the sums over the tasks that scan, and over those that read the shuffle, of what began later."""
    sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    with events.open() as lines:
        for line in lines:
            event: dict[str, Any] = json.loads(line)
            if event["Event"] != "SparkListenerTaskEnd" or event["Task Info"]["Launch Time"] < since:
                continue
            metrics = event["Task Metrics"]
            written = metrics["Shuffle Write Metrics"]
            kind = "count" if written["Shuffle Bytes Written"] else "merge"
            read = metrics["Shuffle Read Metrics"]
            if kind == "merge" and not (read["Local Bytes Read"] + read["Remote Bytes Read"]):
                continue  # a task of another job
            one = sums[kind]
            one["tasks"] += 1
            one["run"] += metrics["Executor Run Time"] / 1000
            one["shuffle_bytes"] += written["Shuffle Bytes Written"]
            one["shuffle_rows"] += written["Shuffle Records Written"]
    return sums["count"], sums["merge"]


def fit_power(x: list[float], y: list[float]) -> tuple[float, float]:
    """Return (a, b) of y = a * x ** b, least squares of the logarithms."""
    b, log_a = np.polyfit(np.log(x), np.log(y), 1)
    return float(math.exp(log_a)), float(b)


def costs_of(runs: list[dict[str, float]]) -> dict[str, Any]:
    """Return the rates that the runs show."""
    largest = runs[-1]
    return {
        "bytes_per_token": largest["text_bytes"] / largest["tokens"],
        "count_core_seconds_per_million_tokens": largest["count_core_seconds"] / largest["tokens"] * 1e6,
        # What one task sends grows slower than what it reads: terms repeat.
        "shuffle_bytes_of_task": fit_power(
            [run["tokens"] / run["tasks"] for run in runs], [run["shuffle_bytes"] / run["tasks"] for run in runs]
        ),
        "merge_core_seconds_per_shuffled_mb": largest["merge_core_seconds"] / largest["shuffle_bytes"] * 1e6,
        "pairs": fit_power([run["tokens"] for run in runs], [run["pairs"] for run in runs]),
        "model_bytes_per_pair": largest["model_bytes"] / largest["pairs"],
        "runs": runs,
    }


def predict(costs: dict[str, Any], n_bytes: float, cores: int, task_bytes: float) -> dict[str, float]:
    """Return what the costs say for an amount of text on a number of cores."""
    tokens = n_bytes / costs["bytes_per_token"]
    tasks = max(1.0, n_bytes / task_bytes)
    a, b = costs["shuffle_bytes_of_task"]
    shuffle = tasks * a * (tokens / tasks) ** b
    count = tokens / 1e6 * costs["count_core_seconds_per_million_tokens"]
    merge = shuffle / 1e6 * costs["merge_core_seconds_per_shuffled_mb"]
    a, b = costs["pairs"]
    pairs = a * tokens**b
    return {
        "tokens": tokens,
        "tasks": tasks,
        "count_minutes": count / cores / 60,
        "shuffle_gb": shuffle / 1e9,
        "merge_minutes": merge / cores / 60,
        "pairs_at_most": pairs,
        "model_gb_at_most": pairs * costs["model_bytes_per_pair"] / 1e9,
        "partitions_of_128_mb": shuffle / 128e6,
    }


def main() -> None:
    """Measure, or predict from what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("build/scale"))
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--py-files", type=Path, help="the package as a zip, for a cluster")
    parser.add_argument("--conf", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--documents", type=int, nargs="*", default=DOCUMENTS)
    parser.add_argument("--predict", type=Path, metavar="COSTS", help="costs.json of an earlier run")
    parser.add_argument("--terabytes", type=float, default=10.0, help="of text, uncompressed")
    parser.add_argument("--workers", type=int, default=100)
    parser.add_argument("--cores", type=int, default=16, help="of a worker")
    parser.add_argument("--task-bytes", type=float, default=TASK_BYTES, help="of text that one task reads")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.predict:
        costs = json.loads(args.predict.read_text())
        print(json.dumps(predict(costs, args.terabytes * 1e12, args.workers * args.cores, args.task_bytes), indent=2))
        return
    args.work.mkdir(parents=True, exist_ok=True)
    if args.one:
        print(json.dumps(measure(args.one, args.work, args)))
        return
    runs = []
    for n in args.documents:
        corpus = make(args.work / f"documents-{n}", documents=n)
        done = subprocess.run(
            [sys.executable, *sys.argv, "--one", str(corpus)], stdout=subprocess.PIPE, text=True, check=True
        )
        runs.append(json.loads(done.stdout.splitlines()[-1]))
        print(n, runs[-1], file=sys.stderr, flush=True)
    costs = costs_of(runs)
    (args.work / "costs.json").write_text(json.dumps(costs, indent=2) + "\n")
    print(json.dumps(costs, indent=2))


if __name__ == "__main__":
    main()
