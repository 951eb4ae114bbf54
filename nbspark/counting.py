"""Documents to counts inside one stream of Arrow batches: the combiner that runs before any shuffle.

Each batch's terms are dictionary-encoded once and counted as integers. The batches of one stream are
merged before anything is emitted, so that a term leaves a worker once for each label, not once for each
document. Sums of sums are the same sums: whatever the batches and streams, the totals are equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from nbspark.errors import DocumentsError
from nbspark.schemas import COUNTS, LABEL_COLUMN, feature_column
from nbspark.text import Tokenizer, has_replacement_character
from nbspark.values import as_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from nbspark.features import Feature
    from nbspark.text import Terms

# Rows about the reading itself, kept beside the counts with a null label: (null, fact, null, 0, rows).
READ, UNLABELLED, EMPTY, UNDECODABLE = ROW_FACTS = ("rows_read", "unlabelled", "without_terms", "undecodable")

BATCH_ROWS = 20_000  # larger batches repeat fewer terms; measured best between 10,000 and 50,000
BATCH_BYTES = 32 << 20  # of Arrow data; bounds memory where documents are long
MERGE_PAIRS = 4_000_000  # distinct (label, term) pairs held before a merge; 24 bytes each
EMIT_ROWS = 100_000  # rows in an emitted batch


@dataclass(frozen=True)
class PairCounts:
    """Sparse counts of one feature: one element per distinct (label, term), sorted by neither.

    Attributes
    ----------
    terms : StringArray, shape (n_terms,)
    labels, codes : int array, shape (n_pairs,)
        Which label, and which of ``terms``.
    n_tokens, n_docs : float64 array, shape (n_pairs,)
    """

    terms: pa.StringArray
    labels: np.ndarray
    codes: np.ndarray
    n_tokens: np.ndarray
    n_docs: np.ndarray


class Counter:
    """Counts of a stream of documents.

    Parameters
    ----------
    features : sequence of Feature

    Examples
    --------
    >>> from nbspark import Text
    >>> docs = pa.record_batch({"label": ["yes", "yes", "no"], "feature_0": ["win cash", "win", None]})
    >>> rows = pa.Table.from_batches(Counter([Text("body")]).count([docs])).to_pylist()
    >>> [(row["label"], row["term"], row["n_tokens"]) for row in rows if row["term"]]
    [('yes', 'win', 2.0), ('yes', 'cash', 1.0)]
    """

    def __init__(self, features: Sequence[Feature]) -> None:
        self.features = list(features)
        self._readers = [Tokenizer(feature) for feature in self.features]
        self._labels: dict[str, int] = {}
        self._pending: list[list[PairCounts]] = [[] for _ in self.features]
        self._facts = dict.fromkeys(ROW_FACTS, 0)
        # By label code; label codes are those of this stream, in order of appearance.
        self._docs = np.zeros(0)
        self._feature_docs = [np.zeros(0) for _ in self.features]
        self._feature_tokens = [np.zeros(0) for _ in self.features]

    def count(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield batches of ``schemas.COUNTS`` for batches of label and feature columns.

        Parameters
        ----------
        batches : iterable of RecordBatch
            Columns ``label`` and ``feature_0``, ``feature_1``, ...: one a feature, in order.
        """
        for batch in gather(batches):
            self._add(batch)
            for i, feature in enumerate(self.features):
                if sum(len(pairs.codes) for pairs in self._pending[i]) > MERGE_PAIRS:
                    merged = merge_pairs(self._pending[i])
                    self._pending[i] = [merged]
                    if len(merged.codes) > MERGE_PAIRS // 2:
                        yield from self._emit(str(feature.name), merged)
                        self._pending[i] = []
        for feature, pending in zip(self.features, self._pending, strict=True):
            if pending:
                yield from self._emit(str(feature.name), merge_pairs(pending))
        yield self._emit_totals()

    def _add(self, batch: pa.Table) -> None:
        """Count one batch into the pending pairs and the totals."""
        labels = as_text(batch[LABEL_COLUMN])
        self._facts[READ] += len(labels)
        self._facts[UNLABELLED] += labels.null_count
        if labels.null_count:
            keep = labels.is_valid()
            batch, labels = batch.filter(keep), labels.filter(keep)
        codes = self._label_codes(labels)
        self._docs = _added(self._docs, codes)
        empty, undecodable = np.ones(len(labels), bool), np.zeros(len(labels), bool)
        for i, read in enumerate(self._readers):
            texts = batch[feature_column(i)]
            terms = read(texts)
            lengths = np.diff(terms.offsets)
            empty &= lengths == 0
            undecodable |= has_replacement_character(texts)
            self._feature_docs[i] = _added(self._feature_docs[i], codes)
            self._feature_tokens[i] = _added(self._feature_tokens[i], codes, lengths)
            self._pending[i].append(count_pairs(terms, codes))
        self._facts[EMPTY] += int(empty.sum())
        self._facts[UNDECODABLE] += int(undecodable.sum())

    def _label_codes(self, labels: pa.StringArray) -> np.ndarray:
        """Return one label code per document."""
        encoded = labels.dictionary_encode()
        known = [self._labels.setdefault(label, len(self._labels)) for label in encoded.dictionary.to_pylist()]
        return np.asarray(known, np.int64)[encoded.indices.to_numpy()]

    def _emit(self, feature: str, pairs: PairCounts) -> Iterator[pa.RecordBatch]:
        """Yield the rows of one feature's pairs."""
        labels = pa.array(list(self._labels), pa.string())
        for start in range(0, len(pairs.codes), EMIT_ROWS):
            part = slice(start, start + EMIT_ROWS)
            n = len(pairs.codes[part])
            yield pa.record_batch(
                [
                    labels.take(pa.array(pairs.labels[part])),
                    pa.repeat(feature, n),
                    pairs.terms.take(pa.array(pairs.codes[part])),
                    pa.array(pairs.n_tokens[part]),
                    pa.array(pairs.n_docs[part]),
                ],
                schema=COUNTS,
            )

    def _emit_totals(self) -> pa.RecordBatch:
        """Return the rows with a null term."""
        rows: list[tuple[str | None, str | None, None, float, float]] = []
        for label, code in self._labels.items():
            rows.append((label, None, None, 0.0, self._docs[code]))
            for i, feature in enumerate(self.features):
                n_tokens, n_docs = self._feature_tokens[i][code], self._feature_docs[i][code]
                rows.append((label, feature.name, None, n_tokens, n_docs))
        rows += [(None, fact, None, 0.0, float(n)) for fact, n in self._facts.items()]
        columns = zip(*rows, strict=True)
        arrays = [pa.array(values, kind.type) for values, kind in zip(columns, COUNTS, strict=True)]
        return pa.record_batch(arrays, schema=COUNTS)


def gather(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yield tables of about ``BATCH_ROWS`` rows, or ``BATCH_BYTES``, from smaller batches."""
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        held.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= BATCH_ROWS or size >= BATCH_BYTES:
            yield pa.Table.from_batches(held)
            held, rows, size = [], 0, 0
    if held:
        yield pa.Table.from_batches(held)


def count_pairs(terms: Terms, labels: np.ndarray) -> PairCounts:
    """Return the counts of each (label, term) that occurs.

    Parameters
    ----------
    terms : Terms
        The documents' terms.
    labels : int64 array, shape (n_docs,)

    Notes
    -----
    One sort of integers that pack (label, term, document): runs of equal (label, term) are the groups,
    and the changes of document within a run are its documents.
    """
    encoded = terms.values.dictionary_encode()
    codes = encoded.indices.to_numpy().astype(np.int64)
    n_docs, n_terms = len(labels), max(1, len(encoded.dictionary))
    doc_bits = max(1, int(n_docs - 1).bit_length())
    if (int(labels.max(initial=0)) + 1) * n_terms >= 1 << (63 - doc_bits):
        raise DocumentsError(
            f"a batch of {n_docs} documents with {n_terms} distinct terms and label code {int(labels.max())} "
            "is too large to count in 64 bits. Lower spark.sql.execution.arrow.maxRecordsPerBatch."
        )
    docs = np.repeat(np.arange(n_docs), np.diff(terms.offsets))
    keys = ((labels[docs] * n_terms + codes) << doc_bits) | docs
    keys.sort()
    pairs = keys >> doc_bits
    starts = _run_starts(pairs)
    first_of_doc = np.zeros(len(keys) + 1, np.int64)
    np.cumsum(np.r_[True, keys[1:] != keys[:-1]][: len(keys)], out=first_of_doc[1:])
    ends = np.r_[starts[1:], len(keys)]
    label, code = np.divmod(pairs[starts], n_terms)
    return PairCounts(
        terms=encoded.dictionary,
        labels=label,
        codes=code,
        n_tokens=(ends - starts).astype(np.float64),
        n_docs=(first_of_doc[ends] - first_of_doc[starts]).astype(np.float64),
    )


def merge_pairs(parts: Sequence[PairCounts]) -> PairCounts:
    """Return the sum of several counts: one element per distinct (label, term)."""
    if len(parts) == 1:
        return parts[0]
    chunks = [pa.DictionaryArray.from_arrays(pa.array(part.codes, pa.int32()), part.terms) for part in parts]
    unified = pa.chunked_array(chunks).unify_dictionaries()
    terms = unified.chunk(0).dictionary
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in unified.chunks]).astype(np.int64)
    keys = np.concatenate([part.labels for part in parts]) * max(1, len(terms)) + codes
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = _run_starts(keys)
    label, code = np.divmod(keys[starts], max(1, len(terms)))
    return PairCounts(
        terms=terms,
        labels=label,
        codes=code,
        n_tokens=_sums(np.concatenate([part.n_tokens for part in parts])[order], starts),
        n_docs=_sums(np.concatenate([part.n_docs for part in parts])[order], starts),
    )


def _run_starts(keys: np.ndarray) -> np.ndarray:
    """Return where each run of equal values starts."""
    if not len(keys):
        return np.zeros(0, np.int64)
    return np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])


def _sums(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the sum of each run."""
    return np.add.reduceat(values, starts) if len(starts) else np.zeros(0)


def _added(totals: np.ndarray, codes: np.ndarray, values: np.ndarray | None = None) -> np.ndarray:
    """Return totals by label code after adding a batch; a new label makes the array longer."""
    sums = np.bincount(codes, weights=values, minlength=len(totals)).astype(np.float64)
    sums[: len(totals)] += totals
    return sums
