"""An evaluation as text for a terminal: aligned, short, in any script. No pyspark in it."""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

from nbspark.evaluation.labels import display_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbspark.evaluation.evaluation import Evaluation

MAX_TABLE_CLASSES = 12  # with more, the most confused pairs say more than a table of dots
MAX_PAIRS = 10
MAX_LABEL_WIDTH = 36
MAX_LINE_WIDTH = 100
NO_PREDICTION = "(none)"
UNDEFINED = "undefined"

# What is printed of all labels together, by the name of the attribute; all else is in the report.
HEADLINES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "macro_precision": "macro precision",
    "macro_recall": "macro recall",
    "macro_f1": "macro F1",
    "weighted_f1": "weighted F1",
    "cohens_kappa": "Cohen's kappa",
    "matthews": "Matthews coefficient",
    "log_loss": "log loss, nats",
    "brier": "Brier score",
    "calibration_error": "calibration error",
    "macro_roc_auc": "macro ROC-AUC",
    "macro_average_precision": "macro average precision",
}
MEASURED_IF_ASKED = ("log_loss", "brier", "calibration_error", "macro_roc_auc", "macro_average_precision")
NORMALIZE = {"label": "of_label", "prediction": "of_prediction", "all": "of_all"}


def render(
    evaluation: Evaluation, *, max_classes: int = 20, normalize: str | None = None, coverage: bool = False
) -> str:
    """Return an evaluation for people.

    The metrics of all labels with their intervals, those of each label, the confusion table or the most confused pairs,
    and a summary.

    Parameters
    ----------
    max_classes : int
        Of more labels, those with the most documents are shown.
    normalize : {"label", "prediction", "all"}, optional
        Show the confusion table as shares of the true label, of the predicted one, or of all documents.
    coverage : bool
        Show what thresholds would buy, too.
    """
    names = _names([one.label for one in evaluation.classes])
    few = len(evaluation.classes) <= MAX_TABLE_CLASSES
    confusion = _confusion_table(evaluation, names, normalize) if few else _most_confused(evaluation, names)
    classes = _class_table(evaluation, names, max_classes)
    bought = _coverage(evaluation) if coverage else []
    parts = [_headlines(evaluation), classes, confusion, bought, _summary(evaluation, names)]
    return "\n\n".join("\n".join(lines) for lines in parts if lines)


def _headlines(evaluation: Evaluation) -> list[str]:
    """Return a row per metric of all labels, with its interval; what was not measured is left out."""
    values = {title: getattr(evaluation, name) for name, title in HEADLINES.items()}
    intervals = {title: evaluation.intervals.get(name) for name, title in HEADLINES.items()}
    for k, share in evaluation.top_k_accuracy.items():
        if 1 < k < len(evaluation.classes):  # the best one is the prediction
            values[f"top-{k} accuracy"] = share
            intervals[f"top-{k} accuracy"] = evaluation.intervals.get(f"top_{k}_accuracy")
    rows = [["metric", "value", "95 % interval"]]
    for title, value in values.items():
        if value is None and title in {HEADLINES[name] for name in MEASURED_IF_ASKED}:
            continue
        found = intervals[title]
        rows.append([title, _ratio(value), f"{found.low:.4f} to {found.high:.4f}" if found else ""])
    return aligned(rows)


def _ratio(value: float | None) -> str:
    """Return a metric with four digits."""
    return UNDEFINED if value is None else f"{value:.4f}"


def _confusion_table(evaluation: Evaluation, names: Mapping[str | None, str], normalize: str | None) -> list[str]:
    """Return a row per true label and a column per predicted one; numbers head the columns if labels are too long."""
    labels = [one.label for one in evaluation.classes]
    columns: list[str | None] = [*labels, None] if evaluation.n_unpredicted else [*labels]
    sides, heads = [names[label] for label in labels], [names[label] for label in columns]
    shown = {
        (pair.label, pair.prediction): f"{pair.n_docs:,}"
        if normalize is None
        else f"{getattr(pair, NORMALIZE[normalize]) or 0:.1%}"
        for pair in evaluation.pairs
    }
    cells = [[shown.get((row, column), ".") for column in columns] for row in labels]
    lines = aligned([["", *heads], *([side, *row] for side, row in zip(sides, cells, strict=True))])
    if width(lines[0]) > MAX_LINE_WIDTH:
        sides = [f"{i} {side}" for i, side in enumerate(sides, start=1)]
        heads = [NO_PREDICTION if label is None else str(i) for i, label in enumerate(columns, start=1)]
        lines = aligned([["", *heads], *([side, *row] for side, row in zip(sides, cells, strict=True))])
    unit = {None: "", "all": ", % of all documents"}.get(normalize, f", % of the {normalize}'s documents")
    return [f"confusion (rows: true label, columns: prediction{unit})", *lines]


def _most_confused(evaluation: Evaluation, names: Mapping[str | None, str]) -> list[str]:
    """Return the wrong pairs with the most documents."""
    wrong = [pair for pair in evaluation.pairs if pair.label != pair.prediction]
    support = {one.label: one.support for one in evaluation.classes}
    rows = [
        [names[pair.label], names[pair.prediction], f"{pair.n_docs:,}", f"{pair.n_docs / support[pair.label]:.1%}"]
        for pair in sorted(wrong, key=lambda pair: -pair.n_docs)[:MAX_PAIRS]
    ]
    more = [f"... and {len(wrong) - MAX_PAIRS:,} more pairs"] if len(wrong) > MAX_PAIRS else []
    return (
        [
            "most confused",
            *aligned([["true label", "prediction", "documents", "of its label"], *rows], n_left=2),
            *more,
        ]
        if wrong
        else []
    )


def _class_table(evaluation: Evaluation, names: Mapping[str | None, str], max_classes: int) -> list[str]:
    """Return a row per label; of many labels, those with the most documents."""
    shown = sorted(evaluation.classes, key=lambda one: -one.support)[:max_classes]
    ranked = any(one.roc_auc is not None for one in shown)
    more = ["ROC-AUC", "avg. precision"] if ranked else []
    rows = [["label", "precision", "recall", "F1", *more, "documents", "predicted"]]
    for one in sorted(shown, key=lambda one: one.label):
        ratios = [one.precision, one.recall, one.f1, *([one.roc_auc, one.average_precision] if ranked else [])]
        rows.append([names[one.label], *map(_ratio, ratios), f"{one.support:,}", f"{one.n_predicted:,}"])
    n_more = len(evaluation.classes) - len(shown)
    return aligned(rows) + ([f"... and {n_more:,} more labels"] if n_more else [])


def _coverage(evaluation: Evaluation) -> list[str]:
    """Return a row per value of each threshold; of values that withhold the same, the highest."""
    rows = [["threshold", "value", "documents", "coverage", "accuracy"]]
    for i, one in enumerate(evaluation.coverage):
        higher = evaluation.coverage[i + 1 : i + 2]
        if one.n_docs and not (higher and (higher[0].threshold, higher[0].n_docs) == (one.threshold, one.n_docs)):
            rows.append(
                [one.threshold, f"{one.value:g}", f"{one.n_docs:,}", f"{one.coverage:.1%}", _ratio(one.accuracy)]
            )
    return aligned(rows) if len(rows) > 1 else []


def _summary(evaluation: Evaluation, names: Mapping[str | None, str]) -> list[str]:
    """Return the overall metrics, and a line for each kind of document that is not as it should be."""
    line = (
        f"{_documents(evaluation.n_docs)}: accuracy {evaluation.accuracy:.4f}, macro F1 {evaluation.macro_f1:.4f}, "
        f"weighted F1 {evaluation.weighted_f1:.4f}"
    )
    if evaluation.log_loss is not None:
        line += f", log loss {evaluation.log_loss:.4f} nats"
        if evaluation.n_log_loss < evaluation.n_docs:
            line += f" (over {_documents(evaluation.n_log_loss)})"
    lines = [line]
    if evaluation.n_unlabelled:
        lines.append(f"{_documents(evaluation.n_unlabelled)} without a label: left out")
    if evaluation.n_unpredicted:
        some = evaluation.n_unpredicted < evaluation.n_docs
        others = f"; accuracy of the others {_ratio(evaluation.micro_precision)}" if some else ""
        lines.append(f"{_documents(evaluation.n_unpredicted)} without a prediction: counted as wrong{others}")
    if evaluation.unseen_labels:
        why = "was never predicted" if evaluation.n_known_labels is None else "the model does not know"
        most = sorted(evaluation.unseen_labels.items(), key=lambda item: -item[1])
        listed = ", ".join(f"{names[label]} ({n:,})" for label, n in most[:MAX_PAIRS])
        more = f", and {len(most) - MAX_PAIRS:,} more labels" if len(most) > MAX_PAIRS else ""
        lines.append(f"{_documents(sum(n for _, n in most))} with a label that {why}: {listed}{more}")
    return lines


def _documents(n: int) -> str:
    """Return a number of documents in words."""
    return f"{n:,} document{'' if n == 1 else 's'}"


def width(text: str) -> int:
    r"""Return how many columns of a terminal a text takes.

    >>> [width(text) for text in ("abc", "体育", "é", "e\u0301")]
    [3, 4, 1, 1]
    """
    marks = sum(unicodedata.category(character) in {"Mn", "Me", "Cf"} for character in text)
    wide = sum(unicodedata.east_asian_width(character) in {"W", "F"} for character in text)
    return len(text) - marks + wide


def _names(labels: Sequence[str]) -> dict[str | None, str]:
    """Return how a table shows each label, and the lack of one: one line, visible, not too long, no two the same."""
    shown = {label: _one_line(name) for label, name in display_names(labels, taken=[NO_PREDICTION]).items()}
    short = {label: _cut(name, MAX_LABEL_WIDTH) for label, name in shown.items()}
    n_of = Counter(short.values())
    # Of long labels that begin alike the end is shown, too; where even that is the same, a number.
    both = {label: name if n_of[name] == 1 else _middle_cut(shown[label]) for label, name in short.items()}
    n_of = Counter(both.values())
    names = {label: name if n_of[name] == 1 else f"{name} #{i}" for i, (label, name) in enumerate(both.items(), 1)}
    with_none: dict[str | None, str] = {None: NO_PREDICTION}
    return with_none | dict(names)


def _one_line(name: str) -> str:
    """Return a name with what cannot be printed escaped."""
    return "".join(c if c.isprintable() or unicodedata.category(c) == "Cf" else repr(c)[1:-1] for c in name)


def _cut(name: str, n: int) -> str:
    """Return a name of ``n`` columns at most."""
    if width(name) <= n:
        return name
    while width(name) >= n:
        name = name[:-1]
    return name + "…"


def _middle_cut(name: str) -> str:
    """Return the beginning and the end of a long name."""
    if width(name) <= MAX_LABEL_WIDTH:
        return name
    half = MAX_LABEL_WIDTH // 2
    return _cut(name, half) + _cut(name[::-1], half)[-2::-1]


def aligned(rows: Sequence[Sequence[str]], n_left: int = 1) -> list[str]:
    """Return lines of columns two blanks apart, the first ``n_left`` to the left, the others to the right."""
    widths = [max(width(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = []
        for i, (cell, wanted) in enumerate(zip(row, widths, strict=True)):
            blanks = " " * (wanted - width(cell))
            cells.append(cell + blanks if i < n_left else blanks + cell)
        lines.append("  ".join(cells).rstrip())
    return lines
