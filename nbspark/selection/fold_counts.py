"""The counts of every fold from one pass, and those of a training: the total less one fold. No pyspark in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from nbspark.arrays.decimals import is_whole, sums, sums_by_code
from nbspark.arrays.moments import Moments
from nbspark.arrays.runs import counting_sort, run_starts
from nbspark.arrays.strings import offsets_of
from nbspark.counting.table import CountTable, FeatureCounts
from nbspark.errors import DocumentsError
from nbspark.selection.folds import MOST_FOLDS, fold_and_label, in_order


@dataclass(frozen=True)
class FeatureFolds:
    """Counts of one feature: of all folds together, and of each.

    Attributes
    ----------
    total : FeatureCounts
    indptr : int64 array, shape (n_folds + 1,)
        The pairs of fold k are ``indptr[k]:indptr[k + 1]`` of the next three.
    places : int32 array, shape (n_pairs of all folds,)
        Which pair of the total each is.
    n_tokens, n_docs : float64 array, shape (n_pairs of all folds,)
    docs : float64 array, shape (n_folds, n_classes)
        Documents that have the feature.
    moments : list of list of Moments, or None
        By fold and class, where the feature is numeric.
    """

    total: FeatureCounts
    indptr: np.ndarray
    places: np.ndarray
    n_tokens: np.ndarray
    n_docs: np.ndarray
    docs: np.ndarray
    moments: list[list[Moments]] | None

    @cached_property
    def _n_folds(self) -> np.ndarray:
        """In how many folds each pair of the total is."""
        return np.bincount(self.places, minlength=len(self.total.classes))

    def without(self, fold: int, classes: np.ndarray) -> tuple[FeatureCounts, np.ndarray]:
        """Return the counts of the other folds, and whether each term of the total is in them.

        Parameters
        ----------
        classes : int array
            The codes of the classes that the other folds have, ascending; they get the codes 0, 1, ...
        """
        own = slice(self.indptr[fold], self.indptr[fold + 1])
        places = self.places[own]
        left = np.ones(len(self.total.classes), bool)
        left[places] = self._n_folds[places] > 1
        pairs_before = offsets_of(left)
        indptr = pairs_before[self.total.indptr]
        kept = np.diff(indptr) > 0
        n_tokens, n_docs = (
            _less(all_folds, places, of_fold[own])[left]
            for all_folds, of_fold in ((self.total.n_tokens, self.n_tokens), (self.total.n_docs, self.n_docs))
        )
        code = np.full(self.docs.shape[1], -1, np.int32)
        code[classes] = np.arange(len(classes))
        counts = FeatureCounts(
            terms=self.total.terms.filter(pa.array(kept)),
            indptr=np.r_[indptr[:-1][kept], indptr[-1:]],
            classes=code[self.total.classes[left]],
            n_tokens=n_tokens,
            n_docs=n_docs,
            docs=_less(self.total.docs, np.arange(len(self.total.docs)), self.docs[fold])[classes],
            moments=self._moments_without(fold, classes),
        )
        return counts, kept

    def _moments_without(self, fold: int, classes: np.ndarray) -> list[Moments] | None:
        """Return the moments of the other folds, class by class: added up, which is as exact as to subtract."""
        if self.moments is None:
            return None
        others = [one for k, one in enumerate(self.moments) if k != fold]
        return [sum((one[code] for one in others), Moments()) for code in classes]


class Training(NamedTuple):
    """What all folds but one are learned as.

    Attributes
    ----------
    counts : CountTable
        Equal to those of a training without the fold's documents.
    kept : dict of str to bool array
        Whether each term of the total is in it, by feature.
    """

    counts: CountTable
    kept: dict[str, np.ndarray]


@dataclass(frozen=True)
class FoldCounts:
    """The counts of a spec by fold.

    Attributes
    ----------
    folds : list of str
        Their names, in order; those with a document that can be learned.
    labels : list of str
        The classes in string order.
    docs : float64 array, shape (n_folds, n_classes)
    features : dict of str to FeatureFolds
    """

    folds: list[str]
    labels: list[str]
    docs: np.ndarray
    features: dict[str, FeatureFolds]

    @classmethod
    def from_arrow(cls, counts: pa.Table) -> FoldCounts:
        """Return the counts of rows of ``schemas.COUNTS`` whose labels name the fold, too.

        Raises
        ------
        DocumentsError
            There are fewer than two folds, or far too many.
        """
        table = CountTable.from_arrow(counts)
        both = [fold_and_label(label) for label in table.labels]
        folds, labels = in_order(list({fold for fold, _ in both})), sorted({label for _, label in both})
        _require_number(folds)
        fold_of = np.array([folds.index(fold) for fold, _ in both])
        code = {label: i for i, label in enumerate(labels)}
        class_of = np.array([code[label] for _, label in both])
        docs = np.zeros((len(folds), len(labels)))
        docs[fold_of, class_of] = table.docs
        features = {name: _by_fold(one, fold_of, class_of, docs.shape) for name, one in table.features.items()}
        return cls(folds, labels, docs, features)

    @cached_property
    def total(self) -> CountTable:
        """The counts of all folds."""
        docs = np.array([_sum(column) for column in self.docs.T])
        return CountTable(self.labels, docs, {name: one.total for name, one in self.features.items()})

    def without(self, fold: int | None) -> Training:
        """Return what all folds but one are learned as; what all are, for None.

        Raises
        ------
        DocumentsError
            The fold has every document.
        """
        if fold is None:
            return Training(
                self.total, {name: np.ones(len(one.total.terms), bool) for name, one in self.features.items()}
            )
        classes = np.flatnonzero((np.delete(self.docs, fold, axis=0) > 0).any(axis=0))
        found = {name: one.without(fold, classes) for name, one in self.features.items()}
        docs = _less(self.total.docs, np.arange(len(self.labels)), self.docs[fold])[classes]
        features = {name: counts for name, (counts, _) in found.items()}
        labels = [self.labels[code] for code in classes]
        return Training(CountTable(labels, docs, features), {name: kept for name, (_, kept) in found.items()})


def _by_fold(counts: FeatureCounts, fold_of: np.ndarray, class_of: np.ndarray, shape: tuple[int, int]) -> FeatureFolds:
    """Return a feature's counts by fold and class.

    Parameters
    ----------
    counts : FeatureCounts
        Its classes are the labels that name the fold, too.
    fold_of, class_of : int array
        Fold and class of each such label.
    shape : (int, int)
        How many folds and classes there are.
    """
    n_folds, n_classes = shape
    term = np.repeat(np.arange(len(counts.terms), dtype=np.int32), np.diff(counts.indptr))
    by_class = counting_sort(class_of[counts.classes], n_classes)
    order = by_class[counting_sort(term[by_class], len(counts.terms))]
    term, code = term[order], class_of[counts.classes][order]
    is_first = run_starts(term) | run_starts(code)
    starts = np.flatnonzero(is_first)
    places = np.cumsum(is_first, dtype=np.int32) - np.int32(1)
    n_tokens, n_docs = counts.n_tokens[order], counts.n_docs[order]
    docs = np.zeros(shape)
    docs[fold_of, class_of] = counts.docs
    moments = None
    if counts.moments is not None:
        moments = [[Moments() for _ in range(n_classes)] for _ in range(n_folds)]
        for fold, one, found in zip(fold_of, class_of, counts.moments, strict=True):
            moments[fold][one] = found
    total = FeatureCounts(
        terms=counts.terms,
        indptr=np.searchsorted(term[starts], np.arange(len(counts.terms) + 1)),
        classes=code[starts].astype(np.int32),
        n_tokens=sums(n_tokens, starts),
        n_docs=sums(n_docs, starts),
        docs=sums_by_code(class_of, counts.docs, n_classes),
        moments=None if moments is None else [sum(of_class, Moments()) for of_class in zip(*moments, strict=True)],
    )
    fold = fold_of[counts.classes][order]
    by_fold = counting_sort(fold, n_folds)
    indptr = np.r_[0, np.cumsum(np.bincount(fold, minlength=n_folds))]
    return FeatureFolds(total, indptr, places[by_fold], n_tokens[by_fold], n_docs[by_fold], docs, moments)


def _less(total: np.ndarray, places: np.ndarray, parts: np.ndarray) -> np.ndarray:
    """Return sums without one part each, exact where the parts are decimals, too.

    >>> _less(np.array([0.6, 5.0]), np.array([0]), np.array([0.3])).tolist()
    [0.3, 5.0]
    """
    less = total.copy()
    of_parts = total[places]
    if is_whole(parts) and is_whole(of_parts):
        less[places] = of_parts - parts
    else:
        less[places] = sums(np.column_stack([of_parts, -parts]).ravel(), np.arange(0, 2 * len(parts), 2))
    return less


def _sum(values: np.ndarray) -> float:
    """Return the sum of some documents, exact where they are decimals."""
    return float(sums(values, np.zeros(1, np.int64))[0])


def _require_number(folds: list[str]) -> None:
    """Raise an error unless there are some folds, and not too many."""
    if len(folds) < 2:
        raise DocumentsError(
            f"documents: all that have a label are in one fold, {folds}. Folds go by content, or by the column that is "
            "given: take another column, or more documents."
        )
    if len(folds) > MOST_FOLDS:
        raise DocumentsError(
            f"documents: {len(folds):,} folds, such as {folds[:5]}; at most {MOST_FOLDS:,} are tried. Name a column "
            "with few values, or --group COLUMN to keep together what has one value."
        )
