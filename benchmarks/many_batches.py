"""Load, and learn into, a model of many daily batches, beside the same model with its batches folded into one.

    python benchmarks/many_batches.py --work build/many

Both are loaded in turn, as ``nbspark.local.load`` does it: every file checked, all counts read, ready to score. What
learning a day costs is timed at 1, 10, ... batches.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
from pathlib import Path

import pyarrow.parquet as pq
from corpus import make
from timing import timed

from nbspark import ModelStore, Spec, Text, local

SPEC = Spec("label", [Text("text")])


def main() -> None:
    """Measure and print two tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("build/many"))
    parser.add_argument("--batches", type=int, default=1_000)
    parser.add_argument("--documents", type=int, default=20, help="of a day")
    parser.add_argument("--tokens", type=float, default=15.0)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    n_documents = args.batches * args.documents
    corpus = make(args.work / f"corpus-{n_documents}-{args.tokens:g}", documents=n_documents, tokens=args.tokens)
    documents = pq.read_table(corpus)
    many, one = args.work / "many", args.work / "one"
    for model in (many, one):
        shutil.rmtree(model, ignore_errors=True)
    learning: dict[int, float] = {}
    for i in range(args.batches):
        day = documents.slice(i * args.documents, args.documents)
        if i == 0:
            local.train(SPEC, day, many, batch="day0")
        else:
            learning[i + 1] = timed(lambda i=i, day=day: local.learn(many, day, batch=f"day{i}"))[0]  # type: ignore[misc]
    shutil.copytree(many, one)
    folding = timed(lambda: ModelStore(one).compact())[0]
    print(f"| days of {args.documents} documents learned before | ms of the next |\n|---|---|")
    for n in (1, 10, 100, 250, 500, 750, args.batches - 10):
        some = [seconds for day, seconds in learning.items() if n < day <= n + 10]
        if some:
            print(f"| {n:,} | {1e3 * statistics.median(some):.0f} |")
    seconds: dict[str, list[float]] = {f"{args.batches:,} batches": [], "folded into one": []}
    for turn in range(args.rounds + 1):
        for name, model in zip(seconds, (many, one), strict=True):
            taken = timed(lambda model=model: local.load(model))[0]  # type: ignore[misc]
            if turn:
                seconds[name].append(taken)
    pairs = {
        name: ModelStore(model).version().rows["n_pairs"] for name, model in zip(seconds, (many, one), strict=True)
    }
    folded = seconds["folded into one"]
    print(f"\nFolded in {folding:.1f} s.\n\n| loaded | pairs in files | ms | times |\n|---|---|---|---|")
    for name, all_of in seconds.items():
        ratio = statistics.median(a / b for a, b in zip(all_of, folded, strict=True))
        print(f"| {name} | {pairs[name]:,} | {1e3 * statistics.median(all_of):.0f} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
