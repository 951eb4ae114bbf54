"""Predictions to tallies to metrics, in Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql import types as T

from nbspark.arrays.batches import gather, one_batch
from nbspark.arrays.frame import column, require_columns, require_scalar, spark_schema
from nbspark.evaluation.evaluation import Evaluation
from nbspark.evaluation.metrics import measure
from nbspark.evaluation.tallies import KEYS, SUMS, merge, tally, with_ranking
from nbspark.runtime.failures import own_errors
from nbspark.schemas import LOG_LOSS, PROBABILITIES, TALLIES, TOP_K, WEIGHT_COLUMN

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from pyspark.sql import DataFrame

NUMBERS = (LOG_LOSS.name, "probability", "n_known")
NESTED = (PROBABILITIES.name, TOP_K.name)


def tallies(
    predictions: DataFrame,
    *,
    label: str,
    prediction: str = "prediction",
    weight: str | None = None,
    known_labels: Collection[str] | None = None,
) -> DataFrame:
    """Add up what metrics need of predictions: one aggregation, whose result is small.

    Parameters
    ----------
    predictions : DataFrame
        One row per scored document. Of the columns that scoring adds, those that are there are used: ``log_loss``,
        ``probability``, ``n_known``, ``probabilities``, ``top_k``.
    label, prediction : str
        The columns with the true and the predicted label, of any scalar type: both are compared as text, by the
        rule of ``nbspark.features.values``.
    weight : str, optional
        The column with each document's weight.
    known_labels : collection of str, optional
        The model's labels: they name the numbers where ``probabilities`` is an array.

    Returns
    -------
    DataFrame of ``schemas.TALLIES``

    Raises
    ------
    DocumentsError
        A column is missing, or is no column of scalars.
    """
    require_columns(predictions, [label, prediction, *([weight] if weight else [])], asked_by="the evaluation")
    require_scalar(predictions, label, role="label")
    require_scalar(predictions, prediction, role="prediction")
    classes = None if known_labels is None else sorted(known_labels)
    wanted = {"label": column(label), "prediction": column(prediction)}
    wanted |= {name: column(name).cast(T.DoubleType()) for name in NUMBERS if name in predictions.columns}
    wanted |= {
        name: column(name)
        for name in NESTED
        if name in predictions.columns and not isinstance(predictions.schema[name].dataType, T.AtomicType)
    }
    if weight:
        wanted[WEIGHT_COLUMN] = column(weight).cast(T.DoubleType())

    def tally_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        held: pa.Table | None = None
        for table in gather(batches):
            found = tally(one_batch(table.to_batches()), classes=classes)
            held = found if held is None else merge([held, found])
        if held is not None:
            yield from held.to_batches()

    schema = spark_schema(TALLIES)
    added = predictions.select([one.alias(name) for name, one in wanted.items()]).mapInArrow(tally_batches, schema)
    merged = added.groupBy(*KEYS).agg(
        *(F.sum(name).alias(name) for name in SUMS), F.collect_list("scores").alias("scores")
    )
    return merged.mapInArrow(_finish, schema)


def _finish(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield sums as Spark made them, and for each class, whose scores come as a list of parts, what they measure."""
    for batch in batches:
        rows = pa.Table.from_batches([batch])
        parts = rows["scores"].combine_chunks()
        n_parts = parts.value_lengths().to_numpy()
        keyed = rows.drop_columns(["scores"])
        scores = keyed.take(pa.array(np.repeat(np.arange(len(n_parts)), n_parts)))
        plain = keyed.filter(pa.array(n_parts == 0))
        scores = scores.append_column("scores", parts.flatten())
        plain = plain.append_column("scores", pa.nulls(len(plain), pa.binary()))
        yield from with_ranking(merge([plain.cast(TALLIES), scores.cast(TALLIES)])).to_batches()


@own_errors()
def evaluate(
    predictions: DataFrame,
    *,
    label: str,
    prediction: str = "prediction",
    weight: str | None = None,
    known_labels: Collection[str] | None = None,
) -> Evaluation:
    """Run the predictions' plan once and return their metrics.

    Parameters
    ----------
    predictions : DataFrame
    label, prediction, weight : str
        As for ``tallies``.
    known_labels : collection of str, optional
        The labels that the model knows, so that those it cannot know are told from those it never gave.

    Raises
    ------
    DocumentsError
        A column is missing or no column of scalars, or no document has a label.
    """
    found = tallies(predictions, label=label, prediction=prediction, weight=weight, known_labels=known_labels)
    return measure(found.toArrow(), known_labels=known_labels)
