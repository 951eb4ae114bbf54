"""Counts on their way to where they are merged: in parcels of many terms, the same terms in the same parcel everywhere.

A row of a parcel holds hundreds or thousands of terms as bytes, so Spark moves no row, and nobody makes a string, for
each term. A term is the numbers of its tokens, and a parcel brings the strings of its own tokens. A term's parcel is
given by its hash, so that all parcels of one number hold all there is of their terms. Strings are made at the end, once
for each distinct term.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.decimals import sums
from nbspark.arrays.ngrams import join_tokens
from nbspark.arrays.packing import INT, SEPARATOR, pack_labels, pack_numbers, unpack_labels, unpack_numbers
from nbspark.arrays.runs import counting_sort, run_starts
from nbspark.arrays.strings import buffers_of, offsets_of, string_array
from nbspark.arrays.term_codes import PackedTerms, encode
from nbspark.counting.checks import require_exact
from nbspark.counting.merging import merge
from nbspark.schemas import COUNTS, MOMENTS, PARCELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from nbspark.counting.pairs import PairCounts

BITS = 8  # of a term's hash that say which parcel it is in
PARCELS_AT_A_TIME = 16  # in an emitted batch
MERGE_PAIRS = 250_000  # about as many are merged at a time
TOTALS = -1  # the parcel of rows that have no term


def pack_pairs(feature: str | None, labels: pa.StringArray, pairs: PairCounts) -> Iterator[pa.RecordBatch]:
    """Yield ``schemas.PARCELS`` for the pairs of a feature.

    Parameters
    ----------
    labels : StringArray
        What the codes of labels point to.
    """
    starts = np.flatnonzero(run_starts(pairs.codes))
    n_labels = np.diff(starts, append=len(pairs.codes))
    codes = pairs.codes[starts]
    parcel = (pairs.terms.hashes[codes] >> np.uint64(64 - BITS)).astype(np.int32)
    terms = counting_sort(parcel, 1 << BITS)
    used = np.flatnonzero(np.bincount(parcel, minlength=1 << BITS))
    of_parcel = np.searchsorted(parcel[terms], np.append(used, 1 << BITS))
    for first in range(0, len(used), PARCELS_AT_A_TIME):
        bounds = of_parcel[first : first + PARCELS_AT_A_TIME + 1]
        own = terms[bounds[0] : bounds[-1]]
        ends = offsets_of(n_labels[own])
        place = np.repeat(starts[own] - ends[:-1], n_labels[own]) + np.arange(ends[-1])
        of_terms, of_pairs = bounds - bounds[0], ends[bounds - bounds[0]]
        label_codes, label_places, of_labels = _numbered_apart(pairs.labels[place], of_pairs, len(labels))
        columns = np.column_stack(pairs.terms.columns(codes[own]))
        is_token = columns >= 0
        of_tokens = offsets_of(is_token.sum(axis=1))[of_terms]
        token_codes, tokens, of_strings = _numbered_apart(columns[is_token], of_tokens, len(pairs.terms.tokens))
        columns[is_token] = token_codes
        data, places = buffers_of(pairs.terms.tokens.take(pa.array(tokens)))
        packed = [
            pa.repeat(pa.scalar(feature, pa.string()), len(bounds) - 1),
            pa.array(used[first : first + PARCELS_AT_A_TIME], pa.int32()),
            pack_numbers(np.diff(places), of_strings, INT),
            pack_numbers(data, places[of_strings], "u1"),
            pack_numbers(columns.ravel(), of_terms * columns.shape[1], INT),
            pack_labels(labels, label_places, of_labels),
            pack_numbers(n_labels[own], of_terms, INT),
            pack_numbers(label_codes, of_pairs, INT),
            pack_numbers(pairs.n_tokens[place], of_pairs),
            pack_numbers(pairs.n_docs[place], of_pairs),
            pa.nulls(len(bounds) - 1, pa.binary()),
        ]
        yield pa.record_batch(packed, schema=PARCELS)


def pack_totals(rows: pa.RecordBatch) -> pa.RecordBatch:
    """Return rows of ``schemas.PACKED_COUNTS`` that have no term as ``schemas.PARCELS``."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_batch(rows)
    row = {"parcel": TOTALS, "totals": sink.getvalue().to_pybytes()}
    return pa.RecordBatch.from_pylist([row], schema=PARCELS)


def merge_parcels(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield ``schemas.COUNTS``, each key once, for the ``schemas.PARCELS`` of one partition.

    Parcels of one feature and number are merged together, with those of a few more numbers while they are small.
    """
    totals: list[pa.RecordBatch] = []
    found: list[tuple[str, int, int, pa.RecordBatch]] = []
    for batch in batches:
        sizes = pc.fill_null(pc.binary_length(batch.column("n_docs")), 0).to_numpy(zero_copy_only=False) // 8
        keys = zip(batch.column("feature").to_pylist(), batch.column("parcel").to_pylist(), sizes, strict=True)
        for i, (feature, parcel, n_pairs) in enumerate(keys):
            if parcel == TOTALS:
                totals += pa.ipc.open_stream(batch.column("totals")[i].as_buffer())
            else:
                found.append((feature, parcel, n_pairs, batch.slice(i, 1)))
    yield from merge(totals)
    found.sort(key=lambda one: one[:2])
    held: list[pa.RecordBatch] = []
    n_held = 0
    for i, (feature, parcel, n_pairs, row) in enumerate(found):
        held.append(row)
        n_held += n_pairs
        following = found[i + 1][:2] if i + 1 < len(found) else (None, None)
        if following[0] != feature or (n_held >= MERGE_PAIRS and following[1] != parcel):
            yield _merge(feature, pa.Table.from_batches(held).combine_chunks().to_batches()[0])
            held, n_held = [], 0


def _merge(feature: str, rows: pa.RecordBatch) -> pa.RecordBatch:
    """Return ``schemas.COUNTS``, each key once, for parcels of one feature that hold all there is of their terms."""
    _, n_labels = unpack_numbers(rows.column("n_labels"), INT)
    tokens, columns = _tokens_of(rows, len(n_labels))
    labels, codes = _labels_of(rows)
    numbers, first = _numbered_terms(columns, len(tokens))
    terms = join_tokens(tokens, [column[first] for column in columns])
    of_pair = np.repeat(numbers, n_labels)
    order = counting_sort(codes, len(labels))
    order = order[counting_sort(of_pair[order], len(terms))]
    of_pair, codes = of_pair[order], codes[order]
    starts = np.flatnonzero(run_starts(of_pair) | run_starts(codes))
    n_tokens, n_docs = (unpack_numbers(rows.column(name))[1][order] for name in ("n_tokens", "n_docs"))
    return pa.record_batch(
        [
            labels.take(pa.array(codes[starts])),
            pa.repeat(pa.scalar(feature, pa.string()), len(starts)),
            terms.take(pa.array(of_pair[starts])),
            pa.array(require_exact(sums(n_tokens, starts), "tokens of a term or class")),
            pa.array(require_exact(sums(n_docs, starts), "documents")),
            *(pa.nulls(len(starts), pa.float64()) for _ in MOMENTS),
        ],
        schema=COUNTS,
    )


def _tokens_of(rows: pa.RecordBatch, n_terms: int) -> tuple[pa.StringArray, np.ndarray]:
    """Return the distinct tokens of parcels, and the codes of each term's, shape (tokens of the longest, n_terms)."""
    n_strings, lengths = unpack_numbers(rows.column("token_lengths"), INT)
    _, data = unpack_numbers(rows.column("tokens"), "u1")
    codes, tokens = encode([PackedTerms.of(string_array(data, offsets_of(lengths)))])
    n_places, places = unpack_numbers(rows.column("terms"), INT)
    before = np.repeat(offsets_of(n_strings)[:-1], n_places)
    with_none = np.append(codes, np.int32(-1))  # -1 stays -1
    return tokens, with_none[np.where(places < 0, -1, places + before)].reshape(n_terms, -1).T


def _labels_of(rows: pa.RecordBatch) -> tuple[pa.StringArray, np.ndarray]:
    """Return the distinct labels of parcels, and the code of each pair's."""
    labels, codes = unpack_labels(rows.column("labels"))
    n_pairs, places = unpack_numbers(rows.column("label_codes"), INT)
    n_labels = pc.add(pc.count_substring(rows.column("labels"), SEPARATOR), 1).to_numpy()
    return labels, codes[places + np.repeat(offsets_of(n_labels)[:-1], n_pairs)].astype(np.int32)


def _numbered_terms(columns: np.ndarray, n_tokens: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of each term, the same for equal ones, and one of each number.

    Terms are sorted by their last token, then, in that order, by the one before, and so on. Equal ones are then
    neighbours.

    Examples
    --------
    Five terms of the tokens 0 and 1: "0 1", "1", "1 0", "0 1", "0"::

        first token   0  -1   1   0  -1        sorted    0      1      0 1    0 1    1 0
        last token    1   1   0   1   0        term      4      1      0      3      2
                                               number    0      1      2      2      3

    >>> numbers, first = _numbered_terms(np.array([[0, -1, 1, 0, -1], [1, 1, 0, 1, 0]], np.int32), 2)
    >>> numbers.tolist(), first.tolist()
    ([2, 1, 3, 2, 0], [4, 1, 0, 2])
    """
    order = np.arange(columns.shape[1], dtype=np.int32)
    for column in columns[::-1]:
        order = order[counting_sort(column[order] + np.int32(1), n_tokens + 1)]
    is_new = np.zeros(len(order), bool)
    for column in columns:
        is_new |= run_starts(column[order])
    numbers = np.empty(len(order), np.int32)
    numbers[order] = np.cumsum(is_new, dtype=np.int32) - np.int32(1)
    return numbers, order[is_new]


def _numbered_apart(codes: np.ndarray, bounds: np.ndarray, n_codes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return codes counted anew from 0 in each part, what the new ones stand for, and where those of a part begin.

    >>> [one.tolist() for one in _numbered_apart(np.array([7, 9, 7, 9]), np.array([0, 3, 4]), 10)]
    [[1, 0, 1, 0], [9, 7, 9], [0, 2, 3]]
    """
    numbers, known = np.empty(len(codes), np.int32), []
    place = np.empty(n_codes, np.int32)  # made once: a part looks only at what it has written there itself
    for low, high in pairwise(bounds):
        part = codes[low:high]
        each = np.arange(len(part), dtype=np.int32)
        place[part] = each  # of equal ones the last
        distinct = part[place[part] == each]
        place[distinct] = each[: len(distinct)]
        numbers[low:high] = place[part]
        known.append(distinct)
    return numbers, np.concatenate(known), offsets_of(np.array([len(one) for one in known]))
