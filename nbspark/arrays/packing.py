"""Several labels as one text and back, whatever characters they have; several numbers as bytes and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.strings import buffers_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

DOUBLE, INT = "<f8", "<i4"  # little-endian, whatever the machine
SEPARATOR = "\x1f"
ESCAPES = (("\\", "\\b"), (SEPARATOR, "\\s"))
NO_LABEL = "\\n"  # null; no escaped label reads like this


def pack_labels(labels: pa.StringArray, codes: np.ndarray, offsets: ArrayLike) -> pa.StringArray:
    r"""Return one text a row: the labels ``codes[offsets[i]:offsets[i + 1]]``, null among them.

    >>> pack_labels(pa.array(["a", "b\\", None]), np.array([0, 1, 2]), [0, 2, 3]).to_pylist()
    ['a\x1fb\\b', '\\n']
    """
    chosen = pc.fill_null(_escape(labels), NO_LABEL).take(pa.array(codes))
    return pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), chosen), SEPARATOR)


def unpack_labels(packed: pa.StringArray) -> tuple[pa.StringArray, np.ndarray]:
    r"""Return the distinct labels, and the code of every label of every row, one after the other.

    >>> labels, codes = unpack_labels(pa.array(["a\x1fb\\b", "a", NO_LABEL]))
    >>> labels.to_pylist(), codes.tolist()
    (['a', 'b\\', None], [0, 1, 0, 2])
    """
    encoded = pc.split_pattern(packed, SEPARATOR).flatten().dictionary_encode()
    labels = encoded.dictionary
    for raw, escaped in reversed(ESCAPES):
        labels = pc.replace_substring(labels, escaped, raw)
    labels = pc.if_else(pc.equal(encoded.dictionary, NO_LABEL), pa.scalar(None, pa.string()), labels)
    return labels, encoded.indices.to_numpy().astype(np.int64)


def pack_numbers(values: np.ndarray, offsets: ArrayLike, kind: str = DOUBLE) -> pa.BinaryArray:
    """Return the bytes of the numbers ``values[offsets[i]:offsets[i + 1]]`` of each row.

    >>> unpack_numbers(pack_numbers(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2, 3])))
    (array([2, 0, 1]), array([1., 2., 4.]))
    """
    data = np.ascontiguousarray(values, kind)
    places = (np.asarray(offsets) * data.itemsize).astype(np.int32)
    return pa.BinaryArray.from_buffers(pa.binary(), len(places) - 1, [None, pa.py_buffer(places), pa.py_buffer(data)])


def unpack_numbers(packed: pa.BinaryArray, kind: str = DOUBLE) -> tuple[np.ndarray, np.ndarray]:
    """Return how many numbers each row has, and those of all rows, one after the other."""
    data, offsets = buffers_of(packed)
    return np.diff(offsets) // np.dtype(kind).itemsize, np.frombuffer(data, kind)


def no_numbers(n: int) -> pa.BinaryArray:
    """Return n rows without numbers."""
    return pack_numbers(np.zeros(0), np.zeros(n + 1))


def _escape(labels: pa.StringArray) -> pa.StringArray:
    """Return labels without the separator in them."""
    for raw, escaped in ESCAPES:
        labels = pc.replace_substring(labels, raw, escaped)
    return labels
