"""Log loss and calibration error before and after calibration, beside scikit-learn's, on real corpora.

    python benchmarks/calibration.py --data DIR [--only NAME ...] [--output FILE]

Each corpus is split once: by its published split, else one of ten folds of ``accuracy.py`` is tested. On the training
part, cross-validation in 5 folds gives out-of-fold scores, of which the temperature (one number) and the vector scaling
(a temperature and a bias for each class) are fitted; the model is that of the whole training part. Beside it
CalibratedClassifierCV(MultinomialNB(), method="sigmoid"), also in 5 folds, on the same terms. All without Spark.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from accuracy import splits
from corpora import Corpus, read
from sklearn.calibration import CalibratedClassifierCV  # type: ignore[import-untyped]
from sklearn.naive_bayes import MultinomialNB  # type: ignore[import-untyped]
from sklearn_peer import occurrences

from nbspark import NaiveBayes, Text
from nbspark.evaluation import Evaluation, measure, tally
from nbspark.local import LocalModel
from nbspark.scoring.kernel import Scorer
from nbspark.smoothing.calibration import Calibration

CORPORA = {
    "20NG": Text("text"),
    "SMS": Text("text"),
    "SpamAssassin": Text("text"),
    "THUCNews": Text("text", tokens="chars", ngrams=(1, 2)),
}
N_FOLDS = 5
COLUMNS = ("corpus", "tested", "by", "accuracy", "log loss", "calibration error", "Brier score", "fitted", "seconds")


def evaluated(labels: list[str], truth: list[str], probabilities: np.ndarray, log_loss: np.ndarray) -> Evaluation:
    """Return the metrics of probabilities, shape (n_docs, n_classes)."""
    offsets = np.arange(0, probabilities.size + 1, len(labels), dtype=np.int32)
    columns = {
        "label": pa.array(truth),
        "prediction": pa.array([labels[i] for i in probabilities.argmax(axis=1)]),
        "probability": probabilities.max(axis=1),
        "log_loss": log_loss,
        "probabilities": pa.ListArray.from_arrays(offsets, probabilities.ravel()),
    }
    return measure(tally(pa.record_batch(columns), classes=labels))


def of_scores(labels: list[str], truth: list[str], scores: np.ndarray) -> Evaluation:
    """Return the metrics of scores; log losses are those of the scores, where a probability is no double any more."""
    gap = scores - scores.max(axis=1, keepdims=True)
    total = np.exp(gap).sum(axis=1, keepdims=True)
    losses = np.log(total[:, 0]) - gap[np.arange(len(truth)), np.searchsorted(labels, truth)]
    return evaluated(labels, truth, np.exp(gap) / total, losses)


def run(name: str, corpus: Corpus) -> list[list[str]]:
    """Return the lines of a corpus."""
    feature = CORPORA[name]
    parts, tested = splits(corpus)
    train, test = np.flatnonzero(parts != tested[0]), np.flatnonzero(parts == tested[0])
    docs = {"label": corpus.labels.take(pa.array(train)), "text": corpus.columns["text"].take(pa.array(train))}
    truth = corpus.labels.take(pa.array(test)).to_pylist()
    lines = []

    def add(by: str, found: Evaluation, fitted: str, seconds: float) -> None:
        error, brier = found.calibration_error, found.brier
        numbers = [f"{one:.4f}" for one in (found.accuracy, found.log_loss, error, brier) if one is not None]
        lines.append([name, f"{len(test):,}", by, *numbers, fitted, f"{seconds:.1f}"])
        print(" | ".join(lines[-1]), flush=True)

    start = time.perf_counter()
    found = NaiveBayes("label", [feature]).cross_validate(docs, folds=N_FOLDS)
    model = found.model()
    assert isinstance(model, LocalModel)
    scorer = Scorer(model.spec.features, model._likelihoods)
    counted = time.perf_counter() - start
    scores, lengths = scorer.scores_and_lengths([corpus.columns["text"].take(pa.array(test))])
    add("raw", of_scores(model.labels, truth, scores), "", counted)
    start = time.perf_counter()
    one = found.temperature()
    seconds = counted + time.perf_counter() - start
    soft = Calibration(one.value, one.exponent).apply(scores, lengths)
    add("temperature", of_scores(model.labels, truth, soft), f"{one.value:.3g} x length^{one.exponent}", seconds)
    start = time.perf_counter()
    vector = found.vector_scaling()
    seconds = counted + time.perf_counter() - start
    bias = np.array([vector.class_bias[label] for label in model.labels])
    fitted = f"{vector.temperature:.3g} x length^{vector.exponent}, biases {bias.min():.2f} to {bias.max():.2f}"
    soft = Calibration(vector.temperature, vector.exponent, bias).apply(scores, lengths)
    add("vector scaling", of_scores(model.labels, truth, soft), fitted, seconds)

    start = time.perf_counter()
    matrix = occurrences(feature, corpus.columns["text"])
    seen = np.flatnonzero(matrix[train].sum(axis=0))
    peer = CalibratedClassifierCV(MultinomialNB(), method="sigmoid", cv=N_FOLDS)
    peer.fit(matrix[train][:, seen], np.array(docs["label"].to_pylist(), object))
    seconds = time.perf_counter() - start
    probabilities = peer.predict_proba(matrix[test][:, seen])
    losses = -np.log(probabilities[np.arange(len(truth)), np.searchsorted(model.labels, truth)])
    add("scikit-learn, sigmoid", evaluated(model.labels, truth, probabilities, losses), "", seconds)
    return lines


def main() -> None:
    """Print a line per corpus and way, as a table of Markdown if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder with one folder per corpus")
    parser.add_argument("--only", nargs="+", choices=list(CORPORA), default=list(CORPORA), metavar="NAME")
    parser.add_argument("--output", type=Path, help="where to write the table, Markdown")
    args = parser.parse_args()
    lines = [line for name in args.only for line in run(name, read(name, args.data))]
    if args.output:
        rows = [COLUMNS, ["---"] * len(COLUMNS), *lines]
        args.output.write_text("".join(f"| {' | '.join(row)} |\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
