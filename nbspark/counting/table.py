"""The counts of a model in memory: sparse, one element per (label, term) that training saw."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.counting.runs import run_starts, sums
from nbspark.moments import Moments
from nbspark.schemas import MOMENTS


@dataclass(frozen=True)
class FeatureCounts:
    """Counts of one feature, term after term; terms and classes in string order.

    Attributes
    ----------
    terms : StringArray, shape (n_terms,)
    indptr : int64 array, shape (n_terms + 1,)
        The pairs of term t are ``indptr[t]:indptr[t + 1]``.
    classes : int32 array, shape (n_pairs,)
    n_tokens, n_docs : float64 array, shape (n_pairs,)
    docs : float64 array, shape (n_classes,)
        Documents of each class that have the feature.
    moments : list of Moments, or None
        Of each class's values, where the feature is numeric; it then has no terms.
    """

    terms: pa.StringArray
    indptr: np.ndarray
    classes: np.ndarray
    n_tokens: np.ndarray
    n_docs: np.ndarray
    docs: np.ndarray
    moments: list[Moments] | None = None

    def select(self, keep: np.ndarray) -> FeatureCounts:
        """Return the counts of the terms for which ``keep`` is true."""
        pairs = np.repeat(keep, np.diff(self.indptr))
        return replace(
            self,
            terms=self.terms.filter(pa.array(keep)),
            indptr=np.r_[0, np.cumsum(np.diff(self.indptr)[keep])],
            classes=self.classes[pairs],
            n_tokens=self.n_tokens[pairs],
            n_docs=self.n_docs[pairs],
        )

    def sum_by_term(self, per_pair: np.ndarray) -> np.ndarray:
        """Return the sum over pairs for each term."""
        return sums(per_pair, self.indptr[:-1]) if len(per_pair) else np.zeros(len(self.terms))


@dataclass(frozen=True)
class CountTable:
    """The counts of a model in memory.

    Attributes
    ----------
    labels : list of str
        The classes in string order; a class's code is its position.
    docs : float64 array, shape (n_classes,)
        Documents of each class.
    features : dict of str to FeatureCounts
    """

    labels: list[str]
    docs: np.ndarray
    features: dict[str, FeatureCounts]

    @classmethod
    def from_arrow(cls, counts: pa.Table) -> CountTable:
        """Return the counts of rows of ``schemas.COUNTS``; rows of one key are merged."""
        counts = counts.filter(pc.is_valid(counts["label"]))
        of_class = counts.filter(pc.is_null(counts["feature"]))
        names = pa.array(sorted(of_class["label"].unique().to_pylist()), pa.string())
        rows = counts.filter(pc.is_valid(counts["feature"]))
        features = {
            name: _feature_counts(rows.filter(pc.equal(rows["feature"], name)), names)
            for name in rows["feature"].unique().to_pylist()
        }
        return cls(names.to_pylist(), _sum_by_class(of_class, names, "n_docs"), features)


def _codes(labels: pa.ChunkedArray, names: pa.StringArray) -> np.ndarray:
    """Return each label's position among the names."""
    return pc.index_in(labels.combine_chunks(), names).to_numpy(zero_copy_only=False).astype(np.int64)


def _sum_by_class(rows: pa.Table, names: pa.StringArray, measure: str) -> np.ndarray:
    """Return a measure summed for each class."""
    return np.bincount(_codes(rows["label"], names), weights=rows[measure].to_numpy(), minlength=len(names))


def _feature_counts(rows: pa.Table, names: pa.StringArray) -> FeatureCounts:
    """Return one feature's rows, sorted by term and class."""
    pairs = rows.filter(pc.is_valid(rows["term"]))
    totals = rows.filter(pc.is_null(rows["term"]))
    encoded = pairs["term"].combine_chunks().dictionary_encode()
    by_name = pc.array_sort_indices(encoded.dictionary).to_numpy()
    rank = np.empty(len(by_name), np.int64)
    rank[by_name] = np.arange(len(by_name))
    keys = rank[encoded.indices.to_numpy()] * len(names) + _codes(pairs["label"], names)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(run_starts(keys))
    term, label = np.divmod(keys[starts], len(names))
    return FeatureCounts(
        terms=encoded.dictionary.take(pa.array(by_name)),
        indptr=np.searchsorted(term, np.arange(len(by_name) + 1)),
        classes=label.astype(np.int32),
        n_tokens=sums(pairs["n_tokens"].to_numpy()[order], starts),
        n_docs=sums(pairs["n_docs"].to_numpy()[order], starts),
        docs=_sum_by_class(totals, names, "n_docs"),
        moments=_moments(totals, names),
    )


def _moments(totals: pa.Table, names: pa.StringArray) -> list[Moments] | None:
    """Return the moments of each class, or None where the rows have none."""
    totals = totals.filter(pc.is_valid(totals["mean"]))
    if not totals.num_rows:
        return None
    moments = [Moments() for _ in names]
    values = totals.select(["n_docs", *MOMENTS]).to_pydict()
    for code, stored in zip(_codes(totals["label"], names), zip(*values.values(), strict=True), strict=True):
        moments[code] += Moments.from_stored(*stored)
    return moments
