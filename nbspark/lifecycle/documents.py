"""Documents in memory as the kernels read them: a table, a mapping of columns, or a pandas frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from nbspark.errors import DocumentsError
from nbspark.features.values import as_text
from nbspark.schemas import LABEL_COLUMN, WEIGHT_COLUMN, feature_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbspark.spec import Spec


def note_of(documents: Any) -> dict[str, str]:
    """Return what a version says of who counted its documents: Spark and its version, or nothing of this process."""
    return {"spark": str(documents.sparkSession.version)} if hasattr(documents, "mapInArrow") else {}


def as_table(documents: Any) -> pa.Table:
    """Return columns as an Arrow table.

    >>> as_table({"topic": ["spam"], "tfidf": [{"win": 0.5}]}).column("tfidf").type
    MapType(map<string, double>)
    """
    if isinstance(documents, pa.Table):
        return documents
    if hasattr(documents, "to_dict") and hasattr(documents, "columns"):  # of pandas
        return pa.Table.from_pandas(documents, preserve_index=False)
    if not hasattr(documents, "keys"):
        kind = type(documents)
        raise DocumentsError(
            f"documents: want a mapping of columns, a table or a pandas frame, found {kind.__module__}.{kind.__name__}."
        )
    return pa.table({name: counts_as_maps(values) for name, values in documents.items()})


def counts_as_maps(values: Any) -> Any:
    """Return a column as it is, but dicts from term to count as Arrow's maps; Arrow itself makes structs of them."""
    if not isinstance(next((one for one in values if one is not None), None), dict):
        return values
    pairs = [None if one is None else list(one.items()) for one in values]
    return pa.array(pairs, pa.map_(pa.string(), pa.float64()))


def require_columns_of(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """Return a table, or raise one error that lists every column that is not there."""
    missing = [name for name in dict.fromkeys(names) if name not in table.column_names]
    if missing:
        raise DocumentsError(f"documents: no column {missing}; found {table.column_names}. Correct the name.")
    return table


def kernel_batches(documents: Any, spec: Spec, *, label: str | None = None) -> list[pa.RecordBatch]:
    """Return labelled documents under the names that ``counting.Counter`` knows.

    Parameters
    ----------
    label : str, optional
        Another column than the spec's.

    Raises
    ------
    DocumentsError
        A column is missing.
    """
    label = label or spec.label
    weight = [] if spec.weight is None else [spec.weight]
    table = require_columns_of(as_table(documents), [label, *weight, *spec.columns()])
    columns = {LABEL_COLUMN: as_text(table[label])}
    for i, feature in enumerate(spec.features):
        columns[feature_column(i)] = table[feature.column].combine_chunks()
    for name in weight:
        columns[WEIGHT_COLUMN] = table[name].cast(pa.float64()).combine_chunks()
    return pa.table(columns).to_batches()
