"""Words, words with their bigrams, and bigrams of Chinese characters: nbspark beside scikit-learn, on real text.

    python benchmarks/ngrams.py --data DIR --work build/ngrams

DIR is a folder of public corpora as ``corpora/`` reads them. The English ones are joined, shuffled and repeated up to
``--mb`` of text; the label is the corpus. The same text with its Latin letters mapped to Cyrillic shows what two bytes
a letter cost. In each round everyone trains, from Parquet to a model, and scores, from Parquet to predictions that are
dropped, with the model just trained. scikit-learn gets the tokens that nbspark makes. The first round warms up.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from corpora import read
from pyspark.sql import SparkSession
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB  # type: ignore[import-untyped]
from sklearn.pipeline import Pipeline, make_pipeline
from timing import timed

from nbspark import NaiveBayes, Text
from nbspark.runtime.session import local_session

ENGLISH = ("20NG", "SpamAssassin", "RT-2k", "R52", "Subjectivity", "RT-s", "SMS", "clinc150", "banking77")
CHINESE = ("online_shopping", "THUCNews")
SMALL, CAPITAL = ord("a"), ord("A")
CYRILLIC = {chr(SMALL + i): chr(ord("\N{CYRILLIC SMALL LETTER A}") + i) for i in range(26)} | {
    chr(CAPITAL + i): chr(ord("\N{CYRILLIC CAPITAL LETTER A}") + i) for i in range(26)
}
WORDS = r"(?u)\b\w+\b"  # of text without marks what tokens="words" gives
FILES = 8

Result = TypeVar("Result")

# A case: the corpus, the options of Text, those of CountVectorizer; None where scikit-learn is not timed.
Case = tuple[str, dict[str, object], dict[str, object] | None]
CASES: dict[str, Case] = {
    "English, words": ("english", {}, {"token_pattern": WORDS}),
    "English, words and bigrams": ("english", {"ngrams": (1, 2)}, {"token_pattern": WORDS, "ngram_range": (1, 2)}),
    "Cyrillic, words": ("cyrillic", {}, None),
    "Cyrillic, words and bigrams": ("cyrillic", {"ngrams": (1, 2)}, None),
    "Chinese, characters": ("chinese", {"tokens": "chars"}, {"analyzer": "char"}),
    "Chinese, characters and pairs": (
        "chinese",
        {"tokens": "chars", "ngrams": (1, 2)},
        {"analyzer": "char", "ngram_range": (1, 2)},
    ),
}


def joined(names: tuple[str, ...], data: Path, n_bytes: int) -> pa.Table:
    """Return the texts of some corpora, in no order, cut or repeated to about some bytes; the label is the corpus."""
    parts = [read(name, data).columns["text"] for name in names]
    texts = pa.concat_arrays(parts)
    labels = pa.array(np.repeat(names, [len(part) for part in parts]))
    order = np.random.default_rng(1).permutation(len(texts))
    lengths = pc.fill_null(pc.binary_length(texts), 0).to_numpy()[order]
    repeats = max(1, -(-n_bytes // int(lengths.sum())))
    upto = int(np.searchsorted(np.cumsum(np.tile(lengths, repeats)), n_bytes)) + 1
    rows = pa.array(np.tile(order, repeats)[:upto])
    return pa.table({"label": labels.take(rows), "text": texts.take(rows)})


def make_corpora(data: Path, work: Path, mb: int) -> dict[str, Path]:
    """Write the corpora, each as some Parquet files; return their folders."""
    english = joined(ENGLISH, data, mb * 10**6)
    letters = str.maketrans(CYRILLIC)
    mapped = pa.array([text.translate(letters) for text in english["text"].to_pylist()])
    tables = {
        "english": english,
        "cyrillic": english.set_column(1, "text", mapped),
        "chinese": joined(CHINESE, data, mb * 10**6 // 4),
    }
    for name, table in tables.items():
        folder = work / f"{name}-{mb}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        rows = -(-table.num_rows // FILES)
        for i in range(FILES):
            pq.write_table(table.slice(i * rows, rows), folder / f"part-{i}.parquet")
    return {name: work / f"{name}-{mb}" for name in tables}


def with_nbspark(spark: SparkSession, corpus: Path, options: dict[str, object], work: Path) -> tuple[float, float]:
    """Return the seconds of training and of scoring."""
    documents = spark.read.parquet(str(corpus))
    path = work / "model"
    shutil.rmtree(path, ignore_errors=True)
    spec = NaiveBayes(label="label", features=[Text("text", **options)])  # type: ignore[arg-type]
    trained, model = timed(lambda: spec.learn(documents, str(path)))
    scored, _ = timed(lambda: model.transform(documents, keep=["label"]).write.format("noop").mode("overwrite").save())
    return trained, scored


def with_sklearn(corpus: Path, options: dict[str, object]) -> tuple[float, float]:
    """Return the seconds of training and of scoring."""

    def train() -> Pipeline:
        table = pq.read_table(corpus)
        model = make_pipeline(CountVectorizer(**options), MultinomialNB())
        return model.fit(table["text"].to_pylist(), table["label"].to_pylist())

    trained, model = timed(train)
    scored, _ = timed(lambda: model.predict(pq.read_table(corpus)["text"].to_pylist()))
    return trained, scored


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of corpora")
    parser.add_argument("--work", type=Path, default=Path("build/ngrams"))
    parser.add_argument("--mb", type=int, default=100, help="of English text; a quarter of it of Chinese")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peer-rounds", type=int, default=2, help="of scikit-learn, which takes a minute a round")
    parser.add_argument("--only", default="", help="the cases whose names begin like this, for example English")
    parser.add_argument("--memory", default="2g", help="heap of Java")
    args = parser.parse_args()
    cases = {name: case for name, case in CASES.items() if name.startswith(args.only)}
    corpora = make_corpora(args.data, args.work, args.mb)
    conf = {"spark.master": "local[2]", "spark.driver.memory": args.memory}
    spark = local_session(name="ngrams", conf=conf)
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in cases}
    for turn in range(args.rounds + 1):
        for name, (corpus, options, _) in cases.items():
            found = with_nbspark(spark, corpora[corpus], options, args.work)
            if turn:
                seconds[name].append(found)
    spark.stop()
    print("| | MB | train s | score s | scikit-learn train s | score s | times as fast, train | score |")
    print("|---|---|---|---|---|---|---|---|")
    for name, (corpus, _, peer) in cases.items():
        mb = pc.sum(pc.binary_length(pq.read_table(corpora[corpus])["text"])).as_py() / 1e6
        cells = [statistics.median(one) for one in zip(*seconds[name], strict=True)]
        if peer is not None and args.peer_rounds:
            rounds = [with_sklearn(corpora[corpus], peer) for _ in range(args.peer_rounds)]
            theirs = [statistics.median(one) for one in zip(*rounds, strict=True)]
            cells += [*theirs, *(their / our for their, our in zip(theirs, cells, strict=True))]
        print(f"| {name} | {mb:.0f} | " + " | ".join(f"{cell:.1f}" for cell in cells) + " |" * (7 - len(cells)))


if __name__ == "__main__":
    main()
