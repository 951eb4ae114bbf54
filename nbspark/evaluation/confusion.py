"""The confusion table of one Arrow batch alone: less than the tallies, for each of many settings. No pyspark in it."""

from __future__ import annotations

import math

import pyarrow as pa
import pyarrow.compute as pc

from nbspark.features.values import as_text
from nbspark.schemas import CONFUSION, TALLIES

# Log losses are rounded to steps of 2^-30 nats (1e-9). Sums of such numbers are exact below 8 million nats a pair,
# so the total is the same to the last bit whatever the partitions, their order, or tasks that ran twice.
STEPS_PER_NAT = float(1 << 30)


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
    steps = pc.round(pc.multiply(batch["log_loss"].cast(pa.float64()), STEPS_PER_NAT))
    docs = pa.table(
        {
            "label": as_text(batch["label"]),
            "prediction": as_text(batch["prediction"]),
            "log_loss": pc.divide(steps, STEPS_PER_NAT),
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
    """Return confusion tables, added up, as ``schemas.TALLIES``; no document of theirs carries a weight.

    >>> batch = pa.record_batch({"label": ["a", "b"], "prediction": ["a", "a"], "log_loss": [0.5, 0.25]})
    >>> as_tallies(pa.Table.from_batches([count_confusion(batch)])).column("measure").to_pylist()
    ['pair', 'pair', 'log_loss']
    """
    pairs = [
        {"measure": "pair", "label": row["label"], "prediction": row["prediction"], "n_docs": row["n_docs"]}
        | {"weight": row["n_docs"], "weight_squares": row["n_docs"]}
        for row in confusion.to_pylist()
    ]
    labelled = confusion.filter(confusion["label"].is_valid())
    n = pc.sum(labelled["n_log_loss"]).as_py() or 0
    losses = {"measure": "log_loss", "n_docs": n, "weight": n, "total": math.fsum(labelled["log_loss"].to_pylist())}
    return pa.Table.from_pylist([*pairs, losses], TALLIES)
