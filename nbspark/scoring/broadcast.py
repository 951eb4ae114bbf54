"""The broadcast plan: the whole model goes to every worker, documents stay where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbspark.arrays.batches import gather

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from nbspark.scoring.frame import Columns
    from nbspark.scoring.kernel import Scorer


def score_broadcast(documents: DataFrame, *, scorer: Scorer, columns: Columns) -> DataFrame:
    """Return the kept columns with the scorer's added; lazy, one row per document, order kept.

    Parameters
    ----------
    scorer : Scorer
        Travels with the function: Spark sends a large one to each executor once.
    """

    def score(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table in gather(batches):
            yield from columns.with_predictions(table, scorer).to_batches()

    scored = columns.select(documents).mapInArrow(score, columns.schema(documents, scorer))
    return columns.named(scored, documents)
