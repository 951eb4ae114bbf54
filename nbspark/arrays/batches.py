"""How many rows are worked on at a time, and several batches or arrays as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

BATCH_ROWS = 20_000  # documents read, or scored, at a time
BATCH_BYTES = 32 << 20  # of Arrow data; bounds memory where documents are long


def gather(
    batches: Iterable[pa.RecordBatch], *, rows: int | None = None, n_bytes: int = BATCH_BYTES
) -> Iterator[pa.Table]:
    """Yield tables of about ``rows`` rows (``BATCH_ROWS`` unless given), or ``n_bytes``, from smaller batches."""
    wanted = rows or BATCH_ROWS
    held: list[pa.RecordBatch] = []
    n_rows = size = 0
    for batch in batches:
        held.append(batch)
        n_rows, size = n_rows + batch.num_rows, size + batch.nbytes
        if n_rows >= wanted or size >= n_bytes:
            yield pa.Table.from_batches(held)
            held, n_rows, size = [], 0, 0
    if held:
        yield pa.Table.from_batches(held)


def one_batch(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    """Return the rows of several batches as one."""
    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]


def join_given(parts: Sequence[np.ndarray | None], lengths: Sequence[int]) -> np.ndarray | None:
    """Return the parts as one array, ones in place of those that are None; None if all are.

    >>> join_given([None, np.array([2.5])], [2, 1])
    array([1. , 1. , 2.5])
    """
    if all(part is None for part in parts):
        return None
    return np.concatenate([np.ones(n) if part is None else part for part, n in zip(parts, lengths, strict=True)])
