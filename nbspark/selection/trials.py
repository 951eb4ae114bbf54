"""Every setting tried on every fold: documents are read once, and what is smoothed is arithmetic on counts.

No pyspark in it. A document is scored by what the other folds are learned as, as if by a training without its own.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from nbspark.arrays.batches import gather
from nbspark.arrays.strings import offsets_of
from nbspark.evaluation.outcomes import count_confusion
from nbspark.events import EVENTS
from nbspark.events.base import register
from nbspark.features.values import as_numbers, as_text
from nbspark.schemas import CONFUSION, OUTCOMES
from nbspark.scoring.kernel import Scorer, TermScorer
from nbspark.selection.training import learned, limited, limits_of, training_without
from nbspark.smoothing.likelihoods import FeatureParameters, TermParameters

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from nbspark.features import TermFeature
    from nbspark.selection.fold_counts import FoldCounts
    from nbspark.selection.grid import Setting
    from nbspark.smoothing.likelihoods import Likelihoods
    from nbspark.spec import Spec

WINDOW_ROWS = 100_000  # documents of a fold that every setting scores together
WINDOW_BYTES = 128 << 20  # and about as many bytes of them; their terms take about three times that


class Base(NamedTuple):
    """A spec, its counts by fold, and where the columns of its features are among those that leave Spark."""

    spec: Spec
    counts: FoldCounts
    columns: tuple[int, ...]


class Trials:
    """The settings, ready to be tried; ships to workers as it is.

    Parameters
    ----------
    bases : sequence of Base
    settings : sequence of Setting
    truth : int
        Where the column with the true label is.
    """

    def __init__(self, bases: Sequence[Base], settings: Sequence[Setting], *, truth: int) -> None:
        self._bases = bases
        self._settings = settings
        self._truth = truth
        # What was registered on the driver is not known to a worker.
        names = {one.event for setting in settings for one in setting.spec.term_features}
        self._events = [EVENTS[name] for name in sorted(names)]

    def outcomes(self, documents: Iterable[tuple[str, pa.Table]]) -> Iterator[pa.RecordBatch]:
        """Yield ``schemas.OUTCOMES`` for documents of folds.

        Parameters
        ----------
        documents : iterable of (str, Table)
            A fold, and some documents of it with all their columns.
        """
        for event in self._events:
            register(event)
        readers = [_Reader(base) for base in self._bases]
        for fold, tables in windows(documents):
            yield from self._try(fold, tables, readers)

    def _try(self, fold: str, tables: list[pa.Table], readers: list[_Reader]) -> Iterator[pa.RecordBatch]:
        """Yield the outcomes of some documents of one fold."""
        truth = [as_text(table.column(self._truth)) for table in tables]
        right = np.zeros((sum(map(len, truth)), len(self._settings)), bool)
        for number, reader in enumerate(readers):
            own = [i for i, setting in enumerate(self._settings) if setting.base == number]
            for i, likelihoods, found in self._readings(own, fold, reader, tables):
                scorer, done = Scorer(self._settings[i].spec.features, likelihoods), 0
                for terms, labels in zip(found, truth, strict=True):
                    prediction, _, log_loss = scorer.decide(terms, labels)
                    docs = slice(done, done := done + len(labels))
                    right[docs, i] = pc.fill_null(pc.equal(labels, prediction), False).to_numpy(zero_copy_only=False)
                    pairs = pa.record_batch([labels, prediction, log_loss], names=["label", "prediction", "log_loss"])
                    yield _of_setting(count_confusion(pairs), i, fold)
        yield _of_pairs(right, fold)

    def _readings(
        self, own: list[int], fold: str, reader: _Reader, tables: list[pa.Table]
    ) -> Iterator[tuple[int, Likelihoods, list[list[Any]]]]:
        """Yield for each setting of a base what is learned of the other folds, and the terms of the documents in it."""
        read = [reader.read(table) for table in tables]
        training = training_without(reader.base.counts, fold)
        by_limits: defaultdict[tuple[Any, ...], list[int]] = defaultdict(list)
        for i in own:
            by_limits[limits_of(self._settings[i].spec)].append(i)
        for together in by_limits.values():
            vocabulary = limited(self._settings[together[0]], training, fold)
            known = [reader.in_vocabulary(found, vocabulary.places) for found in read]
            for i in together:
                setting = self._settings[i]
                yield i, learned(setting, vocabulary, fold), [_own(setting.spec, found) for found in known]


class _Reader:
    """Reads the documents of a base once: their terms as places among those of all folds, and their numbers."""

    def __init__(self, base: Base) -> None:
        self.base = base
        self._lookups = {
            str(feature.name): _lookup(feature, base.counts.features[str(feature.name)].total.terms)
            for feature in base.spec.term_features
        }

    def read(self, table: pa.Table) -> list[Any]:
        """Return what each feature finds in documents: sparse documents x terms of all folds, or numbers."""
        found: list[Any] = []
        for place, feature in zip(self.base.columns, self.base.spec.features, strict=True):
            values = table.column(place).combine_chunks()
            if feature.has_terms:
                found.append(self._lookups[str(feature.name)].read(values)[0])
            else:
                found.append(as_numbers(values, feature.column))
        return found

    def in_vocabulary(self, found: list[Any], places: dict[str, np.ndarray]) -> list[Any]:
        """Return the same with the terms as places in a vocabulary, those that it lacks left out."""
        return [
            _renumbered(one, places[str(feature.name)]) if feature.has_terms else one
            for feature, one in zip(self.base.spec.features, found, strict=True)
        ]


def _lookup(feature: TermFeature, terms: pa.StringArray) -> TermScorer:
    """Return what finds terms; it adds nothing for them."""
    nothing = np.zeros(0)
    none = TermParameters(terms, np.zeros(1, np.int64), np.zeros(0, np.int32), nothing, np.zeros(len(terms)))
    return TermScorer(feature, FeatureParameters(none, nothing, nothing, nothing, None))


def _renumbered(known: sparse.csr_array, places: np.ndarray) -> sparse.csr_array:
    """Return documents x terms with other places for the terms, those at -1 left out.

    >>> known = sparse.csr_array(([1.0, 2.0, 4.0], [0, 2, 1], [0, 2, 3]), shape=(2, 3))
    >>> _renumbered(known, np.array([-1, 0, 1])).toarray().tolist()
    [[0.0, 2.0], [4.0, 0.0]]
    """
    codes = places[known.indices]
    inside = codes >= 0
    n_terms = int(places.max(initial=-1)) + 1
    return sparse.csr_array(
        (known.data[inside], codes[inside], offsets_of(inside)[known.indptr]), shape=(known.shape[0], n_terms)
    )


def _own(spec: Spec, found: list[Any]) -> list[Any]:
    """Return what is to be scored under a spec: what an event model changes in place is a copy."""
    changes = [feature.has_terms and EVENTS[feature.event].frequency is not None for feature in spec.features]
    own = [one.copy() if changed else one for changed, one in zip(changes, found, strict=True)]
    for changed, one in zip(changes, own, strict=True):
        if changed:
            one.sum_duplicates()  # else it would be done in every slice, and there in place
    return own


def windows(documents: Iterable[tuple[str, pa.Table]]) -> Iterator[tuple[str, list[pa.Table]]]:
    """Yield the documents of each fold, in any order of folds, some tables together."""
    held: defaultdict[str, list[pa.Table]] = defaultdict(list)
    for fold, table in documents:
        held[fold].append(table)
        n_rows, n_bytes = (
            sum(sizes) for sizes in zip(*((one.num_rows, one.nbytes) for one in held[fold]), strict=True)
        )
        if n_rows >= WINDOW_ROWS or n_bytes >= WINDOW_BYTES:
            yield fold, _tables(held.pop(fold))
    while held:
        fold, tables = held.popitem()
        yield fold, _tables(tables)


def _tables(parts: list[pa.Table]) -> list[pa.Table]:
    """Return some documents in tables of the usual size."""
    return list(gather(batch for part in parts for batch in part.to_batches()))


def _of_setting(confusion: pa.RecordBatch, setting: int, fold: str) -> pa.RecordBatch:
    """Return rows of ``schemas.OUTCOMES`` for the confusion table of a setting."""
    n = confusion.num_rows
    added = [pa.repeat(pa.scalar(setting, pa.int32()), n), pa.nulls(n, pa.int32()), pa.repeat(pa.scalar(fold), n)]
    return pa.record_batch([*added, *confusion.columns], schema=OUTCOMES)


def _of_pairs(right: np.ndarray, fold: str) -> pa.RecordBatch:
    """Return rows of ``schemas.OUTCOMES`` for every two settings that documents set apart.

    Parameters
    ----------
    right : bool array, shape (n_docs, n_settings)

    Examples
    --------
    >>> [row] = _of_pairs(np.array([[True, False], [True, True]]), "3").to_pylist()
    >>> row["setting"], row["other"], row["n_docs"]
    (0, 1, 1)
    """
    each = right.astype(np.float32)
    only = np.rint(each.T @ (1 - each)).astype(np.int64)
    one, other = np.nonzero(only)
    columns: dict[str, Any] = {name: pa.nulls(len(one), OUTCOMES.field(name).type) for name in CONFUSION.names}
    columns |= {"setting": pa.array(one, pa.int32()), "other": pa.array(other, pa.int32())}
    columns |= {"fold": pa.repeat(pa.scalar(fold), len(one)), "n_docs": pa.array(only[one, other])}
    return pa.record_batch([columns[name] for name in OUTCOMES.names], schema=OUTCOMES)
