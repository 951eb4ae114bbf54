"""Where the time of training goes: the job cut off after each of its steps, and the counting kernel alone.

    python benchmarks/phases.py --work build/phases

Each line is the median of some rounds in a warm Spark on two cores; what a step costs is the difference to the line
before. The kernel runs in this process, on half of the corpus, which is what one of two tasks has.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import shutil
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from corpus import make
from pyspark.sql import DataFrame

import nbspark
from nbspark import NaiveBayes, Text
from nbspark.counting.counter import Counter
from nbspark.counting.frame import count_files, merge_partial, partial_counts_of, with_parcels_together
from nbspark.counting.parcels import merge_parcels
from nbspark.runtime.session import local_session

SPEC = NaiveBayes(label="label", features=[Text("text")])
KERNEL_STEPS = {  # by the functions that do the work
    "tokenize": ("find_runs", "normalise", "pieces"),
    "terms to integers": ("of",),
    "dictionary": ("encode",),
    "count": ("count_pairs",),
    "emit": ("pack_pairs",),
}


def count_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield how many rows there are: what the rows themselves cost to hand over is then left out."""
    yield pa.record_batch({"n": [sum(batch.num_rows for batch in batches)]})


def count_terms(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Count, and hand nothing over."""
    return count_rows(Counter(SPEC.resolved()).count(batches))


def merge_terms(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Merge, and hand nothing over."""
    return count_rows(merge_parcels(batches))


def run(frame: DataFrame) -> None:
    """Run a frame and drop its rows."""
    frame.write.format("noop").mode("overwrite").save()


def job_steps(documents: DataFrame, work: Path) -> dict[str, Callable[[], object]]:
    """Return what runs the job up to each of its steps."""
    inputs = documents.select("label", documents["text"].alias("feature_0"))
    partial = partial_counts_of(documents, spec=SPEC)
    together = partial.transform(with_parcels_together)

    def learn() -> None:
        shutil.rmtree(work / "model", ignore_errors=True)
        SPEC.learn(documents, str(work / "model"))

    def written_by_spark() -> None:
        shutil.rmtree(work / "counts", ignore_errors=True)
        merge_partial(partial).write.parquet(str(work / "counts"))

    def score(**asked: object) -> None:
        model = nbspark.load(str(work / "model"), spark=documents.sparkSession)
        run(model.transform(documents, keep=["id", "label"], **asked))

    return {
        "documents scanned and handed to Python": lambda: run(inputs.mapInArrow(count_rows, "n long")),
        "counted": lambda: run(inputs.mapInArrow(count_terms, "n long")),
        "partial counts handed to Spark": lambda: run(partial),
        "shuffled": lambda: run(together),
        "handed to Python": lambda: run(together.mapInArrow(count_rows, "n long")),
        "merged": lambda: run(together.mapInArrow(merge_terms, "n long")),
        "made files": lambda: run(count_files(partial)),
        "written, published": learn,
        "(in place of that, where Spark writes)": written_by_spark,
        "scoring: model read": lambda: nbspark.load(str(work / "model"), spark=documents.sparkSession).n_terms,
        "scoring: documents scored": score,
        "scoring: with all probabilities": lambda: score(probabilities="array"),
    }


def kernel_seconds(corpus: Path) -> dict[str, float]:
    """Return the seconds of the counting kernel for half of the corpus, by step."""
    tables = [pq.read_table(file) for file in sorted(corpus.glob("*.parquet"))]
    half = pa.concat_tables(tables[: len(tables) // 2])
    docs = pa.table({"label": half["label"], "feature_0": half["text"]}).combine_chunks()
    batches = docs.to_batches(max_chunksize=20_000)
    for _ in range(2):  # the first time meets cold memory
        profile = cProfile.Profile()
        start = time.perf_counter()
        profile.runcall(lambda: list(Counter(SPEC.resolved()).count(batches)))
        seconds = time.perf_counter() - start
    spent = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    found = {
        step: sum(row[3] for (file, _, name), row in spent.items() if name in names and "nbspark" in file)
        for step, names in KERNEL_STEPS.items()
    }
    found["count"] -= found["dictionary"]  # which it calls
    return found | {"all": seconds}


def main() -> None:
    """Measure and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("build/phases"))
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--memory", default="1g", help="heap of Java")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    corpus = make(args.work / f"corpus-{args.documents}", documents=args.documents)
    spark = local_session(name="phases", conf={"spark.master": "local[2]", "spark.driver.memory": args.memory})
    steps = job_steps(spark.read.parquet(str(corpus)), args.work)
    seconds: dict[str, list[float]] = {name: [] for name in steps}
    for turn in range(args.rounds + 2):  # two to warm up
        for name, step in steps.items():
            start = time.perf_counter()
            step()
            if turn >= 2:
                seconds[name].append(time.perf_counter() - start)
    print("| up to | seconds |\n|---|---|")
    print("\n".join(f"| {name} | {statistics.median(all_of):.2f} |" for name, all_of in seconds.items()))
    print("\n| the kernel, one core, half of the corpus | seconds |\n|---|---|")
    print("\n".join(f"| {step} | {spent:.2f} |" for step, spent in kernel_seconds(corpus).items()))


if __name__ == "__main__":
    main()
