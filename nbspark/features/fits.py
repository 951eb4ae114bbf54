"""Whether a column's type is one that a feature can read: what each kind wants, and columns of an Arrow table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from nbspark.errors import DocumentsError
from nbspark.features import Categorical, Numeric, Text

if TYPE_CHECKING:
    from nbspark.features import Feature
    from nbspark.spec import Spec

_STRINGS = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)


def misfit(feature: Feature, found: str) -> str:
    """Return what is wrong with the type of a feature's column, for a message."""
    if isinstance(feature, Text):
        wants = "text"
    elif isinstance(feature, Numeric):
        wants = "a number"
    elif isinstance(feature, Categorical):
        wants = "one value a row"
    else:
        wants = "an array of strings, a map from string to number, or a vector"
    return f"column {feature.column!r} is {found}; a {feature.kind} feature wants {wants}"


def require_fits(wrong: list[str]) -> None:
    """Raise one DocumentsError that lists the columns whose types do not fit, if there are any."""
    if wrong:
        raise DocumentsError(f"documents: {'; '.join(wrong)}. Cast the column, or name another.")


def feature_arrays(table: pa.Table, spec: Spec) -> list[pa.Array]:
    """Return one array a feature of a table that has the columns.

    Raises
    ------
    DocumentsError
        Columns have types that their features cannot read; the message lists all.

    Examples
    --------
    >>> from nbspark.features import Text
    >>> from nbspark.spec import Spec
    >>> feature_arrays(pa.table({"body": [1, 2]}), Spec("topic", [Text("body")]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    nbspark.errors.DocumentsError: documents: column 'body' is int64; a text feature wants text. Cast the column, ...
    """
    arrays = [_decoded(table[feature.column].combine_chunks()) for feature in spec.features]
    found = zip(spec.features, arrays, strict=True)
    require_fits([misfit(feature, str(one.type)) for feature, one in found if not _fits(feature, one.type)])
    return arrays


def _decoded(values: pa.Array) -> pa.Array:
    """Return values without a dictionary, strings as the kernels have them."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    return values.cast(pa.string()) if any(fits(values.type) for fits in _STRINGS[1:]) else values


def _fits(feature: Feature, found: pa.DataType) -> bool:
    """Say whether a feature can read a type."""
    types = pa.types
    if types.is_null(found):
        return True
    if isinstance(feature, Text):
        return types.is_string(found)
    if isinstance(feature, Numeric):
        return types.is_integer(found) or types.is_floating(found) or types.is_decimal(found)
    if isinstance(feature, Categorical):
        return not (types.is_nested(found) or types.is_binary(found) or types.is_large_binary(found))
    if types.is_map(found):
        numbers = found.item_type
        return types.is_integer(numbers) or types.is_floating(numbers) or types.is_decimal(numbers)
    if types.is_list(found):
        return any(fits(found.value_type) for fits in _STRINGS) or types.is_null(found.value_type)
    return types.is_struct(found) and found.get_field_index("values") >= 0
