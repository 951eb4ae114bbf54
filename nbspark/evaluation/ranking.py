"""How well scores put the documents of a class before the others, from the distinct scores. No pyspark in it.

A table has a row per distinct score of a class with the weights of the documents that have the label and of those that
have not: with it, both measures are exact. One with more than ``MAX_SCORES`` rows is made coarser: neighbouring scores
become one, and each measure says how far that may have moved it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nbspark.arrays.decimals import sums
from nbspark.arrays.runs import run_starts

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_SCORES = 1 << 14  # distinct scores of a class: below, exact
MAX_CLASSES = 500  # with more classes no ranking is measured: the tables would be large

_HALF = np.float64(0.5).view(np.uint64)


@dataclass(frozen=True)
class ScoreTable:
    """The distinct scores of a class.

    Attributes
    ----------
    keys : uint64 array, shape (n_scores,)
        In order of the scores, see ``key_of``; the last ``dropped`` bits are 0.
    positive, negative : float64 array, shape (n_scores,)
        Weights of the documents with such a score: those with the label, those without.
    n_docs : int
    dropped : int
        0: the table is exact.
    """

    keys: np.ndarray
    positive: np.ndarray
    negative: np.ndarray
    n_docs: int
    dropped: int = 0

    @classmethod
    def of(cls, scores: np.ndarray, is_positive: np.ndarray, weight: np.ndarray) -> ScoreTable:
        """Return the table of documents.

        Examples
        --------
        >>> table = ScoreTable.of(np.array([0.9, 0.6, 0.6, 0.1]), np.array([True, True, False, False]), np.ones(4))
        >>> table.positive.tolist(), table.negative.tolist()
        ([0.0, 1.0, 1.0], [1.0, 1.0, 0.0])
        >>> table.roc_auc()  # of 2 x 2 pairs three are in order, and one is a tie
        (0.875, 0.0)
        """
        positive = np.where(is_positive, weight, 0.0)
        return cls(key_of(scores), positive, weight - positive, len(scores)).compact()

    def compact(self, limit: int | None = None) -> ScoreTable:
        """Return the table with one row a key, and as many bits dropped as the limit wants.

        Notes
        -----
        Bits are dropped until few enough keys are distinct. A part of the documents never wants more dropped than all
        of them do, so that tables of parts, made coarser on the way, end as the one of all documents.
        """
        limit = MAX_SCORES if limit is None else limit
        keys = self.keys >> np.uint64(self.dropped) << np.uint64(self.dropped)
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        dropped = self.dropped
        if len(keys):
            n_bits = _n_bits(keys[1:] ^ keys[:-1])  # neighbours stay apart as long as their highest other bit is there
            if (n_bits > dropped).sum() >= limit:
                dropped = int(np.sort(n_bits)[-limit])
                keys = keys >> np.uint64(dropped) << np.uint64(dropped)
        starts = np.flatnonzero(run_starts(keys))
        positive, negative = sums(self.positive[order], starts), sums(self.negative[order], starts)
        return ScoreTable(keys[starts], positive, negative, self.n_docs, dropped)

    def roc_auc(self) -> tuple[float, float] | None:
        """Return the area under the ROC curve, and how far the exact one may be from it; None where all are alike.

        Notes
        -----
        The share of (with, without) pairs in which the document with the label has the higher score, a tie being half
        a pair: Mann and Whitney (1947).
        """
        n_positive, n_negative = self.positive.sum(), self.negative.sum()
        if not n_positive or not n_negative:
            return None
        below = np.cumsum(self.negative) - self.negative
        n_pairs = n_positive * n_negative
        ties = float((self.positive * self.negative).sum() / n_pairs)
        area = float((self.positive * (below + self.negative / 2)).sum() / n_pairs)
        return area, ties / 2 if self.dropped else 0.0

    def average_precision(self) -> tuple[float, float] | None:
        """Return the average precision, and how far the exact one may be from it; None without a positive.

        Notes
        -----
        The sum over scores, from the highest, of the step in recall times the precision from that score up, as in
        scikit-learn. Inside a coarse row, all with the label may come first, or last.
        """
        n_positive = self.positive.sum()
        if not n_positive:
            return None
        step = self.positive[::-1] / n_positive
        right, wrong = np.cumsum(self.positive[::-1]), np.cumsum(self.negative[::-1])
        with np.errstate(invalid="ignore", divide="ignore"):  # rows above the first document of weight
            precision = np.where(right > 0, right / (right + wrong), 0.0)
            before, wrong_before = right - self.positive[::-1], wrong - self.negative[::-1]
            last = np.where(before > 0, before / (before + wrong), 0.0)
            first = np.where(right > 0, right / (right + wrong_before), 0.0)
        found = float((step * precision).sum())
        off = max(float((step * (precision - last)).sum()), float((step * (first - precision)).sum()))
        return found, off if self.dropped else 0.0

    def pack(self) -> bytes:
        """Return the table as bytes."""
        head = np.array([self.n_docs, self.dropped], np.uint64)
        return b"".join(part.tobytes() for part in (head, self.keys, self.positive, self.negative))

    @classmethod
    def unpack(cls, packed: bytes) -> ScoreTable:
        """Return the table that ``pack`` made bytes of."""
        numbers = np.frombuffer(packed, np.uint64)
        keys, positive, negative = np.split(numbers[2:], 3)
        return cls(keys, positive.view(np.float64), negative.view(np.float64), int(numbers[0]), int(numbers[1]))


def merge_packed(parts: Iterable[bytes]) -> ScoreTable:
    """Return the table of all documents, given those of parts."""
    tables = [ScoreTable.unpack(part) for part in parts]
    keys, positive, negative = (
        np.concatenate([getattr(table, name) for table in tables]) for name in ("keys", "positive", "negative")
    )
    n_docs, dropped = sum(table.n_docs for table in tables), max(table.dropped for table in tables)
    return ScoreTable(keys, positive, negative, n_docs, dropped).compact()


def key_of(scores: np.ndarray) -> np.ndarray:
    """Return an integer for each probability, in the same order, equal where they are.

    Above a half it goes by the distance to 1, so that dropping bits spares both ends, where naive Bayes has most of its
    probabilities.

    >>> keys = key_of(np.array([0.0, 1e-300, 0.25, 0.5, 0.75, 1 - 2**-53, 1.0]))
    >>> bool((np.diff(keys.astype(float)) > 0).all())
    True
    """
    low = (np.minimum(scores, 1 - scores) + 0.0).view(np.uint64)
    return np.where(scores <= 0.5, low, 2 * _HALF - low)


def _n_bits(values: np.ndarray) -> np.ndarray:
    """Return how many bits each integer has; in halves, since a double would round a long one up."""
    high, low = values >> np.uint64(32), values & np.uint64(0xFFFFFFFF)
    return np.where(high > 0, 32 + np.frexp(high.astype(np.float64))[1], np.frexp(low.astype(np.float64))[1])
