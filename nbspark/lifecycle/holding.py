"""Which documents the counts of a batch hold: each as a whole, one after the other, so that what is left can be counts.

Counts do not say which documents they are of. A batch *holds* a document if, with it subtracted, nothing is below zero
and no term is in more documents than there are: then what is left is counts of some documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.decimals import rounded
from nbspark.arrays.moments import Moments
from nbspark.arrays.runs import run_starts
from nbspark.counting.checks import ROUNDING
from nbspark.lifecycle.subtract import can_be_numbers, told
from nbspark.schemas import MOMENTS

if TYPE_CHECKING:
    from collections.abc import Iterable

KEYS = ("label", "feature", "term")


class Wanted:
    """What some documents want of a batch: their counts, document after document.

    Parameters
    ----------
    rows : Table of ``schemas.COUNTS``
        Counts of single documents, those about rows with them.
    document : int array, shape (n_rows,)
        Of which document each row is; ascending from 0, each has one row or more.
    """

    def __init__(self, rows: pa.Table, document: np.ndarray) -> None:
        self._values = {name: pc.unique(rows[name]) for name in KEYS}
        codes, _ = self._codes(rows)
        self._keys, first, self._key = np.unique(codes, return_index=True, return_inverse=True)
        self.names = rows.take(pa.array(first))
        self._starts = np.flatnonzero(run_starts(document))
        self._ends = np.append(self._starts[1:], len(document))
        self._n_docs, self._n_tokens = (rows[name].to_numpy() for name in ("n_docs", "n_tokens"))
        values = zip(*(rows[name].to_pylist() for name in ("n_docs", *MOMENTS)), strict=True)
        self._moments = [None if one[1] is None else Moments.from_stored(*one) for one in values]
        self._within = self._wholes()

    def __len__(self) -> int:
        """How many documents there are."""
        return len(self._starts)

    def counts_of(self, document: int) -> list[tuple[int, float, float]]:
        """Return a document's counts by key, alike for documents that are alike."""
        rows = slice(self._starts[document], self._ends[document])
        columns = (values[rows].tolist() for values in (self._key, self._n_tokens, self._n_docs))
        return sorted(zip(*columns, strict=True))

    def of(self, batch: pa.Table) -> Held:
        """Return what a batch, ``schemas.COUNTS``, has of it."""
        codes, known = self._codes(batch)
        place = np.searchsorted(self._keys, codes[known])
        place[place == len(self._keys)] = 0
        same = self._keys[place] == codes[known]
        rows = np.flatnonzero(known)[same]
        n_docs, n_tokens = np.zeros(len(self._keys)), np.zeros(len(self._keys))
        for found, name in ((n_docs, "n_docs"), (n_tokens, "n_tokens")):
            found[place[same]] = batch[name].to_numpy()[rows]
        moments = {}
        has = batch["mean"].is_valid().to_numpy()[rows]
        for key, row in zip(place[same][has], batch.take(pa.array(rows[has])).to_pylist(), strict=True):
            moments[int(key)] = Moments.from_stored(*(row[name] for name in ("n_docs", *MOMENTS)))
        return Held(n_docs, n_tokens, moments, self._most_of_others(batch, rows))

    def nothing(self) -> Held:
        """Return what a batch has that has nothing of it."""
        return Held(np.zeros(len(self._keys)), np.zeros(len(self._keys)), {}, {})

    def held(self, held: Held) -> np.ndarray:
        """Return which documents are held, each looked at alone and without what is left; shape (n_documents,)."""
        enough = (held.n_docs[self._key] >= self._n_docs) & (held.n_tokens[self._key] >= self._n_tokens)
        return np.logical_and.reduceat(enough, self._starts)

    def take(self, held: Held, order: Iterable[int]) -> list[int]:
        """Take documents out of a batch as long as it holds them, in an order; return those that were taken."""
        return [document for document in order if self._take(held, slice(self._starts[document], self._ends[document]))]

    def missing(self, held: Held) -> list[str]:
        """Return what all documents together want in vain, the first few for a message."""
        totals = [
            rounded(np.bincount(self._key, weights=values, minlength=len(self._keys)))
            for values in (self._n_docs, self._n_tokens)
        ]
        return told(self.names.filter(pa.array((held.n_docs < totals[0]) | (held.n_tokens < totals[1]))))

    def _take(self, held: Held, rows: slice) -> bool:
        """Take one document out of a batch if that holds it."""
        keys = self._key[rows]
        n_docs, n_tokens = (
            rounded(there[keys] - want[rows])
            for there, want in ((held.n_docs, self._n_docs), (held.n_tokens, self._n_tokens))
        )
        if min(n_docs.min(), n_tokens.min()) < 0:
            return False
        before = held.n_docs[keys].copy()
        held.n_docs[keys] = n_docs
        numbers = {int(key): one for key, one in zip(keys, self._moments[rows], strict=True) if one is not None}
        left = {key: held.moments[key] - one for key, one in numbers.items() if key in held.moments}
        if not (
            self._is_sound(held, keys)
            and all(can_be_numbers(one, scale=held.moments[key].squares) for key, one in left.items())
        ):
            held.n_docs[keys] = before
            return False
        held.n_tokens[keys] = n_tokens
        held.moments.update(left)
        return True

    def _is_sound(self, held: Held, keys: np.ndarray) -> bool:
        """Say whether no part is more than its whole, for the parts and wholes that keys touch."""
        for whole in np.intersect1d(keys, list(self._within)):
            most = max(held.others.get(int(whole), 0.0), held.n_docs[self._within[int(whole)]].max(initial=0.0))
            if most > held.n_docs[whole] * (1 + ROUNDING):
                return False
        return True

    def _codes(self, rows: pa.Table) -> tuple[np.ndarray, np.ndarray]:
        """Return one number for each key, and which rows have a key that can be wanted."""
        total = np.zeros(rows.num_rows, np.int64)
        known = np.ones(rows.num_rows, bool)
        for name in KEYS:
            code = pc.index_in(rows[name], self._values[name]).combine_chunks()
            known &= code.is_valid().to_numpy(zero_copy_only=False)
            total = total * len(self._values[name]) + pc.fill_null(code, 0).to_numpy()
        return total, known

    def _wholes(self) -> dict[int, np.ndarray]:
        """Return the keys within each total: terms in (label, feature), features in the label."""
        label, feature, term = (self.names[name].to_pylist() for name in KEYS)
        place = {key: i for i, key in enumerate(zip(label, feature, term, strict=True))}
        within: dict[int, list[int]] = {}
        for i, (of_label, of_feature, of_term) in enumerate(zip(label, feature, term, strict=True)):
            if of_label is None or of_feature is None:
                continue
            whole = place.get((of_label, None if of_term is None else of_feature, None))
            if whole is not None:
                within.setdefault(whole, []).append(i)
        return {whole: np.array(parts) for whole, parts in within.items()}

    def _most_of_others(self, batch: pa.Table, wanted: np.ndarray) -> dict[int, float]:
        """Return by total the most documents of a term that nobody wants."""
        other = np.ones(batch.num_rows, bool)
        other[wanted] = False
        rows = batch.select([*KEYS, "n_docs"]).filter(pa.array(other))
        rows = rows.filter(pc.and_(rows["label"].is_valid(), rows["term"].is_valid()))
        most = rows.group_by(["label", "feature"]).aggregate([("n_docs", "max")]).to_pylist()
        by_name = {(row["label"], row["feature"]): row["n_docs_max"] for row in most}
        totals = self.names.take(pa.array(list(self._within), pa.int64())).to_pylist()
        return {
            whole: by_name.get((row["label"], row["feature"]), 0.0)
            for whole, row in zip(self._within, totals, strict=True)
        }


class Held:
    """What a batch, or all of them, has of what is wanted; by key."""

    def __init__(
        self, n_docs: np.ndarray, n_tokens: np.ndarray, moments: dict[int, Moments], others: dict[int, float]
    ) -> None:
        self.n_docs = n_docs
        self.n_tokens = n_tokens
        self.moments = moments
        self.others = others

    def __add__(self, other: Held) -> Held:
        """Return what both have, without moments: enough to see what is missing."""
        return Held(rounded(self.n_docs + other.n_docs), rounded(self.n_tokens + other.n_tokens), {}, {})
