"""Predictions to a confusion table, in Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as T

from nbspark.arrays.frame import column, require_columns, require_scalar, spark_schema
from nbspark.evaluation.confusion import count_confusion
from nbspark.evaluation.metrics import Evaluation, measure
from nbspark.runtime.failures import own_errors
from nbspark.schemas import CONFUSION, LOG_LOSS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame


def confusion(predictions: DataFrame, *, label: str, prediction: str = "prediction") -> DataFrame:
    """Count how often each true label got each prediction.

    Parameters
    ----------
    predictions : DataFrame
        One row per scored document. A column ``log_loss`` is used if there is one.
    label, prediction : str
        The columns with the true and the predicted label, of any scalar type: both are compared as text, by the
        rule of ``nbspark.features.values``.

    Returns
    -------
    DataFrame of ``schemas.CONFUSION``
        One row per pair that occurs; a null label or prediction is one of its own.

    Raises
    ------
    DocumentsError
        A column is missing, or is no column of scalars.
    """
    require_columns(predictions, [label, prediction], asked_by="the evaluation")
    require_scalar(predictions, label, role="label")
    require_scalar(predictions, prediction, role="prediction")
    has_log_loss = LOG_LOSS.name in predictions.columns
    log_loss = column(LOG_LOSS.name) if has_log_loss else F.lit(None)
    pairs = predictions.select(
        column(label).alias("label"),
        column(prediction).alias("prediction"),
        log_loss.cast(T.DoubleType()).alias("log_loss"),
    )
    return (
        pairs.mapInArrow(_count_batches, spark_schema(CONFUSION))
        .groupBy("label", "prediction")
        .agg(*(F.sum(name).alias(name) for name in ("n_docs", "log_loss", "n_log_loss")))
    )


@own_errors()
def evaluate(
    predictions: DataFrame,
    *,
    label: str,
    prediction: str = "prediction",
    known_labels: Collection[str] | None = None,
) -> Evaluation:
    """Run the predictions' plan once and return their metrics.

    Parameters
    ----------
    predictions : DataFrame
        As for ``confusion``.
    label, prediction : str
        The columns with the true and the predicted label.
    known_labels : collection of str, optional
        The labels that the model knows, so that those it cannot know are told from those it never gave.

    Raises
    ------
    DocumentsError
        A column is missing or no column of scalars, or no document has a label.
    """
    table = confusion(predictions, label=label, prediction=prediction).toArrow()
    return measure(table, known_labels=known_labels)


def _count_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the confusion table of each batch."""
    for batch in batches:
        yield count_confusion(batch)
