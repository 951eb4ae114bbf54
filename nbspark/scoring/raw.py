"""Scores as they are, in place of predictions: what a calibration is fitted to, by both plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from nbspark.scoring.kernel import Scorer

if TYPE_CHECKING:
    from collections.abc import Sequence

FIELDS = [
    pa.field("scores", pa.list_(pa.float64())),  # joint log-likelihoods in string order of the labels, not calibrated
    pa.field("length", pa.float64()),  # known terms, with their frequencies
    pa.field("truth", pa.int64()),  # the true label's place, -1 where it is null or unknown
]


class RawScorer(Scorer):
    """Gives the scores of every class; wants the true labels."""

    def fields(self, *, truth: bool = False) -> list[pa.Field]:  # noqa: ARG002 - as every scorer is asked
        """Return the fields of the columns that ``predict`` returns."""
        return FIELDS

    def predict(self, columns: Sequence[pa.Array], truth: pa.Array | None = None) -> list[pa.Array]:
        """Return the columns, one element a document."""
        scores, lengths = self.scores_and_lengths(columns)
        offsets = pa.array(np.arange(len(scores) + 1) * scores.shape[1], pa.int32())
        codes = np.full(len(scores), -1) if truth is None else self.codes_of(truth)
        return [
            pa.ListArray.from_arrays(offsets, pa.array(scores.ravel())),
            pa.array(lengths),
            pa.array(codes, pa.int64()),
        ]
