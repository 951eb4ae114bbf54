"""A scalar column as text: one rule for labels and categories, whatever type the column has.

Whole numbers have no point whatever their type (int ``1``, double ``1.0`` and decimal ``1.00`` are
``"1"``), booleans are ``true`` and ``false``, dates and timestamps are ISO 8601, those of an instant in UTC
whatever the session's zone, text stays as it is but for bytes that are not UTF-8, which become U+FFFD. NaN is no
value: it becomes null.
"""

from __future__ import annotations

import datetime
import decimal
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.strings import valid_strings
from nbspark.errors import DocumentsError

LARGEST_COUNT = 2.0**53  # and of a weight: below it whole numbers are exact
LARGEST_NUMBER = 1e150  # of a numeric feature: sums of squares must be doubles too


def as_text(values: pa.Array | pa.ChunkedArray) -> pa.StringArray:
    """Return ``values`` as strings, null where there is none.

    Raises
    ------
    DocumentsError
        The values are not scalars (a list, a map, a struct).

    Examples
    --------
    >>> import pyarrow as pa
    >>> as_text(pa.array([1.0, 2.5, 1e7, float("nan"), None])).to_pylist()
    ['1', '2.5', '10000000', None, None]
    >>> as_text(pa.array([True, False])).to_pylist()
    ['true', 'false']
    >>> noon = pa.array([1_700_000_000], pa.timestamp("s", "Asia/Tokyo"))  # an instant, however it is shown
    >>> as_text(noon).to_pylist()
    ['2023-11-14T22:13:20+00:00']
    """
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    kind = values.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return valid_strings(values).cast(pa.string())
    if pa.types.is_null(kind) or pa.types.is_integer(kind):
        return values.cast(pa.string())
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        raise DocumentsError(f"a label or category must be a scalar, found {kind}. Cast the column to one value a row.")
    if pa.types.is_timestamp(kind) and kind.tz:
        values = values.cast(pa.timestamp(kind.unit, "UTC"))
    # Few distinct values are formatted once each, in Python, where the rule can be read.
    encoded = pc.dictionary_encode(values)
    if pa.types.is_float32(kind) or pa.types.is_float16(kind):  # 0.1 as its own type writes it, not as a double would
        distinct = [float(str(value)) for value in encoded.dictionary.to_numpy()]
        return pa.array([_format(value) for value in distinct], pa.string()).take(encoded.indices)
    texts = pa.array([_format(value) for value in encoded.dictionary.to_pylist()], pa.string())
    return texts.take(encoded.indices)


def as_numbers(values: pa.Array, column: str) -> np.ndarray:
    """Return numbers as doubles, NaN where there is none.

    Raises
    ------
    DocumentsError
        A number is infinite, or so large that its square is; the message names the column and shows the value.

    Examples
    --------
    >>> as_numbers(pa.array([2**60 + 1, None]), "id").tolist()
    [1.152921504606847e+18, nan]
    """
    numbers = values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)  # long integers lose digits
    rule = f"a number is between -{LARGEST_NUMBER:g} and {LARGEST_NUMBER:g}"
    _require(~(np.abs(numbers) > LARGEST_NUMBER), values, f"column {column!r}", "number", rule)
    return numbers


def require_counts(values: pa.Array, what: str, one: str) -> np.ndarray:
    """Return numbers as doubles, or raise an error that shows the first one that is no count or weight."""
    numbers = values.cast(pa.float64()).to_numpy(zero_copy_only=False)
    rule = f"a {one} is a finite number >= 0, below 2**53"
    _require((numbers >= 0) & (numbers < LARGEST_COUNT), values, what, one, rule)
    return numbers


def _require(right: np.ndarray, values: pa.Array, what: str, one: str, rule: str) -> None:
    """Raise an error that shows the first value that is not right."""
    if not right.all():
        shown = values[int(np.argmin(right))].as_py()
        raise DocumentsError(
            f"documents: {what} holds the {one} {shown!r} ({int((~right).sum())} such in this batch); {rule}. "
            "Correct or filter these rows."
        )


def _format(value: Any) -> str | None:
    """Return one Python scalar by the rule of this module."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, decimal.Decimal):
        return str(int(value)) if value == value.to_integral_value() else format(value.normalize(), "f")
    if isinstance(value, datetime.date | datetime.datetime | datetime.time):
        return value.isoformat()
    return str(value)
