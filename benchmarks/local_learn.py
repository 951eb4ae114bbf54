"""Time what a process without Spark does: train on short documents, and learn one corrected mail into a large model.

    python benchmarks/local_learn.py --work build/local

Training stands beside scikit-learn (CountVectorizer and MultinomialNB, with the model written), in turn, in one
process. Learning is timed as a web service does it: the documents in memory to a new version on the disk.
"""

from __future__ import annotations

import argparse
import pickle
import shutil
import statistics
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from corpus import make
from sklearn.feature_extraction.text import CountVectorizer  # type: ignore[import-untyped]
from sklearn.naive_bayes import MultinomialNB  # type: ignore[import-untyped]
from timing import timed

from nbspark import Spec, Text, local

SPEC = Spec("label", [Text("text")])


def main() -> None:
    """Measure and print two tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("build/local"))
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--tokens", type=float, default=15.0)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    name = f"corpus-{args.documents}-{args.tokens:g}"
    corpus = make(args.work / name, documents=args.documents, tokens=args.tokens)
    documents = pq.read_table(corpus)
    print(f"| training on {args.documents:,} documents of {args.tokens:g} tokens | ms | times |\n|---|---|---|")
    trained = training(documents, args.work, args.rounds)
    for name, seconds in trained.items():
        ratio = statistics.median(a / b for a, b in zip(seconds, trained["nbspark.local.train"], strict=True))
        print(f"| {name} | {1e3 * statistics.median(seconds):.0f} | {ratio:.2f} |")
    large = args.work / "large"
    shutil.rmtree(large, ignore_errors=True)
    local.train(SPEC, pq.read_table(make(args.work / "large-corpus", documents=20_000)), large)
    n_terms = len(set(pq.read_table(next(large.glob("batches/*/counts")))["term"].to_pylist())) - 1
    print(f"\n| one mail, a model of {n_terms:,} terms | median ms | worst ms |\n|---|---|---|")
    for name, seconds in corrections(large, args.rounds * 3).items():
        print(f"| {name} | {1e3 * statistics.median(seconds):.0f} | {1e3 * max(seconds):.0f} |")


def training(documents: pa.Table, work: Path, rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each round, by contender; the first round is left out."""
    model = work / "model"

    def sklearn() -> None:
        vectorizer, classifier = CountVectorizer(), MultinomialNB()
        counts = vectorizer.fit_transform(documents["text"].to_pylist())
        classifier.fit(counts, documents["label"].to_pylist())
        model.write_bytes(pickle.dumps((vectorizer, classifier)))

    ways = {"nbspark.local.train": lambda: local.train(SPEC, documents, model), "scikit-learn": sklearn}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(rounds + 1):
        for name, way in ways.items():
            shutil.rmtree(model, ignore_errors=True)
            model.unlink(missing_ok=True)
            taken = timed(way)[0]
            if turn:
                seconds[name].append(taken)
    shutil.rmtree(model, ignore_errors=True)
    model.unlink(missing_ok=True)
    return seconds


def corrections(model: Path, rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each change of one mail, by its name; the first round is left out."""
    seconds: dict[str, list[float]] = {name: [] for name in ("learn", "relabel", "forget")}
    for turn in range(rounds + 1):
        words = " ".join(f"w{(turn * 7919 + i * i) % 3000:x}" for i in range(100))
        mail = {"label": ["class1"], "right": ["class2"], "text": [words]}
        right = {"label": ["class2"], "text": [words]}
        ways: dict[str, Callable[[], object]] = {
            "learn": lambda mail=mail, turn=turn: local.learn(model, mail, batch=f"mail-{turn}"),  # type: ignore[misc]
            "relabel": lambda mail=mail: local.relabel(model, mail, old="label", new="right"),  # type: ignore[misc]
            "forget": lambda right=right: local.forget(model, right),  # type: ignore[misc]
        }
        for name, way in ways.items():
            taken = timed(way)[0]
            if turn:
                seconds[name].append(taken)
    return seconds


if __name__ == "__main__":
    main()
