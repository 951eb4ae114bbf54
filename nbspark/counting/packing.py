"""Several labels as one text and back, whatever characters they have."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

SEPARATOR = "\x1f"
ESCAPES = (("\\", "\\b"), (SEPARATOR, "\\s"))
NO_LABEL = "\\n"  # null; no escaped label reads like this


def pack_labels(labels: pa.StringArray, codes: np.ndarray, offsets: pa.Int32Array) -> pa.StringArray:
    r"""Return one text a row: the labels ``codes[offsets[i]:offsets[i + 1]]``.

    >>> pack_labels(pa.array(["a", "b\\"]), np.array([0, 1, 1]), pa.array([0, 2, 3], pa.int32())).to_pylist()
    ['a\x1fb\\b', 'b\\b']
    """
    return pc.binary_join(pa.ListArray.from_arrays(offsets, _escape(labels).take(pa.array(codes))), SEPARATOR)


def pack_each(labels: pa.StringArray) -> pa.StringArray:
    """Return each label, which may be null, as a packed text of its own."""
    encoded = labels.dictionary_encode()
    return pc.fill_null(_escape(encoded.dictionary).take(encoded.indices), NO_LABEL)


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


def empty_lists(n: int) -> pa.ListArray:
    """Return n empty lists of doubles."""
    return pa.ListArray.from_arrays(pa.array(np.zeros(n + 1), pa.int32()), pa.array([], pa.float64()))


def _escape(labels: pa.StringArray) -> pa.StringArray:
    """Return labels without the separator in them."""
    for raw, escaped in ESCAPES:
        labels = pc.replace_substring(labels, raw, escaped)
    return labels
