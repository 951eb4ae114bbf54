"""The confusion table of a batch with its log losses: all that accuracy, F1 and log loss need, a few rows a model."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from nbspark.evaluation.tallies import STEPS, SUMS, merge
from nbspark.features.values import as_text
from nbspark.schemas import CONFUSION, TALLIES


def count_confusion(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Count each (label, prediction) of a batch.

    Parameters
    ----------
    batch : RecordBatch
        ``label`` and ``prediction`` of any scalar type, ``log_loss`` in nats, null where unknown.

    Returns
    -------
    RecordBatch of ``schemas.CONFUSION``
        One row per pair that occurs, null being a label and a prediction of its own.

    Examples
    --------
    >>> batch = pa.record_batch(
    ...     {"label": [1.0, 1.0, None], "prediction": ["1", "1", "2"], "log_loss": [0.5, 0.25, None]})
    >>> for row in count_confusion(batch).to_pylist():
    ...     print(*row.values())
    1 1 2 0.75 2
    None 2 1 0.0 0
    """
    steps = pc.round(pc.multiply(batch["log_loss"].cast(pa.float64()), STEPS))
    docs = pa.table(
        {
            "label": as_text(batch["label"]),
            "prediction": as_text(batch["prediction"]),
            "log_loss": pc.divide(steps, STEPS),
        }
    )
    counted = docs.group_by(["label", "prediction"], use_threads=False).aggregate(
        [([], "count_all"), ("log_loss", "sum"), ("log_loss", "count")]
    )
    columns = [
        counted["label"],
        counted["prediction"],
        counted["count_all"],
        pc.fill_null(counted["log_loss_sum"], 0.0),
        counted["log_loss_count"],
    ]
    return pa.RecordBatch.from_arrays([column.combine_chunks() for column in columns], schema=CONFUSION)


def as_tallies(confusion: pa.Table) -> pa.Table:
    """Return confusion tables as the tallies that ``metrics.measure`` reads; no document carries a weight.

    Examples
    --------
    >>> rows = pa.table([["ham"], ["spam"], [4], [2.5], [3]], schema=CONFUSION)
    >>> for row in as_tallies(rows).to_pylist():
    ...     print(row["measure"], row["label"], row["prediction"], row["n_docs"], row["total"])
    pair ham spam 4 0.0
    log_loss None None 3 2.5
    """
    labelled = confusion.filter(confusion["label"].is_valid())
    return merge(
        [
            _tallies("pair", confusion["n_docs"], label=confusion["label"], prediction=confusion["prediction"]),
            _tallies("log_loss", labelled["n_log_loss"], total=labelled["log_loss"]),
        ]
    )


def _tallies(measure: str, n_docs: pa.ChunkedArray, **columns: pa.ChunkedArray) -> pa.Table:
    """Return rows of ``schemas.TALLIES``: each document weighs 1."""
    n = len(n_docs)
    known = columns | dict.fromkeys(("n_docs", "weight", "weight_squares"), n_docs) | {"measure": pa.repeat(measure, n)}
    nothing = {one.name: pa.repeat(0.0, n) if one.name in SUMS else pa.nulls(n, one.type) for one in TALLIES}
    made = {**nothing, **known}
    return pa.table([made[one.name].cast(one.type) for one in TALLIES], schema=TALLIES)
