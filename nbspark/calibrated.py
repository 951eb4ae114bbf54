"""The temperature of a stored model from documents that it has not learned: on Spark, or in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from nbspark.arrays.frame import positional, spark_schema
from nbspark.errors import StoreError
from nbspark.features.values import require_counts
from nbspark.lifecycle.documents import as_table, require_columns_of
from nbspark.local import read_counts
from nbspark.scoring.raw import RawScorer
from nbspark.selection.temperature import (
    NO_SUMS,
    NO_SUMS_BY_EXPONENT,
    SAMPLED,
    SUMS,
    Scored,
    exponent_of,
    tally_exponents,
    tally_scores,
    temperature_of,
)
from nbspark.smoothing.likelihoods import smooth
from nbspark.store.options import under_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import DataFrame

    from nbspark.selection.temperature import Temperature
    from nbspark.store import Store, Version


def require_unlearned(version: Version, fingerprint: str) -> None:
    """Raise StoreError if documents are those of a batch of a version."""
    same = [one.batch for held in version.batches for one in held.holds if one.fingerprint == fingerprint]
    if same:
        raise StoreError(
            f"documents: the model has learned them as batch {same[0]!r}, and is surer of them than of any others. "
            "Give documents that it has not learned, or calibrate out of fold as it is made: nbspark tune --calibrate."
        )


def temperature_from(store: Store, version: Version, documents: Any, *, n_docs: int) -> Temperature:
    """Return the temperature and exponent of least log loss on documents, which are scored twice.

    Parameters
    ----------
    documents : DataFrame or any documents in memory
        With the columns of the model's spec: features, label and, where it has one, weight.
    n_docs : int
        How many they are, about.
    """
    spec = under_options(store.read_spec(), version.options)
    if hasattr(documents, "mapInArrow"):
        from nbspark.model import stored_model

        model = stored_model(store.read_spec(), store, version, documents.sparkSession)
        labels = model.labels
        scored = model.raw_scores(documents)

        def added_up(exponent: float | None, share: float) -> np.ndarray:
            return _on_spark(scored, exponent, share)
    else:
        own = [] if spec.weight is None else [spec.weight]
        table = require_columns_of(as_table(documents), [spec.label, *own, *spec.columns()])
        scorer = RawScorer(spec.features, smooth(spec, read_counts(store, version)))
        labels = scorer.labels
        inputs = [table[one.column].combine_chunks() for one in spec.features]
        weight = table[spec.weight].combine_chunks() if spec.weight else pa.repeat(1.0, len(table))
        raw = scorer.predict(inputs, table[spec.label].combine_chunks())
        batch = pa.record_batch([weight, *raw], names=["weight", "scores", "length", "truth"])

        def added_up(exponent: float | None, share: float) -> np.ndarray:
            return sums_of([batch], exponent, share)

    share = SAMPLED / max(1, n_docs * len(labels))
    exponent = exponent_of(added_up(None, share))
    return temperature_of(added_up(exponent, share), exponent)


def sums_of(batches: Iterable[pa.RecordBatch], exponent: float | None, share: float) -> np.ndarray:
    """Return the sums of ``temperature.tally_scores``, or without an exponent those of ``tally_exponents``.

    Parameters
    ----------
    batches : iterable of RecordBatch
        A weight, and the columns of ``scoring.raw``.
    share : float
        Of the documents, to find an exponent by.
    """
    total = NO_SUMS_BY_EXPONENT if exponent is None else NO_SUMS
    for weights, scores, lengths, truth in (batch.columns for batch in batches):
        if not len(truth):
            continue
        matrix = scores.flatten().to_numpy().reshape(len(truth), -1)
        weight = require_counts(weights, "the weight column", "weight")
        one = Scored(matrix, truth.to_numpy(), lengths.to_numpy(), weight)
        total = total + (tally_exponents(one.sampled(share)) if exponent is None else tally_scores(one, exponent))
    return total


def _on_spark(scored: DataFrame, exponent: float | None, share: float) -> np.ndarray:
    """Run scored documents: return the sums of all."""

    def tally(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        sums = sums_of(batches, exponent, share).reshape(-1, len(SUMS))
        yield pa.RecordBatch.from_arrays([pa.array(one) for one in sums.T], list(SUMS))

    schema = spark_schema(pa.schema([(name, pa.float64()) for name in SUMS]))
    found = positional(scored).mapInArrow(tally, schema).toArrow()
    shape = (NO_SUMS_BY_EXPONENT if exponent is None else NO_SUMS).shape
    return np.stack([found[name].to_numpy() for name in SUMS], axis=1).reshape(-1, *shape).sum(axis=0)
