"""Documents in memory as the kernels read them: a table, a mapping of columns, or a pandas frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from nbspark.errors import DocumentsError
from nbspark.features.fits import feature_arrays
from nbspark.features.values import as_text
from nbspark.schemas import LABEL_COLUMN, WEIGHT_COLUMN, feature_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbspark.spec import Spec

NEW_LABEL = "new_label"  # beside ``LABEL_COLUMN``, of documents that change their label


def note_of(documents: Any) -> dict[str, str]:
    """Return what a version says of who counted its documents: Spark and its version, or nothing of this process."""
    return {"spark": str(documents.sparkSession.version)} if hasattr(documents, "mapInArrow") else {}


def as_table(documents: Any) -> pa.Table:
    """Return columns, or a mapping for each document, as an Arrow table; what a document lacks is null.

    >>> as_table({"topic": ["spam"], "tfidf": [{"win": 0.5}]}).column("tfidf").type
    MapType(map<string, double>)
    >>> as_table([{"topic": "spam"}, {"topic": "ham", "body": "noon"}]).to_pydict()
    {'topic': ['spam', 'ham'], 'body': [None, 'noon']}
    """
    if isinstance(documents, pa.Table):
        return documents
    if hasattr(documents, "to_dict") and hasattr(documents, "columns"):  # of pandas
        return pa.Table.from_pandas(documents, preserve_index=False)
    if is_rows(documents):
        documents = {name: [row.get(name) for row in documents] for row in documents for name in row}
    if not hasattr(documents, "keys"):
        kind = type(documents)
        raise DocumentsError(
            "documents: want a mapping of columns, a list of mappings, an Arrow table or a pandas frame, found "
            f"{kind.__module__}.{kind.__name__}. A Spark DataFrame is for ModelStore."
        )
    try:
        return pa.table({name: counts_as_maps(values) for name, values in documents.items()})
    except (pa.ArrowException, TypeError) as error:
        told = str(error).splitlines()[0].rstrip(".")
        raise DocumentsError(f"documents: no table can be made of the columns: {told}. Give each one type.") from error


def is_rows(documents: Any) -> bool:
    """Say whether documents are a list with a mapping for each."""
    return isinstance(documents, list | tuple) and bool(documents) and all(hasattr(row, "keys") for row in documents)


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


def kernel_batches(documents: Any, spec: Spec) -> list[pa.RecordBatch]:
    """Return the same as ``kernel_table`` in batches."""
    return kernel_table(documents, spec).to_batches()


def kernel_table(documents: Any, spec: Spec, *, label: str | None = None, new: str | None = None) -> pa.Table:
    """Return labelled documents under the names that ``counting.Counter`` knows.

    Parameters
    ----------
    label : str, optional
        Another column than the spec's.
    new : str, optional
        One more column of labels, which becomes ``NEW_LABEL``.

    Raises
    ------
    DocumentsError
        A column is missing, or has a type that the model cannot read.
    """
    label = label or spec.label
    weight = [] if spec.weight is None else [spec.weight]
    table = require_columns_of(as_table(documents), [label, *weight, *spec.columns(), *([new] if new else [])])
    columns = {LABEL_COLUMN: as_text(table[label])}
    if new:
        columns[NEW_LABEL] = as_text(table[new])
    for i, values in enumerate(feature_arrays(table, spec)):
        columns[feature_column(i)] = values
    for name in weight:
        columns[WEIGHT_COLUMN] = _weights(table[name], name)
    return pa.table(columns)


def _weights(values: pa.ChunkedArray, name: str) -> pa.Array:
    """Return weights as doubles, or raise DocumentsError if they are no numbers."""
    found = values.type
    if not (pa.types.is_integer(found) or pa.types.is_floating(found) or pa.types.is_decimal(found)):
        raise DocumentsError(f"documents: column {name!r} is {found}; a weight is a number. Cast it.")
    return values.cast(pa.float64()).combine_chunks()
