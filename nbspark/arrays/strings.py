"""The bytes of Arrow strings, in and out: where each begins, and the array that they make."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

INT32_BYTES = 2**31 - 1  # what the 32-bit offsets of a StringArray can address


def offsets_of(lengths: np.ndarray) -> np.ndarray:
    """Return where each of the neighbouring pieces begins, and where the last one ends.

    >>> offsets_of(np.array([2, 0, 3]))
    array([0, 2, 2, 5])
    """
    offsets = np.zeros(len(lengths) + 1, np.int64)
    offsets[1:] = lengths  # first: NumPy adds up booleans into integers twenty times as slowly
    np.cumsum(offsets[1:], out=offsets[1:])
    return offsets


def string_array(data: np.ndarray, offsets: np.ndarray) -> pa.StringArray:
    """Return the strings ``data[offsets[i]:offsets[i + 1]]``; large ones where 32 bits do not reach.

    Parameters
    ----------
    data : uint8 array
        Valid UTF-8.
    offsets : integer array, shape (n_strings + 1,)
    """
    make, width = (pa.StringArray, np.int32) if len(data) <= INT32_BYTES else (pa.LargeStringArray, np.int64)
    return make.from_buffers(len(offsets) - 1, pa.py_buffer(offsets.astype(width)), pa.py_buffer(data))


def valid_strings(values: pa.StringArray) -> pa.StringArray:
    r"""Return the same strings, U+FFFD for each byte that is not UTF-8: engines and files can hold any bytes as text.

    Examples
    --------
    >>> raw = pa.array([b"caf\xe9", None, b"ok"]).view(pa.string())
    >>> valid_strings(raw).to_pylist()
    ['caf�', None, 'ok']
    """
    try:
        values.validate(full=True)
        return values
    except pa.ArrowInvalid:
        kind = pa.large_binary() if pa.types.is_large_string(values.type) else pa.binary()
        raw = values.view(kind).to_pylist()
        return pa.array([None if one is None else one.decode("utf-8", "replace") for one in raw], values.type)


def buffers_of(texts: pa.StringArray) -> tuple[np.ndarray, np.ndarray]:
    """Return the bytes of an array without nulls, slice or not, and each text's place in them.

    Returns
    -------
    data : uint8 array
        Read-only view, exactly the array's own bytes.
    offsets : int64 array, shape (n_texts + 1,)
        Starts at 0.
    """
    width = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    _, offset_buffer, data_buffer = texts.buffers()
    if len(texts) == 0 or data_buffer is None:
        return np.zeros(0, np.uint8), np.zeros(len(texts) + 1, np.int64)
    offsets = np.frombuffer(offset_buffer, width)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    data = np.frombuffer(data_buffer, np.uint8)[offsets[0] : offsets[-1]]
    return data, offsets - offsets[0]
