"""The best terms of a model that stays a table: ranked where the terms are, and again in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbspark.arrays.frame import spark_schema
from nbspark.insight.top_terms import ranked
from nbspark.schemas import TOP_TERMS
from nbspark.smoothing.frame import terms_together
from nbspark.smoothing.term_rows import counts_in_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from nbspark.insight.top_terms import Ranking
    from nbspark.spec import Spec


def collect_top_terms(pairs: DataFrame, spec: Spec, ranking: Ranking, *, n: int, label: str | None) -> pa.Table:
    """Run the pairs of a model: return the terms that say most for each class, ``schemas.TOP_TERMS``."""

    def rank(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for feature, counts in counts_in_rows(batches, spec, ranking.labels, None):
            yield from ranking.best(feature, counts).to_batches()

    best = pairs.transform(terms_together).mapInArrow(rank, spark_schema(TOP_TERMS)).toArrow()
    return ranked(best.cast(TOP_TERMS), n=n, label=label)
