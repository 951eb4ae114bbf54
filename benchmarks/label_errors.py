"""Turned labels found by nbspark and by cleanlab, from the same probabilities.

    python benchmarks/label_errors.py --data DIR [--output FILE]

In each corpus 5 % of the labels are turned at random (fixed seed), to another class. Probabilities are out of fold (10
folds by content), of nbspark's defaults, calibrated by one temperature that is fitted on the turned labels, too.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from cleanlab.filter import find_label_issues  # type: ignore[import-untyped]
from cleanlab.rank import get_label_quality_scores  # type: ignore[import-untyped]
from corpora import Corpus, read

from nbspark import NaiveBayes, Text
from nbspark.insight.label_errors import doubts, self_confidence, thresholds
from nbspark.selection.doubting import Doubting
from nbspark.selection.memory import folds_in_memory
from nbspark.smoothing.calibration import UNCALIBRATED, Calibration

CORPORA = ("SMS", "Subjectivity")
SHARE, SEED = 0.05, 11
COLUMNS = (
    *("corpus", "turned", "probabilities", "by", "doubtful", "right of them", "found of the turned"),
    *("right of the first 5 %", "seconds"),
)


def turn(labels: list[str]) -> tuple[list[str], np.ndarray]:
    """Return labels of which some are turned, and which."""
    rng = np.random.default_rng(SEED)
    classes = sorted(set(labels))
    rows = rng.choice(len(labels), round(SHARE * len(labels)), replace=False)
    is_turned = np.zeros(len(labels), bool)
    is_turned[rows] = True
    turned = list(labels)
    for row in rows.tolist():
        turned[row] = str(rng.choice([one for one in classes if one != labels[row]]))
    return turned, is_turned


def run(name: str, corpus: Corpus) -> list[list[str]]:
    """Return the lines of a corpus."""
    labels, is_turned = turn(corpus.labels.to_pylist())
    docs = {"label": pa.array(labels), "text": corpus.columns["text"], "turned": pa.array(is_turned)}
    found = NaiveBayes("label", [Text("text")]).cross_validate(docs, folds=10)
    fitted, lines = found.temperature(), []
    for kind, calibration in (("raw", UNCALIBRATED), ("calibrated", Calibration(fitted.value, fitted.exponent))):
        doubting = Doubting(found._out_of_fold(), calibration)
        parts = [
            (*doubting.probabilities(scored), table.column(table.num_columns - 1).to_numpy())
            for table, scored in found._out_of_fold().tables_and_scores(folds_in_memory(docs, found._plan, ["turned"]))
        ]
        probabilities, codes, wrong = (np.concatenate(one) for one in zip(*parts, strict=True))

        start = time.perf_counter()
        own = doubts(probabilities, codes, thresholds(self_confidence(probabilities, codes)))
        order = np.argsort(own.margin, kind="stable")
        ours = order, order[own.is_doubtful[order]], time.perf_counter() - start
        start = time.perf_counter()
        options = {"filter_by": "confident_learning", "return_indices_ranked_by": "normalized_margin", "n_jobs": 1}
        issues = find_label_issues(codes, probabilities, **options)
        ranked = np.argsort(get_label_quality_scores(codes, probabilities, method="normalized_margin"), kind="stable")
        theirs = ranked, issues, time.perf_counter() - start
        for by, (order, doubtful, seconds) in (("nbspark", ours), ("cleanlab", theirs)):
            first = wrong[order[: round(SHARE * len(wrong))]].mean()
            of_doubtful, recall = wrong[doubtful].mean(), wrong[doubtful].sum() / wrong.sum()
            shares = [f"{one:.3f}" for one in (of_doubtful, recall, first)]
            lines.append([name, f"{wrong.sum():,} of {len(wrong):,}", kind, by, f"{len(doubtful):,}", *shares])
            lines[-1].append(f"{seconds:.3f}")
            print(" | ".join(lines[-1]), flush=True)
    return lines


def main() -> None:
    """Print a line per corpus and way, as a table of Markdown if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder with one folder per corpus")
    parser.add_argument("--output", type=Path, help="where to write the table, Markdown")
    args = parser.parse_args()
    lines = [line for name in CORPORA for line in run(name, read(name, args.data))]
    if args.output:
        rows = [COLUMNS, ["---"] * len(COLUMNS), *lines]
        args.output.write_text("".join(f"| {' | '.join(row)} |\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
