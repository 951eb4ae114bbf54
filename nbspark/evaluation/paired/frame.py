"""What two models said of the same documents, counted in Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as T

from nbspark.arrays.frame import column, spark_schema
from nbspark.evaluation.paired.pairs import KEYS, SCORED, SUMS, count_pairs
from nbspark.schemas import PAIRED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame


def pairs_of(scored: DataFrame, *, replicates: int = 0) -> DataFrame:
    """Count documents that two models scored, a frame of ``schemas.PAIRED``; lazy.

    Parameters
    ----------
    scored : DataFrame
        The columns ``evaluation.paired.pairs.SCORED``, among others.
    replicates : int
        How often the documents are resampled.
    """

    def count(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return count_pairs(batches, replicates=replicates)

    kinds = dict.fromkeys(("champion_log_loss", "challenger_log_loss"), T.DoubleType())
    inputs = scored.select([column(name).cast(kinds[name]) if name in kinds else column(name) for name in SCORED])
    counted = inputs.mapInArrow(count, spark_schema(PAIRED))
    return counted.groupBy(*KEYS).agg(*(F.sum(name).alias(name) for name in SUMS))
