"""Out-of-fold scores of a setting to the sums that a temperature, and its judgement, need. No pyspark in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.evaluation.reliability import N_BINS, bin_of, calibration_error
from nbspark.events import EVENTS
from nbspark.events.base import register
from nbspark.features.values import as_text, require_counts
from nbspark.scoring.kernel import Scorer
from nbspark.selection.temperature import NO_SUMS, NO_SUMS_BY_EXPONENT, Scored, tally_exponents, tally_scores
from nbspark.selection.training import learned, limited, training_without
from nbspark.selection.trials import windows
from nbspark.smoothing.calibration import UNCALIBRATED, Calibration

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from nbspark.selection.grid import Setting
    from nbspark.selection.temperature import Temperature
    from nbspark.selection.trials import Base


class OutOfFold:
    """Scores documents by what the other folds are learned as; ships to workers as it is.

    Parameters
    ----------
    base : Base
        That of the setting.
    setting : Setting
    truth : int
        Where the column with the true label is.
    weight : int, optional
        Where the column with each document's weight is.
    """

    def __init__(self, base: Base, setting: Setting, *, truth: int, weight: int | None = None) -> None:
        self._base = base
        self._setting = setting
        self._truth = truth
        self._weight = weight
        # What was registered on the driver is not known to a worker.
        self._events = [EVENTS[name] for name in sorted({one.event for one in setting.spec.term_features})]

    @property
    def labels(self) -> list[str]:
        """The classes of all folds, in the order of the scores."""
        return self._base.counts.total.labels

    def scores(self, documents: Iterable[tuple[str, pa.Table]]) -> Iterator[Scored]:
        """Yield scored documents; the parameter is that of ``tables_and_scores``."""
        return (scored for _, scored in self.tables_and_scores(documents))

    def tables_and_scores(self, documents: Iterable[tuple[str, pa.Table]]) -> Iterator[tuple[pa.Table, Scored]]:
        """Yield documents and their scores.

        Parameters
        ----------
        documents : iterable of (str, Table)
            A fold, and some documents of it with all their columns.
        """
        for event in self._events:
            register(event)
        code = {label: i for i, label in enumerate(self.labels)}
        for fold, tables in windows(documents):
            vocabulary = limited(self._setting, training_without(self._base.counts, fold), fold)
            scorer = Scorer(self._setting.spec.features, learned(self._setting, vocabulary, fold))
            own = [code[label] for label in scorer.labels]
            for table in tables:
                columns = [table.column(place).combine_chunks() for place in self._base.columns]
                found = np.full((len(table), len(code)), -np.inf)  # a class that only this fold has is impossible
                found[:, own], lengths = scorer.scores_and_lengths(columns)
                truth = pc.index_in(as_text(table.column(self._truth)), pa.array(self.labels, pa.string()))
                yield table, Scored(found, pc.fill_null(truth, -1).to_numpy(), lengths, self._weights(table))

    def _weights(self, table: pa.Table) -> np.ndarray | None:
        """Return each document's weight, None where they carry none."""
        if self._weight is None:
            return None
        return require_counts(table.column(self._weight).combine_chunks(), "the weight column", "weight")

    def sums(
        self, documents: Iterable[tuple[str, pa.Table]], exponent: float | None = None, *, share: float = 1.0
    ) -> np.ndarray:
        """Return the sums of ``temperature.tally_scores``, or without an exponent those of ``tally_exponents``.

        Parameters
        ----------
        share : float
            Of the documents, to find an exponent by.
        """
        batches = self.scores(documents)
        if exponent is None:
            return sum((tally_exponents(one.sampled(share)) for one in batches), NO_SUMS_BY_EXPONENT)
        return sum((tally_scores(one, exponent) for one in batches), NO_SUMS)

    def confidences(self, documents: Iterable[tuple[str, pa.Table]], temperature: Temperature) -> np.ndarray:
        """Return how sure predictions are, and how often right, without a temperature and with it.

        Returns
        -------
        float64 array, shape (2, 2 x n_bins, 2)
            Before and after; the places of ``reliability.calibration_error``; its weight and confidence.
        """
        calibrations = (UNCALIBRATED, Calibration(temperature.value, temperature.exponent))
        sums = np.zeros((len(calibrations), 2 * N_BINS, 2))
        for scores, truth, lengths, weight in self.scores(documents):
            assert lengths is not None
            best = scores.argmax(axis=1)
            counts = (truth >= 0) & np.isfinite(scores[np.arange(len(best)), best])
            of_doc = (np.ones(len(truth)) if weight is None else weight)[counts]
            right = (best == truth)[counts]
            for added, calibration in zip(sums, calibrations, strict=True):
                confidence = 1 / np.exp(gaps(calibration.apply(scores[counts], lengths[counts]))).sum(axis=1)
                places = 2 * bin_of(confidence) + right
                for column, values in enumerate((of_doc, of_doc * confidence)):
                    added[:, column] += np.bincount(places, values, 2 * N_BINS)
        return sums


def gaps(scores: np.ndarray) -> np.ndarray:
    """Return how far scores are below each document's highest one."""
    return scores - scores.max(axis=1, keepdims=True)


def errors_of(sums: np.ndarray) -> tuple[float, float]:
    """Return the calibration error before and after, given sums of ``OutOfFold.confidences``."""
    before, after = (float(calibration_error(np.arange(2 * N_BINS), *one.T)) for one in sums)
    return before, after
