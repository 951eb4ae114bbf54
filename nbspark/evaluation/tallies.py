"""What a pass over predictions adds up: small tables, by the batch, before the shuffle. No pyspark in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.evaluation.coverage import place_of
from nbspark.evaluation.probabilities import MAX_RANK, ClassProbabilities, class_probabilities, ranks_in
from nbspark.evaluation.ranking import MAX_CLASSES, ScoreTable, merge_packed
from nbspark.evaluation.reliability import bin_of
from nbspark.features.values import as_text, require_counts
from nbspark.schemas import TALLIES
from nbspark.scoring.thresholds import margin

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Numbers are rounded to steps of 2^-30 (1e-9), and what that leaves to steps of 2^-58. Sums of such numbers are exact
# below 8 million, so a total is the same to the last bit whatever the partitions, their order, or tasks that ran twice.
STEPS = float(1 << 30)
REST_STEPS = float(1 << 58)

KEYS = ("measure", "label", "prediction", "place")
SUMS = ("n_docs", "weight", "weight_rest", "weight_squares", "total", "total_rest", "cross", "squares")


def tally(batch: pa.RecordBatch, *, classes: Sequence[str] | None = None) -> pa.Table:
    """Add up what metrics need of a batch of predictions.

    Parameters
    ----------
    batch : RecordBatch
        ``label`` and ``prediction`` of any scalar type. Of the other columns of ``schemas.PREDICTIONS``, and those that
        scoring adds on request, what is there is used: ``log_loss``, ``probability``, ``probabilities``, ``top_k``;
        so are ``n_known``, and ``weight``, of the document.
    classes : sequence of str, optional
        The model's labels in string order, for ``probabilities`` as an array; without them such are left out.

    Returns
    -------
    Table of ``schemas.TALLIES``
        A few rows a class, and one per (label, prediction) that occurs.

    Raises
    ------
    DocumentsError
        A weight is negative or null, or an array of probabilities has not one for each class.

    Examples
    --------
    >>> batch = pa.record_batch(
    ...     {"label": [1.0, 1.0, None], "prediction": ["1", "1", "2"], "log_loss": [0.5, 0.25, None]})
    >>> for row in tally(batch).sort_by([("measure", "ascending"), ("label", "ascending")]).to_pylist():
    ...     print(row["measure"], row["label"], row["prediction"], row["n_docs"], row["total"])
    log_loss None None 2 0.75
    pair 1 1 2 0.0
    pair None 2 1 0.0
    """
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    label, prediction = as_text(columns["label"]), as_text(columns["prediction"])
    weight = (
        require_counts(columns["weight"], "the weight column", "weight") if "weight" in columns else np.ones(len(label))
    )
    parts = [_rows("pair", weight, label=label, prediction=prediction)]
    labelled, predicted = label.is_valid(), pc.and_(label.is_valid(), prediction.is_valid())
    right = pc.fill_null(pc.equal(label, prediction), False).to_numpy(zero_copy_only=False)

    def reached(threshold: str, value: np.ndarray, given: pa.Array) -> pa.Table:
        rows = _rows(
            "coverage", weight, label=pa.repeat(threshold, len(weight)), place=place_of(threshold, value, right)
        )
        return rows.filter(pc.and_(predicted, given))

    if "log_loss" in columns:
        losses = columns["log_loss"].cast(pa.float64())
        parts.append(_rows("log_loss", weight, value=_doubles(losses)).filter(pc.and_(labelled, losses.is_valid())))
    if "probability" in columns:
        confidence = columns["probability"].cast(pa.float64())
        place = 2 * bin_of(_doubles(confidence)) + right
        rows = _rows("confidence", weight, place=place, value=_doubles(confidence))
        parts.append(rows.filter(pc.and_(predicted, confidence.is_valid())))
        parts.append(reached("min_probability", _doubles(confidence), confidence.is_valid()))
    if "n_known" in columns:
        parts.append(
            reached("min_known", _doubles(columns["n_known"].cast(pa.float64())), columns["n_known"].is_valid())
        )
    found = class_probabilities(columns["probabilities"], classes) if "probabilities" in columns else None
    if found is not None:
        parts += _of_probabilities(found, label, weight)
        parts.append(reached("min_margin", margin(found.matrix), pa.array(found.is_given)))
    elif "top_k" in columns:
        rows = _rows("rank", weight, place=ranks_in(columns["top_k"], label))
        parts.append(rows.filter(pc.and_(labelled, columns["top_k"].is_valid())))
        longest = pc.max(pc.list_value_length(columns["top_k"])).as_py()
        parts += [_depth(longest)] if longest else []
    return merge(parts)


def merge(parts: Iterable[pa.Table]) -> pa.Table:
    """Return the sum of tallies, ``schemas.TALLIES``; the order and the grouping of the parts change no bit."""
    rows = pa.concat_tables(parts)
    is_scores = pc.equal(rows["measure"], "scores")
    plain = rows.filter(pc.invert(is_scores))
    added = plain.group_by(list(KEYS), use_threads=False).aggregate([(name, "sum") for name in SUMS])
    columns = [*(added[name] for name in KEYS), *(added[f"{name}_sum"] for name in SUMS)]
    merged = pa.table([*columns, pa.nulls(len(added), pa.binary())], schema=TALLIES)
    by_class: dict[str, list[bytes]] = {}
    for row in rows.filter(is_scores).select(["label", "scores"]).to_pylist():
        by_class.setdefault(row["label"], []).append(row["scores"])
    return pa.concat_tables([merged, *(_scores_row(label, merge_packed(some)) for label, some in by_class.items())])


def with_ranking(tallies: pa.Table) -> pa.Table:
    """Return merged tallies with the measures of each class's scores in place of the scores: a small table."""
    is_scores = pc.equal(tallies["measure"], "scores")
    made = []
    for row in tallies.filter(is_scores).select(["label", "scores"]).to_pylist():
        table = ScoreTable.unpack(row["scores"])
        for measure, found in (("roc_auc", table.roc_auc()), ("average_precision", table.average_precision())):
            if found is not None:
                value = {"measure": measure, "label": row["label"], "total": found[0], "cross": found[1]}
                made.append(value | {"n_docs": table.n_docs, "weight": float(table.positive.sum())})
    return pa.concat_tables([tallies.filter(pc.invert(is_scores)), pa.Table.from_pylist(made, TALLIES)])


def _of_probabilities(found: ClassProbabilities, label: pa.StringArray, weight: np.ndarray) -> list[pa.Table]:
    """Return what the probabilities of all classes tell of the documents that have a label."""
    given = np.flatnonzero(found.is_given & label.is_valid().to_numpy(zero_copy_only=False))
    weight, n_classes = weight[given], len(found.classes)
    codes = pc.fill_null(pc.index_in(label.take(pa.array(given)), pa.array(found.classes, pa.string())), -1).to_numpy()
    matrix = found.matrix[given]
    known = codes >= 0
    of_truth = np.where(known, matrix[np.arange(len(given)), np.maximum(codes, 0)], 0.0)
    brier = ((matrix**2).sum(axis=1) - 2 * of_truth + 1) * (0.5 if n_classes == 2 else 1.0)
    parts = [
        _rows("brier", weight[known], value=brier[known]),
        _rows("rank", weight, place=found.ranks(matrix, codes, of_truth)),
        _depth(min(MAX_RANK, n_classes)),
    ]
    if n_classes <= MAX_CLASSES:
        tables = (ScoreTable.of(matrix[:, i], codes == i, weight) for i in range(n_classes))
        parts += [_scores_row(one, table) for one, table in zip(found.classes, tables, strict=True)]
    return parts


def _rows(
    measure: str,
    weight: np.ndarray,
    *,
    label: pa.Array | None = None,
    prediction: pa.Array | None = None,
    place: np.ndarray | None = None,
    value: np.ndarray | None = None,
) -> pa.Table:
    """Return a row per document, not yet added up."""
    n = len(weight)
    nothing = pa.nulls(n, pa.string())
    value = np.zeros(n) if value is None else value
    with np.errstate(invalid="ignore"):  # weight 0 of an infinite loss
        weighted, squared = np.where(weight > 0, weight * value, 0.0), np.where(weight > 0, weight**2 * value, 0.0)
        columns = [
            pa.repeat(measure, n),
            nothing if label is None else label,
            nothing if prediction is None else prediction,
            pa.nulls(n, pa.int64()) if place is None else pa.array(place, pa.int64()),
            pa.repeat(pa.scalar(1, pa.int64()), n),
            *_exactly(weight),
            _in_steps(weight**2),
            *_exactly(weighted),
            _in_steps(squared),
            _in_steps(np.where(weight > 0, squared * value, 0.0)),
            pa.nulls(n, pa.binary()),
        ]
    return pa.table(columns, schema=TALLIES)


def _depth(k: int) -> pa.Table:
    """Return a row of no document that says how deep ranks were looked for: where none is deeper, nothing else does."""
    return pa.Table.from_pylist([{"measure": "rank", "place": -k} | dict.fromkeys(SUMS, 0)], TALLIES)


def _scores_row(label: str, table: ScoreTable) -> pa.Table:
    """Return the row of a class's scores."""
    row = {"measure": "scores", "label": label, "n_docs": table.n_docs, "scores": table.pack()}
    return pa.Table.from_pylist([row], TALLIES)


def _doubles(values: pa.Array) -> np.ndarray:
    """Return numbers, NaN for null."""
    return values.to_numpy(zero_copy_only=False)


def _in_steps(values: np.ndarray) -> np.ndarray:
    """Return numbers rounded so that their sum is exact."""
    return np.rint(values * STEPS) / STEPS


def _exactly(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers rounded so that their sum is exact, and what that left, rounded so, too."""
    high = _in_steps(values)
    rest = np.where(np.isfinite(high), values - high, 0.0)
    return high, np.rint(rest * REST_STEPS) / REST_STEPS
