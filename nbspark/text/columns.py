"""A column of texts as the tokenizer takes it: plain strings without nulls, a piece at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.strings import buffers_of, string_array
from nbspark.errors import DocumentsError

PIECE_BYTES = 1 << 20  # of text worked on at a time: bounds the memory of a batch, and stays near the cache


def pieces(texts: pa.Array | pa.ChunkedArray) -> Iterator[pa.StringArray]:
    """Yield the texts in order, null as ``""``, in pieces of about ``PIECE_BYTES``; a long text is one by itself.

    Raises
    ------
    DocumentsError
        The array does not hold text.

    Examples
    --------
    >>> [piece.to_pylist() for piece in pieces(pa.chunked_array([["win", None], ["cash"]]))]
    [['win', ''], ['cash']]
    """
    for chunk in texts.chunks if isinstance(texts, pa.ChunkedArray) else [texts]:
        data, offsets = buffers_of(_as_strings(chunk))
        is_long = np.diff(offsets) > PIECE_BYTES
        cuts = np.flatnonzero((np.diff(offsets[:-1] // PIECE_BYTES) > 0) | is_long[1:]) + 1
        for start, stop in zip([0, *cuts], [*cuts, len(offsets) - 1], strict=True):
            # Made anew from its bytes (no copy), with offsets from 0: Arrow's ascii_lower damages an array whose
            # first offset is not 0, as casts and other libraries make them (seen in 26.0).
            places = offsets[start : stop + 1]
            yield string_array(data[places[0] : places[-1]], places - places[0])


def _as_strings(texts: pa.Array) -> pa.StringArray | pa.LargeStringArray:
    """Return the texts with 32 or 64-bit offsets and without nulls."""
    kind = texts.type.value_type if pa.types.is_dictionary(texts.type) else texts.type
    if kind not in (pa.string(), pa.large_string(), pa.string_view(), pa.null()):
        raise DocumentsError(f"a text feature reads a column of text, found {texts.type}. Cast the column to string.")
    if texts.type not in (pa.string(), pa.large_string()):
        texts = texts.cast(pa.string())
    return pc.fill_null(texts, "") if texts.null_count else texts
