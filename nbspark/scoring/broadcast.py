"""The broadcast plan: the whole model goes to every worker, documents stay where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import types as T

from nbspark.counting.counter import gather
from nbspark.frames import positional
from nbspark.scoring.columns import added_fields, with_predictions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from nbspark.scoring.kernel import Scorer


def score_broadcast(
    documents: DataFrame, *, scorer: Scorer, columns: Sequence[str], keep: Sequence[str], truth: str | None = None
) -> DataFrame:
    """Return the kept columns with the scorer's added; lazy, one row per document, order kept.

    Parameters
    ----------
    scorer : Scorer
        Travels with the function: Spark sends a large one to each executor once.
    columns : sequence of str
        The feature columns, in the order of the spec.
    keep : sequence of str
        Columns of the documents to keep.
    truth : str, optional
        The column of the true label; adds ``log_loss``.
    """
    positions = [documents.columns.index(name) for name in columns]
    kept = [documents.columns.index(name) for name in keep]
    truth_position = None if truth is None else documents.columns.index(truth)

    def score(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table in gather(batches):
            yield from with_predictions(table, scorer, positions, truth_position, kept).to_batches()

    added = added_fields(documents, scorer, truth=truth is not None, kept=keep)
    inputs = positional(documents)
    scored = inputs.mapInArrow(score, T.StructType([*(inputs.schema.fields[i] for i in kept), *added]))
    return scored.toDF(*keep, *(field.name for field in added))
