"""Packed counts of many streams to one row per (label, feature, term): the end of the shuffle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from nbspark.arrays.decimals import sums
from nbspark.arrays.moments import Moments
from nbspark.arrays.packing import pack_labels, pack_numbers, unpack_labels, unpack_numbers
from nbspark.arrays.runs import run_starts, term_starts, whole_terms
from nbspark.arrays.strings import offsets_of
from nbspark.counting.checks import require_exact
from nbspark.schemas import COUNTS, MOMENTS, PACKED_COUNTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def merge(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield ``schemas.COUNTS``, each key once, for the ``schemas.PACKED_COUNTS`` of one partition."""
    for rows in whole_terms(batches):
        yield _merge_rows(rows)


def pack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield ``schemas.PACKED_COUNTS`` for ``schemas.COUNTS``, so that they can be merged again.

    Neighbours of one term, as they lie in a stored model's files, become one row. The columns of moments may be left
    out where there are none.
    """
    for given in batches:
        moments = [] if "mean" in given.schema.names else _no_moments(given.num_rows)
        rows = pa.RecordBatch.from_arrays([*given.columns, *moments], schema=COUNTS)
        has = rows.column("mean").is_valid()
        each = has.to_numpy(zero_copy_only=False) * len(MOMENTS)
        starts = np.flatnonzero(term_starts(rows) | run_starts(each))
        offsets = np.append(starts, rows.num_rows)
        flat = np.column_stack([rows.column(name).filter(has).to_numpy() for name in MOMENTS]).ravel()
        labels = rows.column("label").dictionary_encode(null_encoding="encode")
        columns = [
            *(rows.column(name).take(pa.array(starts)) for name in ("feature", "term")),
            pack_labels(labels.dictionary, labels.indices.to_numpy(), offsets),
            *(pack_numbers(rows.column(name).to_numpy(), offsets) for name in ("n_tokens", "n_docs")),
            pack_numbers(flat, offsets_of(each)[offsets]),
        ]
        yield pa.record_batch(columns, schema=PACKED_COUNTS)


def _merge_rows(rows: pa.RecordBatch) -> pa.RecordBatch:
    """Return ``schemas.COUNTS``, each key once, for ``schemas.PACKED_COUNTS`` that are sorted and hold whole terms.

    A row has a term with several labels, and so with several pairs. The pairs get one integer as their key, by which
    they are sorted; each run of equal keys is one sum.

    Examples
    --------
    Five rows of three workers, sorted by term, have six pairs::

        row  term  labels     n_tokens      pair            0    1     2    3     4     5
        0    cash  ham        1             row_of_pair     0    1     2    2     3     4
        1    cash  spam       2             label           ham  spam  ham  spam  spam  spam
        2    cash  ham, spam  4, 8          number of term  0    0     0    0     1     1
        3    win   spam       16            label's code    0    1     0    1     1     1
        4    win   spam       32            key             0    1     0    1     3     3

    A key is the number of the term times 2, the number of labels, plus the label's code. In order of their keys the
    pairs are 0, 2 | 1, 3 | 4, 5, which makes three sums:

    >>> from nbspark.arrays.packing import no_numbers
    >>> numbers = pack_numbers(np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0]), [0, 1, 2, 4, 5, 6])
    >>> labels = pack_labels(pa.array(["ham", "spam"]), np.array([0, 1, 0, 1, 1, 1]), [0, 1, 2, 4, 5, 6])
    >>> texts = [pa.array(["body"] * 5), pa.array(["cash", "cash", "cash", "win", "win"]), labels]
    >>> rows = pa.record_batch([*texts, numbers, numbers, no_numbers(5)], schema=PACKED_COUNTS)
    >>> merged = _merge_rows(rows)
    >>> [tuple(row.values()) for row in merged.select(["term", "label", "n_tokens"]).to_pylist()]
    [('cash', 'ham', 5.0), ('cash', 'spam', 10.0), ('win', 'spam', 48.0)]
    """
    lengths, n_docs = unpack_numbers(rows.column("n_docs"))
    _, n_tokens = unpack_numbers(rows.column("n_tokens"))
    row_of_pair = np.repeat(np.arange(rows.num_rows), lengths)
    labels, codes = unpack_labels(rows.column("labels"))
    keys = (np.cumsum(term_starts(rows)) - 1)[row_of_pair] * max(1, len(labels)) + codes
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(run_starts(keys[order]))
    first = order[starts]
    row = pa.array(row_of_pair[first])
    return pa.record_batch(
        [
            labels.take(pa.array(codes[first])),
            rows.column("feature").take(row),
            rows.column("term").take(row),
            pa.array(require_exact(sums(n_tokens[order], starts), "tokens of a term or class")),
            pa.array(require_exact(sums(n_docs[order], starts), "documents")),
            *_merge_moments(rows, row_of_pair, order, starts),
        ],
        schema=COUNTS,
    )


def _merge_moments(
    rows: pa.RecordBatch, row_of_pair: np.ndarray, order: np.ndarray, starts: np.ndarray
) -> list[pa.Array]:
    """Return the merged moments of each run of pairs, null where there are none."""
    lengths, moments = unpack_numbers(rows.column("moments"))
    if not lengths.any():
        return _no_moments(len(starts))
    has = (lengths > 0)[row_of_pair]
    stored = np.full((len(order), 1 + len(MOMENTS)), np.nan)
    stored[:, 0] = unpack_numbers(rows.column("n_docs"))[1]
    stored[has, 1:] = moments.reshape(-1, len(MOMENTS))
    merged: list[tuple[float | None, ...]] = []
    for run in np.split(order, starts[1:]):
        together = sum((Moments.from_stored(*stored[pair]) for pair in run if has[pair]), Moments())
        merged.append(together.stored()[1:] if has[run[0]] else (None,) * len(MOMENTS))
    return [pa.array(one, pa.float64()) for one in zip(*merged, strict=True)]


def _no_moments(n: int) -> list[pa.Array]:
    """Return the columns of moments of n rows that have none."""
    return [pa.nulls(n, pa.float64()) for _ in MOMENTS]
