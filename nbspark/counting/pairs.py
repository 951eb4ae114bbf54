"""Sparse counts of (label, term) pairs: counted from one batch, merged from several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from nbspark.counting.runs import run_starts, sums
from nbspark.errors import DocumentsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbspark.occurrences import Occurrences


@dataclass(frozen=True)
class PairCounts:
    """Counts of one feature, one element per distinct (term, label), sorted by term code, then label code.

    Attributes
    ----------
    terms : StringArray, shape (n_terms,)
    codes, labels : int64 array, shape (n_pairs,)
        Which of ``terms``, and which label.
    n_tokens, n_docs : float64 array, shape (n_pairs,)
    """

    terms: pa.StringArray
    codes: np.ndarray
    labels: np.ndarray
    n_tokens: np.ndarray
    n_docs: np.ndarray


def count_pairs(found: Occurrences, labels: np.ndarray, weights: np.ndarray | None = None) -> PairCounts:
    """Return the counts of each (term, label) that occurs in a batch of documents.

    Parameters
    ----------
    found : Occurrences
    labels : int64 array, shape (n_docs,)
    weights : float64 array, shape (n_docs,), optional
        Of the documents; 1 each unless given.

    Notes
    -----
    One sort of integers that pack (term, label, document): runs of equal (term, label) are the groups, and
    the changes of document within a run are its documents.
    """
    encoded = found.terms.dictionary_encode()
    n_docs, n_labels = len(labels), int(labels.max(initial=0)) + 1
    doc_bits = max(1, (n_docs - 1).bit_length())
    if max(1, len(encoded.dictionary)) * n_labels >= 1 << (63 - doc_bits):
        raise DocumentsError(
            f"a batch of {n_docs:,} documents with {len(encoded.dictionary):,} distinct terms and {n_labels:,} labels "
            "is too large to count in 64 bits. Lower spark.sql.execution.arrow.maxRecordsPerBatch."
        )
    docs = np.repeat(np.arange(n_docs), np.diff(found.offsets))
    codes = encoded.indices.to_numpy().astype(np.int64)
    keys = ((codes * n_labels + labels[docs]) << doc_bits) | docs
    if weights is None and found.n is None:
        keys.sort()
        each = None
    else:
        order = np.argsort(keys, kind="stable")
        keys, docs = keys[order], docs[order]
        each = np.ones(len(keys)) if found.n is None else found.n[order]
    is_first = run_starts(keys)  # of its document within its pair
    pairs = keys >> doc_bits
    starts = np.flatnonzero(run_starts(pairs))
    code, label = np.divmod(pairs[starts], n_labels)
    of_docs = np.ones(len(keys)) if weights is None else weights[docs]
    return PairCounts(
        terms=encoded.dictionary.cast(pa.string()),
        codes=code,
        labels=label,
        n_tokens=sums(of_docs if each is None else of_docs * each, starts),
        n_docs=sums(np.where(is_first, of_docs, 0.0), starts),
    )


def merge_pairs(parts: Sequence[PairCounts]) -> PairCounts:
    """Return the sum of several counts."""
    if len(parts) == 1:
        return parts[0]
    chunks = [pa.DictionaryArray.from_arrays(pa.array(part.codes, pa.int32()), part.terms) for part in parts]
    unified = pa.chunked_array(chunks).unify_dictionaries()
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in unified.chunks]).astype(np.int64)
    labels = np.concatenate([part.labels for part in parts])
    n_labels = int(labels.max(initial=0)) + 1
    keys = codes * n_labels + labels
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(run_starts(keys))
    code, label = np.divmod(keys[starts], n_labels)
    return PairCounts(
        terms=unified.chunk(0).dictionary,
        codes=code,
        labels=label,
        n_tokens=sums(np.concatenate([part.n_tokens for part in parts])[order], starts),
        n_docs=sums(np.concatenate([part.n_docs for part in parts])[order], starts),
    )
