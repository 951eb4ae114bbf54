"""Documents to counts inside one stream of Arrow batches: the combiner that runs before any shuffle.

Terms become integers, which are counted some million at a time. All of a stream is merged before anything is emitted,
so that a term leaves a worker once, its labels packed, not once for each document. Sums of sums are the same sums:
whatever the batches and streams, the totals are equal.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from nbspark.arrays.batches import gather
from nbspark.arrays.decimals import rounded, sums_by_code
from nbspark.arrays.moments import Moments
from nbspark.arrays.ngrams import count_ngrams
from nbspark.arrays.packing import NO_LABEL, pack_labels, pack_numbers
from nbspark.arrays.runs import run_starts, sums_between
from nbspark.arrays.strings import offsets_of
from nbspark.arrays.term_codes import PackedTerms
from nbspark.counting.facts import EMPTY, MISSING, READ, ROW_FACTS, UNDECODABLE, UNLABELLED
from nbspark.counting.pairs import LabelledTerms, PairCounter, PairCounts
from nbspark.counting.parcels import pack_pairs, pack_totals
from nbspark.features.occurrences import reader_of
from nbspark.features.undecodable import is_undecodable
from nbspark.features.values import as_numbers, as_text, require_counts
from nbspark.schemas import LABEL_COLUMN, PACKED_COUNTS, WEIGHT_COLUMN, feature_column

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from nbspark.spec import Spec


class Counter:
    """Counts of a stream of documents, for Spark to merge with those of other streams.

    Parameters
    ----------
    spec : Spec
        Resolved: stop words as a list.

    Examples
    --------
    >>> from nbspark import NaiveBayes, Text
    >>> from nbspark.counting.parcels import merge_parcels
    >>> docs = pa.record_batch({"label": ["yes", "yes", "no"], "feature_0": ["win cash", "win", None]})
    >>> parcels = Counter(NaiveBayes("label", [Text("body")])).count([docs])
    >>> rows = pa.Table.from_batches(merge_parcels(parcels)).to_pylist()
    >>> sorted((row["term"], row["label"], row["n_tokens"]) for row in rows if row["label"] and row["term"])
    [('cash', 'yes', 1.0), ('win', 'yes', 2.0)]
    """

    def __init__(self, spec: Spec) -> None:
        self._features = spec.features
        self._weighted = spec.weight is not None
        self._weight = f"the weight column {spec.weight!r}"
        self._readers = {i: reader_of(f) for i, f in enumerate(spec.features) if f.has_terms}
        self._pairs = {i: PairCounter() for i in self._readers}
        self._labels: dict[str, int] = {}  # codes of this stream, in order of appearance
        self._docs = np.zeros(0)  # by label code, as the next two
        self._feature_docs = [np.zeros(0) for _ in spec.features]
        self._feature_tokens = [np.zeros(0) for _ in spec.features]
        self._moments: dict[tuple[int, int], Moments] = defaultdict(Moments)  # by feature and label code
        self._facts: dict[tuple[str, str | None], int] = dict.fromkeys([(fact, None) for fact in ROW_FACTS[:-1]], 0)

    def count(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield batches of ``schemas.PARCELS`` for batches of documents.

        Parameters
        ----------
        batches : iterable of RecordBatch
            Columns ``label``, ``weight`` if the spec has one, and ``feature_0``, ``feature_1``, ...
        """
        for batch in gather(batches):
            self._add(batch)
            for i, pairs in self._pairs.items():
                yield from self._emit(i, pairs.take_excess())
        for i, pairs in self._pairs.items():
            yield from self._emit(i, pairs.take())
        yield pack_totals(self._totals())

    def _add(self, batch: pa.Table) -> None:
        """Count one batch into the pending pairs and the totals."""
        labels = as_text(batch[LABEL_COLUMN])
        self._facts[READ, None] += len(labels)
        self._facts[UNLABELLED, None] += labels.null_count
        if labels.null_count:
            keep = labels.is_valid()
            batch, labels = batch.filter(keep), labels.filter(keep)
        if self._weighted:  # weight 0 is as if the row were not there: neither its label nor its terms are learned
            counts = rounded(require_counts(batch[WEIGHT_COLUMN].combine_chunks(), self._weight, "weight")) > 0
            batch, labels = batch.filter(pa.array(counts)), labels.filter(pa.array(counts))
        codes = self._label_codes(labels)
        weights = None
        if self._weighted:
            weights = rounded(batch[WEIGHT_COLUMN].combine_chunks().to_numpy(zero_copy_only=False))
        self._docs = _added(self._docs, codes, weights)
        empty, undecodable = np.ones(len(labels), bool), is_undecodable(labels)
        for i, feature in enumerate(self._features):
            values = batch[feature_column(i)].combine_chunks()
            if feature.has_terms:
                present = self._add_terms(i, values, codes, weights, empty)
            else:
                present = self._add_numbers(i, as_numbers(values, feature.column), codes, weights)
            undecodable |= is_undecodable(values)
            self._facts[MISSING, feature.name] = self._facts.get((MISSING, feature.name), 0) + int((~present).sum())
        self._facts[EMPTY, None] += int(empty.sum())
        self._facts[UNDECODABLE, None] += int(undecodable.sum())

    def _add_terms(
        self, i: int, values: pa.Array, codes: np.ndarray, weights: np.ndarray | None, empty: np.ndarray
    ) -> np.ndarray:
        """Count a feature's terms; return which documents have the feature, and mark those with a term not empty."""
        present = np.ones(len(codes), bool)
        of_docs = np.ones(len(codes)) if weights is None else weights
        tokens = np.zeros(len(codes))
        done = 0
        for found in self._readers[i](values):
            lengths = np.diff(found.offsets)
            docs = slice(done, done := done + len(lengths))
            n_terms = count_ngrams(lengths, found.ngrams)
            empty[docs] &= n_terms == 0
            n = None if found.n is None else rounded(found.n)
            if n is None or weights is None:
                tokens[docs] = of_docs[docs] * (n_terms if n is None else sums_between(n, found.offsets))
            else:  # each product is rounded, as where the pairs are counted
                tokens[docs] = sums_between(rounded(np.repeat(weights[docs], lengths) * n), found.offsets)
            if found.present is not None:
                present[docs] = found.present
            own = None if weights is None else weights[docs]
            packed = PackedTerms.of(found.terms)
            self._pairs[i].add(LabelledTerms(packed, lengths, codes[docs], n, own, found.ngrams))
        self._feature_docs[i] = _added(self._feature_docs[i], codes, of_docs * present)
        self._feature_tokens[i] = _added(self._feature_tokens[i], codes, tokens)
        return present

    def _add_numbers(self, i: int, values: np.ndarray, codes: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
        """Add a numeric feature's values to the moments of their labels; return which documents have one."""
        present = ~np.isnan(values)
        order = np.flatnonzero(present)[np.argsort(codes[present], kind="stable")]
        starts = np.flatnonzero(run_starts(codes[order]))
        for part in np.split(order, starts[1:]) if len(order) else []:
            own = None if weights is None else weights[part]
            self._moments[i, int(codes[part[0]])] += Moments.of(values[part], own)
        of_docs = np.ones(len(codes)) if weights is None else weights
        self._feature_docs[i] = _added(self._feature_docs[i], codes, of_docs * present)
        self._feature_tokens[i] = _added(self._feature_tokens[i], codes, np.zeros(len(codes)))
        return present

    def _label_codes(self, labels: pa.StringArray) -> np.ndarray:
        """Return one label code per document."""
        encoded = labels.dictionary_encode()
        known = [self._labels.setdefault(label, len(self._labels)) for label in encoded.dictionary.to_pylist()]
        return np.asarray(known, np.int64)[encoded.indices.to_numpy()]

    def _emit(self, i: int, parts: list[PairCounts]) -> Iterator[pa.RecordBatch]:
        """Yield the parcels of one feature's pairs."""
        labels = pa.array(list(self._labels), pa.string())
        for pairs in parts:
            yield from pack_pairs(self._features[i].name, labels, pairs)

    def _totals(self) -> pa.RecordBatch:
        """Return the rows with a null term, and those of the facts."""
        rows: list[tuple[str | None, str | None, str, np.ndarray, np.ndarray, np.ndarray]] = []
        nothing = np.zeros(0)
        if self._labels:
            codes = np.arange(len(self._labels))
            [labels] = pack_labels(pa.array(list(self._labels), pa.string()), codes, [0, len(codes)]).to_pylist()
            rows.append((None, None, labels, np.zeros(len(codes)), self._docs, nothing))
            for i, feature in enumerate(self._features):
                numbers = [self._moments[i, int(code)].stored()[1:] for code in codes if not feature.has_terms]
                rows.append(
                    (feature.name, None, labels, self._feature_tokens[i], self._feature_docs[i], np.ravel(numbers))
                )
        one = np.ones(1)
        rows += [(fact, detail, NO_LABEL, 0 * one, n * one, nothing) for (fact, detail), n in self._facts.items()]
        *texts, n_tokens, n_docs, moments = zip(*rows, strict=True)
        packed = [
            pack_numbers(np.concatenate(part), offsets_of(np.array([len(one) for one in part])))
            for part in (n_tokens, n_docs, moments)
        ]
        return pa.record_batch([*(pa.array(part, pa.string()) for part in texts), *packed], schema=PACKED_COUNTS)


def _added(totals: np.ndarray, codes: np.ndarray, values: np.ndarray | None = None) -> np.ndarray:
    """Return totals by label code after adding a batch; a new label makes the array longer."""
    values = np.ones(len(codes)) if values is None else values
    n_codes = max(len(totals), int(codes.max(initial=-1)) + 1)
    return sums_by_code(np.r_[codes, np.arange(len(totals))], np.r_[values, totals], n_codes)
