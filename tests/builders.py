"""Small makers that several tests share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from nbspark.counting import Counter
from nbspark.likelihoods import CountTable, smooth
from nbspark.schemas import feature_column
from nbspark.scoring.kernel import Scorer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbspark.spec import Spec


def count_table(spec: Spec, labels: Sequence[object], *columns: Sequence[object]) -> CountTable:
    """Return the counts of documents, one column a feature, without Spark."""
    arrays = {"label": pa.array(labels), **{feature_column(i): pa.array(values) for i, values in enumerate(columns)}}
    return CountTable.from_arrow(pa.Table.from_batches(Counter(spec.features).count([pa.record_batch(arrays)])))


def trained(spec: Spec, labels: Sequence[object], *columns: Sequence[object], **asked: object) -> Scorer:
    """Return the scorer of a model trained without Spark."""
    return Scorer(spec.features, smooth(spec, count_table(spec, labels, *columns)), **asked)
