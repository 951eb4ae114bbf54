"""Time fit, fit with save, and learn in turn, at several numbers of shuffle partitions.

    python benchmarks/fit.py --work build/fit

Each turn does everything once; medians of the warm rounds, and each way's ratio to learn.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from corpus import make
from pyspark.sql import DataFrame

from nbspark import NaiveBayes, Text
from nbspark.runtime.session import local_session

SPEC = NaiveBayes(label="label", features=[Text("text")])
LEARN = "learn"


def ways(documents: DataFrame, model: Path) -> dict[str, Callable[[], object]]:
    """Return what trains, by name."""
    return {
        LEARN: lambda: SPEC.learn(documents, str(model)),
        "fit": lambda: SPEC.fit(documents),
        "fit + save": lambda: SPEC.fit(documents).save(str(model)),
    }


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("build/fit"))
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--partitions", type=int, nargs="+", default=[4, 200])
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    corpus = make(args.work / f"corpus-{args.documents}", documents=args.documents)
    spark = local_session(name="fit", conf={"spark.master": "local[2]"})
    documents = spark.read.parquet(str(corpus))
    print("| shuffle partitions | | seconds | / learn | files |\n|---|---|---|---|---|")
    for partitions in args.partitions:
        spark.conf.set("spark.sql.shuffle.partitions", partitions)
        model = args.work / "model"
        seconds: dict[str, list[float]] = {}
        files: dict[str, int] = {}
        for turn in range(args.rounds + 2):  # two to warm up
            for name, train in ways(documents, model).items():
                shutil.rmtree(model, ignore_errors=True)
                start = time.perf_counter()
                train()
                if turn >= 2:
                    seconds.setdefault(name, []).append(time.perf_counter() - start)
                files[name] = len(list(model.rglob("*.parquet")))
        for name, all_of in seconds.items():
            ratio = statistics.median(one / other for one, other in zip(all_of, seconds[LEARN], strict=True))
            print(f"| {partitions} | {name} | {statistics.median(all_of):.2f} | {ratio:.2f} | {files[name] or ''} |")


if __name__ == "__main__":
    main()
