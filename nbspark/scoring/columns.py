"""The columns that scoring adds, for both plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import types as T

from nbspark.errors import DocumentsError
from nbspark.frames import spark_field

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from nbspark.scoring.kernel import Scorer


def added_fields(
    documents: DataFrame, scorer: Scorer, *, truth: bool, kept: Sequence[str] | None = None
) -> list[T.StructField]:
    """Return the fields that scoring adds to the documents, or to those of their columns that are kept.

    Raises
    ------
    DocumentsError
        The documents already have a column of one of these names (Spark does not tell case apart).
    """
    added = [spark_field(field) for field in scorer.fields(truth=truth)]
    names = [field.name for field in added]
    taken = [name for name in (documents.columns if kept is None else kept) if name.lower() in names]
    if taken:
        raise DocumentsError(f"documents: scoring adds {names}, but there is already {taken}. Drop or rename it.")
    return added


def with_predictions(
    table: pa.Table, scorer: Scorer, columns: Sequence[int], truth: int | None, kept: Sequence[int]
) -> pa.Table:
    """Return the kept columns of the table, and after them the scorer's.

    Parameters
    ----------
    columns : sequence of int
        Positions of the feature columns, in the order of the spec.
    truth : int or None
        Position of the true label.
    kept : sequence of int
        Positions of the columns to keep.
    """
    values = [table.column(i).combine_chunks() for i in columns]
    labels = None if truth is None else table.column(truth).combine_chunks()
    table = table.select(kept)
    for field, array in zip(scorer.fields(truth=truth is not None), scorer.predict(values, labels), strict=True):
        table = table.append_column(field, array)
    return table
