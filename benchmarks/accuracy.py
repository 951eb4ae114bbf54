"""Accuracy on real corpora, side by side with scikit-learn on the same rows, folds and terms.

    python benchmarks/accuracy.py --data DIR [--only NAME ... | --output docs/accuracy.md]

DIR has one folder per corpus, see ``corpora/``. Trains and scores by the kernels, without Spark; three models do
both through Spark as well and must give the same. The exit code is 1 if a prediction differs from scikit-learn's
other than by a tie, or Spark's from the local one.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from accuracy_page import InSpark, Row, render
from corpora import READERS, Corpus, read
from corpora.tables import ADULT, ADULT_NUMBERS
from nested import Nested, is_text_only, nested
from scipy.special import logsumexp
from sklearn_peer import Peer

from nbspark import Categorical, NaiveBayes, Numeric, Text
from nbspark.counting.counter import Counter
from nbspark.counting.parcels import merge_parcels
from nbspark.counting.table import CountTable
from nbspark.evaluation import measure, tally
from nbspark.features import Feature
from nbspark.runtime.session import local_session
from nbspark.schemas import feature_column
from nbspark.scoring.kernel import Scorer
from nbspark.smoothing.likelihoods import smooth

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FOLDS = 10
SEED = 1
TIE = 1e-9  # joint log-likelihoods that are equal but for rounding


@dataclass(frozen=True)
class Model:
    """A line of the table, or several that differ in alpha."""

    corpus: str
    title: str
    features: tuple[Feature, ...]
    alphas: tuple[float, ...] = (1.0,)
    published: str = ""
    in_spark: bool = False


def _sentiment(corpus: str, unigrams: str, bigrams: str) -> list[Model]:
    """Return the two binary models of a corpus that comes tokenised: its tokens are what blanks divide."""
    return [
        Model(corpus, "binary, words", (Text("text", tokens="whitespace", event="binary"),), published=unigrams),
        Model(
            corpus,
            "binary, words and bigrams",
            (Text("text", tokens="whitespace", ngrams=(1, 2), event="binary"),),
            published=bigrams,
        ),
    ]


def _chinese(corpus: str) -> list[Model]:
    """Return the two models of Chinese text."""
    return [
        Model(corpus, "words of rjieba", (Text("text", tokens="chinese"),)),
        Model(
            corpus,
            "characters and bigrams",
            (Text("text", tokens="chars", ngrams=(1, 2)),),
            in_spark=corpus == "THUCNews",
        ),
    ]


WORDS = Text("text")
HEADERS: tuple[Feature, ...] = (
    *(Categorical(name) for name in ("content_type", "charset", "mailer", "has_reply_to")),
    Numeric("log_length"),
)
ADULT_FEATURES = tuple(Numeric(name) if name in ADULT_NUMBERS else Categorical(name) for name in ADULT)
N_CATEGORIES = {"mushroom": 22, "car": 6, "nursery": 8, "vote": 16, "soybean": 35}
MODELS = [
    *_sentiment("RT-s", "77.94", "79.03"),
    *_sentiment("Subjectivity", "92.58", "93.56"),
    *_sentiment("RT-2k", "83.45", "85.85"),
    Model("R8", "words", (WORDS,), in_spark=True),
    Model("R52", "words", (WORDS,)),
    Model("20NG", "words", (WORDS,)),
    Model("SMS", "words", (WORDS,)),
    Model("SpamAssassin", "words", (WORDS,)),
    Model("SpamAssassin", "words, 4 headers, length", (WORDS, *HEADERS)),
    Model("SpamAssassin", "words of the subject", (Text("subject"),)),
    Model("SpamAssassin", "words of the subject, 4 headers, length", (Text("subject"), *HEADERS)),
    Model("SpamAssassin", "4 headers, length", HEADERS),
    Model("banking77", "words", (WORDS,)),
    Model("clinc150", "words", (WORDS,)),
    Model("TREC, 6 classes", "words", (WORDS,)),
    Model("TREC, 50 classes", "words", (WORDS,)),
    *_chinese("THUCNews"),
    *_chinese("online_shopping"),
    Model("django_po", "characters, 1 to 3", (Text("text", tokens="chars", ngrams=(1, 3)),), (1.0, 0.1)),
    *(
        Model(corpus, f"{n} categories", tuple(Categorical(f"a{i}") for i in range(1, n + 1)))
        for corpus, n in N_CATEGORIES.items()
    ),
    Model("adult", "8 categories, 6 numbers", ADULT_FEATURES, in_spark=True),
    Model("adult, complete rows", "8 categories, 6 numbers", ADULT_FEATURES, published="83.88"),
    Model("adult, complete rows", "14 categories", tuple(Categorical(name) for name in ADULT), published="83.88"),
]


@dataclass
class Scored:
    """What both made of the tested rows, fold after fold."""

    labels: list[pa.Array] = field(default_factory=list)
    ours: list[pa.Array] = field(default_factory=list)
    log_losses: list[pa.Array] = field(default_factory=list)
    theirs: list[pa.Array] = field(default_factory=list)
    n_ties: int = 0
    n_different: int = 0
    largest: float = 0.0  # difference of a row's log loss, relative where that is over 1

    def add(
        self, scorer: Scorer, columns: Sequence[pa.Array], truth: pa.Array, classes: np.ndarray, joint: np.ndarray
    ) -> None:
        """Score the rows of a fold, and add what came out beside scikit-learn's joint log-likelihoods."""
        ours, _, _, _, losses = scorer.predict(columns, truth)
        theirs = pa.array(classes[joint.argmax(axis=1)], pa.string())
        parts = ((self.labels, truth), (self.ours, ours), (self.log_losses, losses), (self.theirs, theirs))
        for so_far, new in parts:
            so_far.append(new)
        true_class = np.searchsorted(classes, truth.to_numpy(zero_copy_only=False))
        expected = logsumexp(joint, axis=1) - joint[np.arange(len(joint)), true_class]
        gap = np.abs(losses.to_numpy() - expected) / np.maximum(1.0, expected)
        self.largest = max(self.largest, float(gap.max()))
        self._add_different(scorer, columns, ours, theirs)

    def _add_different(self, scorer: Scorer, columns: Sequence[pa.Array], ours: pa.Array, theirs: pa.Array) -> None:
        """Count the rows with another prediction: ties by rounding, and others."""
        other = pa.array(np.flatnonzero(pc.not_equal(ours, theirs).to_numpy(zero_copy_only=False)))
        if not len(other):
            return
        joint = scorer.joint_log_likelihood([column.take(other) for column in columns])
        of_theirs = joint[np.arange(len(other)), np.searchsorted(scorer.labels, theirs.take(other).to_pylist())]
        is_tie = joint.max(axis=1) - of_theirs <= TIE * np.maximum(1.0, np.abs(of_theirs))
        self.n_ties += int(is_tie.sum())
        self.n_different += int((~is_tie).sum())


def folds(labels: pa.StringArray) -> np.ndarray:
    """Return a fold for each row, each class spread evenly over them."""
    shuffled = np.random.default_rng(SEED).permutation(len(labels))
    codes = labels.dictionary_encode().indices.to_numpy()
    fold = np.empty(len(labels), np.int64)
    fold[shuffled[np.argsort(codes[shuffled], kind="stable")]] = np.arange(len(labels)) % FOLDS
    return fold


def splits(corpus: Corpus) -> tuple[np.ndarray, list[int]]:
    """Return a part for each row, and the parts that are tested: each by a model of all other parts."""
    if corpus.is_test is None:
        return folds(corpus.labels) if corpus.folds is None else corpus.folds, list(range(FOLDS))
    return corpus.is_test.astype(np.int64), [1]


def run(model: Model, corpus: Corpus, *, tuned: bool) -> list[Row]:
    """Return the lines of a model: train and score every fold, here and in scikit-learn; tune as well if asked."""
    specs = {alpha: NaiveBayes("label", model.features, alpha=alpha) for alpha in model.alphas}
    columns = [corpus.columns[feature.column] for feature in model.features]
    parts, tested = splits(corpus)

    @cache
    def counts_of(part: int) -> pa.Table:  # whatever alpha is
        return count(specs[model.alphas[0]], corpus.labels, columns, np.flatnonzero(parts == part))

    peer = Peer(model.features, columns, corpus.labels)
    scored = {alpha: Scored() for alpha in specs}
    for part in tested:
        # A model is a table of counts: that of nine folds is the sum of nine tables.
        table = CountTable.from_arrow(pa.concat_tables([counts_of(i) for i in np.unique(parts) if i != part]))
        train, test = np.flatnonzero(parts != part), np.flatnonzero(parts == part)
        queries = [column.take(pa.array(test)) for column in columns]
        for alpha, spec in specs.items():
            scorer = Scorer(spec.features, smooth(spec, table))
            scored[alpha].add(scorer, queries, corpus.labels.take(pa.array(test)), *peer.score(train, test, alpha))
    split = "10-fold" if corpus.is_test is None else f"{int((parts == 0).sum()):,} / {int((parts == 1).sum()):,}"
    better = nested(model.features, corpus, parts, tested) if tuned and is_text_only(model.features) else None
    return [row(model, alpha, one, corpus, split, peer.name, better) for alpha, one in scored.items()]


def count(spec: NaiveBayes, labels: pa.Array, columns: Sequence[pa.Array], rows: np.ndarray) -> pa.Table:
    """Return the counts of some rows, as ``NaiveBayes.fit`` makes them."""
    names = ["label", *(feature_column(i) for i in range(len(columns)))]
    batch = pa.record_batch([one.take(pa.array(rows)) for one in (labels, *columns)], names)
    return pa.Table.from_batches(merge_parcels(Counter(spec).count([batch])))


def row(model: Model, alpha: float, scored: Scored, corpus: Corpus, split: str, peer: str, tuned: Nested | None) -> Row:
    """Return a line of the table."""
    labels, ours, losses, theirs = (
        pa.concat_arrays(one) for one in (scored.labels, scored.ours, scored.log_losses, scored.theirs)
    )
    found = measure(tally(pa.record_batch({"label": labels, "prediction": ours, "log_loss": losses})))
    assert found.log_loss is not None
    return Row(
        corpus=model.corpus,
        n_rows=len(corpus.labels),
        split=split,
        n_classes=len(corpus.labels.unique()),
        model=model.title + ("" if alpha == 1.0 else f", alpha {alpha:g}"),
        accuracy=found.accuracy,
        macro_f1=found.macro_f1,
        log_loss=found.log_loss,
        published=model.published,
        peer=peer,
        peer_accuracy=float(np.mean(pc.equal(theirs, labels).to_numpy(zero_copy_only=False))),
        n_tested=len(labels),
        n_ties=scored.n_ties,
        n_different=scored.n_different,
        largest=scored.largest,
        tuned=tuned,
    )


def run_in_spark(spark: SparkSession, model: Model, corpus: Corpus) -> InSpark:
    """Train and score one split by ``NaiveBayes.fit`` and ``Model.transform``, both plans, beside the kernels."""
    parts, tested = splits(corpus)
    rows = pa.table({"id": np.arange(len(parts)), "label": corpus.labels, **corpus.columns})
    train, test = (rows.filter(pa.array(mask)) for mask in (parts != tested[0], parts == tested[0]))
    spec = NaiveBayes("label", model.features, alpha=model.alphas[0])
    columns = [train[feature.column].combine_chunks() for feature in model.features]
    counts = count(spec, train["label"].combine_chunks(), columns, np.arange(len(train)))
    scorer = Scorer(spec.features, smooth(spec, CountTable.from_arrow(counts)), probabilities=True)
    here = scorer.predict([test[feature.column].combine_chunks() for feature in model.features])
    trained = spec.fit(spark.createDataFrame(train))
    n_equal, largest = len(test), 0.0
    for plan in ("broadcast", "join"):
        scored = trained.transform(spark.createDataFrame(test), plan=plan, probabilities=True)
        there = scored.select("id", "prediction", "probabilities").toArrow().sort_by("id").combine_chunks()
        equal = pc.equal(there["prediction"].combine_chunks(), here[0]).to_numpy(zero_copy_only=False)
        n_equal = min(n_equal, int(equal.sum()))
        gap = there["probabilities"].combine_chunks().items.to_numpy() - here[4].items.to_numpy()
        largest = max(largest, float(np.abs(gap).max()))
    return InSpark(model.corpus, model.title, len(train), len(test), n_equal, largest)


def main() -> int:
    """Print a line per model as it is measured, write the page if asked to; 0 if all is equal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder with one folder per corpus")
    parser.add_argument("--only", nargs="+", choices=list(READERS), metavar="NAME", help=f"of {', '.join(READERS)}")
    parser.add_argument("--output", type=Path, help="where to write the page, Markdown")
    parser.add_argument(
        "--tuned", action="store_true", help="tune and calibrate as well, nested: takes five times as long"
    )
    args = parser.parse_args()
    if args.only and args.output:
        parser.error("--output writes the page of all corpora: leave out --only.")
    corpora: dict[str, Corpus] = {}
    rows: list[Row] = []
    in_spark: list[InSpark] = []
    models = [model for model in MODELS if args.only is None or model.corpus in args.only]
    for model in models:
        start = time.perf_counter()
        if model.corpus not in corpora:
            corpora[model.corpus] = read(model.corpus, args.data)
        made = run(model, corpora[model.corpus], tuned=args.tuned)
        rows += made
        for one in made:
            tuned = "" if one.tuned is None else f" | {' | '.join(one.tuned_cells()[3:])}"
            print(f"{' | '.join(one.cells())}{tuned}  ({time.perf_counter() - start:.1f} s)", flush=True)
    if any(model.in_spark for model in models):
        spark = local_session(name="accuracy", conf={"spark.master": "local[2,4]"})
        in_spark = [run_in_spark(spark, model, corpora[model.corpus]) for model in models if model.in_spark]
        spark.stop()
        for line in in_spark:
            print(" | ".join(line.cells()), flush=True)
    if args.output:
        args.output.write_text(render(rows, in_spark, corpora, READERS), encoding="utf-8")
    return 0 if all(one.is_equal for one in rows) and all(one.is_equal for one in in_spark) else 1


if __name__ == "__main__":
    sys.exit(main())
