"""The same model by scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer  # type: ignore[import-untyped]
from sklearn.naive_bayes import CategoricalNB, GaussianNB, MultinomialNB  # type: ignore[import-untyped]

from nbspark import Categorical, Numeric, Text
from nbspark.arrays.batches import join_given
from nbspark.arrays.ngrams import TOKENS
from nbspark.features import Feature
from nbspark.features.occurrences import reader_of

COMMON = 100  # rows with a value, so that it is in every training set


class Peer:
    """The same model by scikit-learn, of the same terms.

    Text is counted into a matrix for MultinomialNB. Categorical columns are CategoricalNB's where no value is missing
    or so rare that a fold may be without it; else, and beside other features, each is a one-hot matrix for a
    MultinomialNB of its own, in which a row without a known value has no 1. Numbers are GaussianNB's. Scores of
    several are added, the prior once.
    """

    def __init__(self, features: Sequence[Feature], columns: Sequence[pa.Array], labels: pa.Array) -> None:
        self._labels = np.array(labels.to_pylist(), object)
        by_kind = list(zip(features, columns, strict=True))
        numbers = [column.to_numpy() for feature, column in by_kind if isinstance(feature, Numeric)]
        self._numbers = np.column_stack(numbers) if numbers else None
        self._categories = None
        if all(isinstance(feature, Categorical) and _is_common(column) for feature, column in by_kind):
            codes = [column.dictionary_encode().indices.to_numpy() for column in columns]
            self._categories, self.name = np.column_stack(codes), "CategoricalNB"
            return
        self._matrices = [
            occurrences(feature, column) for feature, column in by_kind if isinstance(feature, Text | Categorical)
        ]
        alone = len(self._matrices) == 1 and not numbers
        self.name = "MultinomialNB" if alone else f"none; {len(self._matrices)} MultinomialNB"
        self.name += " + GaussianNB" if numbers else ""

    def score(self, train: np.ndarray, test: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the classes, and the joint log-likelihood of each tested row and class."""
        y = self._labels[train]
        if self._categories is not None:
            model = CategoricalNB(alpha=alpha).fit(self._categories[train], y)
            return model.classes_, model.predict_joint_log_proba(self._categories[test])
        total, n_models = 0.0, 0
        for matrix in self._matrices:
            learned = matrix[train]
            seen = np.flatnonzero(learned.sum(axis=0))  # the vocabulary is that of the training rows
            model = MultinomialNB(alpha=alpha).fit(learned[:, seen], y)
            total = total + model.predict_joint_log_proba(matrix[test][:, seen])
            n_models += 1
        if self._numbers is not None:
            total = total + GaussianNB().fit(self._numbers[train], y).predict_joint_log_proba(self._numbers[test])
            n_models += 1
        return model.classes_, total - (n_models - 1) * model.class_log_prior_


def _is_common(column: pa.Array) -> bool:
    """Say whether no value is missing, nor so rare that a training set may be without it."""
    return not column.null_count and pc.min(column.value_counts().field("counts")).as_py() >= COMMON


def occurrences(feature: Text | Categorical, column: pa.Array) -> sparse.csr_array:
    """Return how often each row has each term; only whether, if that is the event."""
    read = reader_of(feature)
    parts = list(read(column))
    terms = pa.concat_arrays([part.terms for part in parts])
    ends = np.cumsum(np.concatenate([np.diff(part.offsets) for part in parts]))
    offsets = np.r_[0, ends]
    if read.ngrams != TOKENS:  # runs of tokens, by scikit-learn
        tokens = terms.to_pylist()
        docs = (tokens[start:stop] for start, stop in pairwise(offsets))
        vectorizer = CountVectorizer(analyzer=partial(_ngrams, sizes=read.ngrams), binary=feature.event == "binary")
        return vectorizer.fit_transform(docs).astype(float)
    encoded = terms.dictionary_encode()
    n = join_given([part.n for part in parts], [len(part.terms) for part in parts])
    shape = (len(column), len(encoded.dictionary))
    times = np.ones(len(encoded)) if n is None else n
    counts = sparse.csr_array((times, encoded.indices.to_numpy().copy(), offsets), shape)
    counts.sum_duplicates()
    if feature.event == "binary":
        counts.data[:] = 1.0
    return counts


def _ngrams(tokens: list[str], *, sizes: tuple[int, int]) -> list[str]:
    """Return the runs of so many neighbours, joined by a blank."""
    low, high = sizes
    return [" ".join(tokens[i : i + n]) for n in range(low, high + 1) for i in range(len(tokens) - n + 1)]
