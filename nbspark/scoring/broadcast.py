"""The broadcast plan: the whole model goes to every worker, documents stay where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from nbspark.arrays.batches import gather

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from nbspark.scoring.frame import Columns
    from nbspark.scoring.kernel import Scorer

# What this worker process made ready last, and for which frame: Spark unpickles a function anew in every task.
_READY: dict[str, Scorer] = {}


def score_broadcast(documents: DataFrame, *, scorer: Scorer, columns: Columns) -> DataFrame:
    """Return the kept columns with the scorer's added; lazy, one row per document, order kept.

    Parameters
    ----------
    scorer : Scorer
        Travels with the function: Spark sends a large one to each executor once.
    """
    name = uuid4().hex

    def score(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        ready = once_a_worker(name, scorer)
        for table in gather(batches):
            yield from columns.with_predictions(table, ready).to_batches()

    scored = columns.select(documents).mapInArrow(score, columns.schema(documents, scorer))
    return columns.named(scored, documents)


def once_a_worker(name: str, scorer: Scorer) -> Scorer:
    """Return a scorer, or the equal one that an earlier task of this process used, with the tables it has made since.

    Parameters
    ----------
    name : str
        Of the frame; another one's scorer is forgotten.
    """
    ready = _READY.get(name)
    if ready is None:
        ready = scorer
        _READY.clear()
        _READY[name] = ready
    return ready
