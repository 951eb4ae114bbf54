"""Cross-validation from counts, step by step: count by fold, try every setting, compare. No pyspark in it.

Where documents are, in Spark or in this process, is the business of two functions: one counts, one tries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from nbspark.arrays.runs import cut_between_terms, term_starts
from nbspark.counting.merging import merge, pack
from nbspark.counting.writing import decode_counts, encode_counts
from nbspark.errors import DocumentsError, SpecError
from nbspark.features import Terms, Text
from nbspark.schemas import COUNT_FILES, COUNTS
from nbspark.selection.fold_counts import FoldCounts
from nbspark.selection.folds import Folds, fold_and_label
from nbspark.selection.grid import settings_of
from nbspark.selection.results import Comparison, Tried, require_metric, tally
from nbspark.selection.training import limited, limits_of, training_without
from nbspark.selection.trials import Base, Trials
from nbspark.store.learned import Learned, require_some

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from nbspark.selection.grid import Setting
    from nbspark.spec import Spec

MOST_PAIRS = 10_000_000  # (fold, label, term) of all specs: they go to every worker, about 24 bytes each
ALL = ""  # no fold's name: nothing is left out


@dataclass(frozen=True)
class Plan:
    """What is to be tried on which documents.

    Attributes
    ----------
    specs : sequence of Spec
        Resolved; each is counted by a pass of its own.
    settings : sequence of Setting
    folds : Folds
    truth : str
        The column with the true label.
    metric : str
        By which settings are compared.
    """

    specs: Sequence[Spec]
    settings: Sequence[Setting]
    folds: Folds
    truth: str
    metric: str

    @classmethod
    def of(
        cls,
        specs: Sequence[Spec],
        grid: Mapping[str, Sequence[Any]],
        *,
        folds: int = 10,
        group: str | None = None,
        fold_column: str | None = None,
        truth: str | None = None,
        metric: str = "accuracy",
    ) -> Plan:
        """Return the plan, its folds by content unless a column says otherwise.

        Raises
        ------
        SpecError
            An option is unknown or contradicts another.
        """
        require_metric(metric)
        labels = {(spec.label, spec.weight) for spec in specs}
        if len(labels) > 1:
            raise SpecError(f"specs: want one label and one weight column in all, found {sorted(labels, key=repr)}.")
        if group is not None and fold_column is not None:
            raise SpecError("folds: a column that names them leaves nothing to keep together. Give one of the two.")
        settings = settings_of(specs, grid)
        content = tuple(sorted({name for spec in specs for name in spec.columns()}))
        by = Folds((fold_column,), None) if fold_column is not None else Folds((group,) if group else content, folds)
        return cls(specs, settings, by, specs[0].label if truth is None else truth, metric)

    @property
    def columns(self) -> list[str]:
        """The columns that trials and what follows them read, each once."""
        features = [name for spec in self.specs for name in spec.columns()]
        weight = [] if self.weight is None else [self.weight]
        return list(dict.fromkeys([*features, self.truth, *self.folds.columns, *weight]))

    @property
    def weight(self) -> str | None:
        """The column with each document's weight, the same in all specs."""
        return self.specs[0].weight


@dataclass(frozen=True)
class Found:
    """What came out.

    Attributes
    ----------
    comparison : Comparison
    outcomes : Table of ``schemas.OUTCOMES``
        What it was made of.
    bases : list of Base
        The counts by fold of every spec.
    files : list of Table of ``schemas.COUNT_FILES``
        The same, as they were counted.
    rows : list of dict of str to int
        What became of the rows, of every spec; see ``store.Learned``.
    """

    comparison: Comparison
    outcomes: pa.Table
    bases: list[Base]
    files: list[pa.Table]
    rows: list[dict[str, int]]


def run(plan: Plan, *, count: Callable[[Spec], pa.Table], attempt: Callable[[Trials, int], pa.Table]) -> Found:
    """Count, try and compare.

    Parameters
    ----------
    count : callable
        Returns the counts of a spec by fold and label, ``schemas.COUNT_FILES``.
    attempt : callable
        Returns the ``schemas.OUTCOMES`` of trials, given them and the number of documents.

    Raises
    ------
    DocumentsError
        Nothing can be learned, there are fewer than two folds, or the counts are too many for the workers.
    SpecError
        A setting keeps no term, or does not fit the classes of a fold's training.
    """
    files, learned, bases = [], [], []
    for number, spec in enumerate(plan.specs):
        files.append(count(spec))
        learned.append(require_some(spec, Learned.of(files[-1])).rows)
        counts = FoldCounts.from_arrow(_counts(files[-1], _least_docs(plan.settings, number)))
        bases.append(Base(spec, counts, tuple(plan.columns.index(feature.column) for feature in spec.features)))
        _require_fitting(bases)
    n_terms = _numbers_of_terms(plan.settings, bases)
    trials = Trials(bases, plan.settings, truth=plan.columns.index(plan.truth))
    outcomes = attempt(trials, max(rows["rows_read"] for rows in learned))
    folds, scores, only = tally(outcomes, len(plan.settings))
    tried = [Tried(*one) for one in zip(plan.settings, scores, n_terms, strict=True)]
    return Found(Comparison(tried, folds, only, plan.metric), outcomes, bases, files, learned)


def _counts(files: pa.Table, least: float) -> pa.Table:
    """Return the ``schemas.COUNTS`` in files, without the terms that have fewer documents."""
    batches = decode_counts(files.to_batches())
    if least > 1:  # the rows of a term are neighbours in a file, and in no other
        batches = (_frequent(batch, least) for batch in cut_between_terms(batches))
    return pa.Table.from_batches(batches, COUNTS)


def _frequent(batch: pa.RecordBatch, least: float) -> pa.RecordBatch:
    """Return the rows of the terms with so many documents, and those of totals and facts."""
    term = np.cumsum(term_starts(batch)) - 1
    docs = np.bincount(term, weights=batch.column("n_docs").to_numpy())
    is_term = batch.column("term").is_valid().to_numpy(zero_copy_only=False)
    return batch.filter(pa.array(~is_term | (docs[term] >= least)))


def _least_docs(settings: Sequence[Setting], base: int) -> float:
    """Return how many documents a term must have under every setting of a base: those with fewer need not be held."""
    least = []
    for setting in settings:
        if setting.base != base:
            continue
        for feature in setting.spec.term_features:
            if not isinstance(feature, Text | Terms) or feature.drop_top or not isinstance(feature.min_docs, int):
                return 0  # what is dropped goes by rank, or a share is of a training's documents
            least.append(feature.min_docs)
    return min(least, default=0)


def _require_fitting(bases: Sequence[Base]) -> None:
    """Raise an error if there are more counts than workers are to hold."""
    n_pairs = sum(len(one.places) for base in bases for one in base.counts.features.values())
    if n_pairs > MOST_PAIRS:
        raise DocumentsError(
            f"documents: {n_pairs:,} (fold, label, term) pairs, and at most {MOST_PAIRS:,} go to the workers. Give "
            "every setting a min_docs that is a whole number (--grid min_docs=2,5) and no drop_top: terms below the "
            "least of them are left aside. Or take fewer folds, or a part of the documents."
        )


def _numbers_of_terms(settings: Sequence[Setting], bases: Sequence[Base]) -> list[int]:
    """Return the terms in the vocabularies of a model of all documents, for each setting."""
    known: dict[tuple[Any, ...], int] = {}
    numbers = []
    for setting in settings:
        key = (setting.base, *limits_of(setting.spec))
        if key not in known:
            counts = limited(setting, training_without(bases[setting.base].counts, ALL), ALL).counts
            known[key] = sum(len(one.terms) for one in counts.features.values())
        numbers.append(known[key])
    return numbers


def total_files(files: pa.Table) -> pa.Table:
    """Return the counts of all folds, ``schemas.COUNT_FILES``, for those by fold: a model's own.

    The rows of a term, or of a total, are in one file.
    """
    rows = [
        made
        for batch in files.to_batches(max_chunksize=1)
        for made in encode_counts(merge(_packed(decode_counts([batch]))))
    ]
    return pa.Table.from_batches(rows, COUNT_FILES)


def _packed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield counts by fold as ``schemas.PACKED_COUNTS`` of their labels alone."""
    for batch in batches:
        labels = batch.column("label").dictionary_encode()
        plain = [fold_and_label(label)[1] for label in labels.dictionary.to_pylist()]
        own = pa.array(plain, pa.string()).take(labels.indices)
        columns = [own if name == "label" else batch.column(name) for name in COUNTS.names]
        yield from pack([pa.record_batch(columns, schema=COUNTS)])
