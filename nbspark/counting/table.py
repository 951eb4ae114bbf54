"""The counts of a model in memory: sparse, one element per (label, term) that training saw."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.decimals import sums, sums_by_code
from nbspark.arrays.moments import Moments
from nbspark.arrays.runs import counting_sort, run_starts
from nbspark.arrays.sorting import ranked
from nbspark.arrays.strings import offsets_of
from nbspark.counting.checks import require_counts, require_fewer, require_known_labels, require_moments, require_sound
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
        """Return the counts of rows of ``schemas.COUNTS``; rows of one key are merged.

        Raises
        ------
        StoreError
            The rows cannot be counts: a label without its documents, numbers below 0 or not finite, more documents
            with a term than there are.

        Examples
        --------
        One document of spam, "win cash win", and one of ham, "cash", without the facts about rows:

        >>> rows = [
        ...     ("spam", "body", "win", 2.0, 1.0),
        ...     ("spam", "body", "cash", 1.0, 1.0),
        ...     ("ham", "body", "cash", 1.0, 1.0),
        ...     ("spam", "body", None, 3.0, 1.0),
        ...     ("ham", "body", None, 1.0, 1.0),
        ...     ("spam", None, None, 0.0, 1.0),
        ...     ("ham", None, None, 0.0, 1.0),
        ... ]
        >>> from nbspark.schemas import COUNTS
        >>> table = CountTable.from_arrow(
        ...     pa.Table.from_pylist([dict(zip(COUNTS.names, row)) for row in rows], schema=COUNTS)
        ... )
        >>> table.labels, table.docs.tolist()  # the classes are 0 and 1
        (['ham', 'spam'], [1.0, 1.0])
        >>> body = table.features["body"]
        >>> body.terms.to_pylist(), body.indptr.tolist()  # the first term has the pairs 0 and 1, the second the pair 2
        (['cash', 'win'], [0, 2, 3])
        >>> body.classes.tolist(), body.n_tokens.tolist()
        ([0, 1, 1], [1.0, 1.0, 2.0])
        """
        label, names = _coded(counts["label"])
        feature, features = _coded(counts["feature"])
        terms = ranked(_plain(counts["term"]))
        require_sound(counts, label, feature, terms[0])
        of_class = (label >= 0) & (feature < 0)
        used = np.unique(label[of_class])
        labels = names.take(pa.array(used))
        order = pc.array_sort_indices(labels).to_numpy()
        class_of = np.full(len(names) + 1, -1, np.int32)  # by label code; last, that of no label
        class_of[used[order]] = np.arange(len(used))
        classes = class_of[label]
        require_known_labels(names.take(pa.array(np.unique(label[(label >= 0) & (classes < 0)]))))
        n_docs = counts["n_docs"].to_numpy()
        made = cls(
            labels=labels.take(pa.array(order)).to_pylist(),
            docs=sums_by_code(classes[of_class], n_docs[of_class], len(used)),
            features={
                str(name): _feature_counts(counts, (feature == code) & (label >= 0), classes, len(used), terms)
                for code, name in enumerate(features.to_pylist())
                if ((feature == code) & (label >= 0)).any()
            },
        )
        made._require_parts()
        return made

    def _require_parts(self) -> None:
        """Raise StoreError if a count is below 0, or more documents have a feature, or a term, than there are."""
        require_counts(self.docs, "documents of a class")
        for name, one in self.features.items():
            require_counts(one.n_tokens, f"{name}: tokens of a term")
            require_counts(np.bincount(one.classes, weights=one.n_tokens), f"{name}: tokens of a class")
            require_counts(one.n_docs, f"{name}: documents with a term")
            require_counts(one.docs, f"{name}: documents that have the feature")
            require_fewer(one.docs, self.docs, f"{name}: documents that have the feature", "of the class")
            require_fewer(one.n_docs, one.docs[one.classes], f"{name}: documents with a term", "that have the feature")


def _coded(texts: pa.ChunkedArray) -> tuple[np.ndarray, pa.StringArray]:
    """Return each text's code, -1 for null, and the texts that the codes point to."""
    if not pa.types.is_dictionary(texts.type):
        texts = texts.dictionary_encode()
    joined = pa.concat_arrays(texts.unify_dictionaries().chunks or [pa.array([], texts.type)])
    return pc.fill_null(joined.indices, -1).to_numpy(), joined.dictionary


def _plain(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return texts as strings, where they are codes of strings."""
    return texts.cast(pa.string()) if pa.types.is_dictionary(texts.type) else texts


def _feature_counts(
    counts: pa.Table, rows: np.ndarray, classes: np.ndarray, n_classes: int, term: tuple[np.ndarray, pa.StringArray]
) -> FeatureCounts:
    """Return one feature's rows, sorted by term and class; rows of one key become one.

    Parameters
    ----------
    rows : bool array, shape (n_rows,)
        Which rows of the counts are the feature's.
    classes : int32 array, shape (n_rows,)
        Of each row, checked: from 0 to ``n_classes`` - 1 where ``rows`` is true.
    term : (int array, StringArray)
        The rank of each row's term, -1 for a total, and the terms in string order.

    Examples
    --------
    Five rows, the fourth and fifth of two batches: ("win", class 1), ("cash", 1), ("cash", 0), ("win", 1), total of 1.

    >>> n_tokens, n_docs = [2.0, 1.0, 1.0, 3.0, 6.0], [1.0, 1.0, 1.0, 1.0, 2.0]
    >>> counts = pa.table({"n_tokens": n_tokens, "n_docs": n_docs, "mean": pa.nulls(5, pa.float64())})
    >>> term = np.array([1, 0, 0, 1, -1]), pa.array(["cash", "win"])
    >>> found = _feature_counts(counts, np.ones(5, bool), np.array([1, 1, 0, 1, 1]), 2, term)
    >>> found.terms.to_pylist(), found.indptr.tolist()
    (['cash', 'win'], [0, 2, 3])
    >>> found.classes.tolist(), found.n_tokens.tolist(), found.docs.tolist()  # 5 = 2 + 3
    ([0, 1, 1], [1.0, 1.0, 5.0], [0.0, 2.0])
    """
    codes, texts = term
    n_tokens, n_docs = counts["n_tokens"].to_numpy(), counts["n_docs"].to_numpy()
    totals = np.flatnonzero(rows & (codes < 0))
    pairs = np.flatnonzero(rows & (codes >= 0))
    used = np.flatnonzero(np.bincount(codes[pairs], minlength=len(texts)))
    place = np.zeros(len(texts), np.int32)
    place[used] = np.arange(len(used))
    by_class = pairs[counting_sort(classes[pairs], n_classes)]
    order = by_class[counting_sort(place[codes[by_class]], len(used))]
    of_term, label = place[codes[order]], classes[order]
    starts = np.flatnonzero(run_starts(of_term) | run_starts(label))
    return FeatureCounts(
        terms=texts if len(used) == len(texts) else texts.take(pa.array(used)),
        indptr=offsets_of(np.bincount(of_term[starts], minlength=len(used))),
        classes=label[starts],
        n_tokens=sums(n_tokens[order], starts),
        n_docs=sums(n_docs[order], starts),
        docs=sums_by_code(classes[totals], n_docs[totals], n_classes),
        moments=_moments(counts, totals, classes[totals], n_classes),
    )


def _moments(counts: pa.Table, rows: np.ndarray, classes: np.ndarray, n_classes: int) -> list[Moments] | None:
    """Return the moments of each class, given the rows of totals and their classes; None where the rows have none."""
    if counts["mean"].null_count == len(counts):  # as of text: no need to take rows out of large columns
        return None
    totals = counts.select(["n_docs", *MOMENTS]).take(pa.array(rows))
    has = totals["mean"].is_valid().to_numpy()
    if not has.any():
        return None
    moments = [Moments() for _ in range(n_classes)]
    values = require_moments(totals.filter(pa.array(has))).to_pydict()
    for code, stored in zip(classes[has], zip(*values.values(), strict=True), strict=True):
        moments[code] += Moments.from_stored(*stored)
    return moments
