"""Documents and labels that are not what they should be: how long they take, and how much memory.

    python benchmarks/odd.py --work build/odd
    python benchmarks/odd.py --only "50 MB, characters"

Each case is learned and scored in a Spark of its own with two cores and a heap of 2 GB.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from memory import largest


def a_book(n_bytes: int) -> pa.Table:
    """Return two short documents and one very long one."""
    random = np.random.default_rng(1)
    words = pa.array([f"w{rank:x}" for rank in range(200_000)])
    text = " ".join(words.take(pa.array(random.zipf(1.3, n_bytes // 5) % 200_000)).to_pylist())[:n_bytes]
    return pa.table({"label": ["long", "short", "other"], "text": [text, "w1 w2", "w3"]})


def empty_documents(n: int) -> pa.Table:
    """Return documents without text, null and "" in turn, and two with some."""
    return pa.table({"label": ["a", "b"] * (n // 2) + ["a", "b"], "text": [None, ""] * (n // 2) + ["win", "lunch"]})


def same_text(labels: list[str]) -> pa.Table:
    """Return one document for each label."""
    return pa.table({"label": labels, "text": [f"w{i % 1000} w{i % 77} w{i % 13}" for i in range(len(labels))]})


CASES: dict[str, tuple[Callable[[], pa.Table], dict[str, Any]]] = {
    "50 MB, words": (lambda: a_book(50_000_000), {}),
    "50 MB, characters": (lambda: a_book(50_000_000), {"tokens": "chars", "ngrams": (1, 3)}),
    "50 MB, characters in words": (lambda: a_book(50_000_000), {"tokens": "chars_wb", "ngrams": (3, 5)}),
    "a million empty documents": (lambda: empty_documents(1_000_000), {}),
    "one class": (lambda: same_text(["only"] * 100_000), {}),
    "100,000 labels": (lambda: same_text([f"id{i}" for i in range(100_000)]), {}),
}


def run(name: str, work: Path) -> dict[str, Any]:
    """Learn and score one case; return what it took and what the train command would warn of."""
    from nbspark import NaiveBayes, Text
    from nbspark.commands.train import describe
    from nbspark.runtime.session import local_session

    make, options = CASES[name]
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    pq.write_table(make(), work / "documents.parquet", row_group_size=50_000)
    spark = local_session(name="odd", conf={"spark.master": "local[2]", "spark.driver.memory": "2g"})
    documents = spark.read.parquet(str(work / "documents.parquet"))
    start = time.perf_counter()
    model = NaiveBayes(label="label", features=[Text("text", **options)]).learn(documents, str(work / "model"))
    learned = time.perf_counter()
    model.transform(documents, keep=["label"]).write.parquet(str(work / "scored"))
    scored = time.perf_counter()
    peaks = largest(os.getpid())
    rows = pq.read_table(work / "scored")
    return {
        "learn": learned - start,
        "score": scored - learned,
        **peaks,
        "pairs": model.rows["n_pairs"],
        "scored": rows.num_rows,
        "warnings": describe(model)["warnings"],
    }


def main() -> None:
    """Run every case in a process of its own and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("build/odd"))
    parser.add_argument("--only", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--one", choices=CASES, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(run(args.one, args.work)))
        return
    lines = ["| case | learn s | score s | peak MB of driver, Java, a worker | pairs | warning |", "|---" * 6 + "|"]
    for name in args.only:
        command = [sys.executable, __file__, "--work", str(args.work), "--one", name]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            lines.append(f"| {name} | failed | | | | |")
            continue
        found = json.loads(done.stdout.splitlines()[-1])
        peaks = ", ".join(str(found[kind]) for kind in ("driver", "java", "worker"))
        told = "; ".join(found["warnings"])
        seconds = f"{found['learn']:.1f} | {found['score']:.1f}"
        lines.append(f"| {name} | {seconds} | {peaks} | {found['pairs']:,} | {told} |")
        print(lines[-1], file=sys.stderr, flush=True)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
