"""The fingerprint of counts: by it the same documents are known again, under whatever name and in whatever order."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.hashing import hash_numbers, hash_rows, hash_strings
from nbspark.schemas import COUNTS

_MASK = 2**64 - 1


def partial_fingerprint(counts: pa.RecordBatch) -> int:
    """Return the sum of the hashes of the rows of classes in ``schemas.COUNTS``, a 64-bit integer with a sign.

    Every row is complete, as ``merging.merge`` makes them, so the sum does not depend on the order of documents, on
    partitions or on files. What became of rows without a label is no part of it.

    Examples
    --------
    >>> rows = [{"label": "spam", "n_docs": 2.0}, {"label": "ham", "n_docs": 1.0}, {"label": None, "n_docs": 3.0}]
    >>> one, two, fact = (pa.RecordBatch.from_pylist([row], schema=COUNTS) for row in rows)
    >>> both = pa.RecordBatch.from_pylist(rows, schema=COUNTS)
    >>> add_fingerprints([partial_fingerprint(part) for part in (two, one, fact)]) == fingerprint([both])
    True
    """
    rows = counts.filter(counts.column("label").is_valid()) if counts.column("label").null_count else counts
    hashes = {}
    for place, (field, column) in enumerate(zip(COUNTS, rows.columns, strict=True)):
        if pa.types.is_string(field.type):
            hashes[place] = _coded(column)
        elif column.null_count < len(rows):  # moments hardly ever are
            hashes[place] = hash_numbers(column)
    return int(hash_rows(hashes).sum().view(np.int64)) if len(rows) else 0


def fingerprint(counts: list[pa.RecordBatch]) -> str:
    """Return the fingerprint of complete counts, 16 hexadecimal digits."""
    return add_fingerprints([partial_fingerprint(batch) for batch in counts])


def wrapped(parts: list[int]) -> int:
    """Return the sum of parts as a 64-bit integer with a sign."""
    return (sum(parts) + 2**63) % 2**64 - 2**63


def add_fingerprints(parts: list[int]) -> str:
    """Return the fingerprint of counts, given those of their parts.

    >>> add_fingerprints([-1, 2])
    '0000000000000001'
    """
    return f"{sum(parts) & _MASK:016x}"


def _coded(texts: pa.StringArray) -> np.ndarray:
    """Return the hash of each text; labels and features come often."""
    encoded = pc.dictionary_encode(texts, null_encoding="encode")
    return hash_strings(encoded.dictionary)[encoded.indices.to_numpy()]
