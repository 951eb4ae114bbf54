"""Labels that are probably wrong, by what the other folds were learned as: sums, then doubts. No pyspark in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.features.values import as_text
from nbspark.insight.label_errors import confident_joint, doubts, noise_matrix, self_confidence, thresholds
from nbspark.schemas import DOUBTS
from nbspark.smoothing.calibration import Calibration

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nbspark.selection.calibrating import OutOfFold
    from nbspark.selection.temperature import Scored

SHOWN_CHARACTERS = 200  # of a doubtful document


@dataclass(frozen=True)
class LabelDoubts:
    """What confident learning says of the labels of some documents.

    Attributes
    ----------
    n_docs : int
        Documents with a label.
    n_doubtful : int
    noise : dict of str to dict of str to float
        Of each label, the share of all documents that have it and are of each class, by the model; see
        ``insight.label_errors.noise_matrix``.
    worst : list of dict
        The most doubtful ones: ``label``, ``prediction``, ``probability`` (of the label), ``margin`` and ``text``.
    """

    n_docs: int
    n_doubtful: int
    noise: dict[str, dict[str, float]]
    worst: list[dict[str, Any]]

    @classmethod
    def of(cls, found: pa.Table, sums: np.ndarray, labels: Sequence[str], *, n: int) -> LabelDoubts:
        """Return what the ``schemas.DOUBTS`` of all parts say together."""
        is_example = found["margin"].is_valid()
        worst = found.filter(is_example).sort_by([("margin", "ascending"), ("text", "ascending")]).slice(0, n)
        joint = np.zeros((len(labels), len(labels)))
        counts = found.filter(pc.invert(is_example))
        n_doubtful = pc.sum(counts.filter(pc.is_null(counts["prediction"]))["n_docs"]).as_py() or 0
        counts = counts.filter(pc.is_valid(counts["prediction"]))
        names = pa.array(labels, pa.string())
        places = tuple(
            pc.index_in(counts[name].cast(pa.string()), names).to_numpy() for name in ("label", "prediction")
        )
        np.add.at(joint, places, counts["n_docs"].to_numpy())
        shares = noise_matrix(joint, sums[1]) if sums[1].sum() else joint
        noise = {label: dict(zip(labels, row, strict=True)) for label, row in zip(labels, shares.tolist(), strict=True)}
        return cls(int(sums[1].sum()), n_doubtful, noise, worst.drop_columns("n_docs").to_pylist())


class Doubting:
    """Doubts labels of documents that are scored out of fold; ships to workers as it is.

    Parameters
    ----------
    scores : OutOfFold
    calibration : Calibration
        Of the scores: without one nearly all probabilities are 0 or 1, and thresholds say nothing.
    """

    def __init__(self, scores: OutOfFold, calibration: Calibration) -> None:
        self._scores = scores
        self._calibration = calibration

    @property
    def labels(self) -> list[str]:
        """The classes, in string order."""
        return self._scores.labels

    def probabilities(self, scored: Scored) -> tuple[np.ndarray, np.ndarray]:
        """Return the probabilities of documents, and their labels, -1 where there is none or no class is possible."""
        assert scored.lengths is not None
        scores = self._calibration.apply(scored.scores, scored.lengths)
        highest = scores.max(axis=1, keepdims=True)
        possible = np.isfinite(highest)
        relative = np.exp(scores - np.where(possible, highest, 0.0))
        total = np.where(possible, relative.sum(axis=1, keepdims=True), 1.0)
        return relative / total, np.where(possible[:, 0], scored.truth, -1)

    def sums(self, documents: Iterable[tuple[str, pa.Table]]) -> np.ndarray:
        """Return what ``label_errors.self_confidence`` does of documents of folds."""
        parts = (self_confidence(*self.probabilities(one)) for one in self._scores.scores(documents))
        return sum(parts, np.zeros((2, len(self.labels))))

    def doubts(
        self, documents: Iterable[tuple[str, pa.Table]], sums: np.ndarray, *, places: Sequence[int], n: int
    ) -> pa.RecordBatch:
        """Return ``schemas.DOUBTS`` of documents of folds.

        Parameters
        ----------
        sums : float64 array, shape (2, n_classes)
            Those of all documents.
        places : sequence of int
            Where the columns are that are shown of a document.
        n : int
            How many documents to show.
        """
        limits, k = thresholds(sums), len(self.labels)
        joint, n_doubtful = np.zeros((k, k), np.int64), 0
        worst = DOUBTS.empty_table()
        for table, scored in self._scores.tables_and_scores(documents):
            probabilities, labels = self.probabilities(scored)
            found = doubts(probabilities, labels, limits)
            joint += confident_joint(labels, found.counted_as, k)
            rows = np.flatnonzero(found.is_doubtful)
            n_doubtful += len(rows)
            rows = rows[np.argsort(found.margin[rows], kind="stable")][:n]
            made = self._examples(table.take(pa.array(rows)), rows, probabilities, labels, found.margin, places)
            worst = pa.concat_tables([worst, made]).sort_by("margin").slice(0, n)
        names = pa.array(self.labels, pa.string())
        given, other = np.nonzero(joint)
        pairs = {"label": names.take(pa.array(given)), "prediction": names.take(pa.array(other))}
        counted = _rows(pairs | {"n_docs": pa.array(joint[given, other])}, len(given))
        total = _rows({"n_docs": pa.array([n_doubtful], pa.int64())}, 1)
        [batch] = pa.concat_tables([worst, counted, total]).combine_chunks().to_batches()
        return batch

    def _examples(
        self,
        table: pa.Table,
        rows: np.ndarray,
        probabilities: np.ndarray,
        labels: np.ndarray,
        margin: np.ndarray,
        places: Sequence[int],
    ) -> pa.Table:
        """Return rows that show documents."""
        names = pa.array(self.labels, pa.string())
        shown = [pc.fill_null(as_text(table.column(place)), "") for place in places]
        texts = pc.binary_join_element_wise(*shown, " | ") if shown else pa.nulls(len(rows), pa.string())
        columns = {
            "label": names.take(pa.array(labels[rows])),
            "prediction": names.take(pa.array(probabilities[rows].argmax(axis=1))),
            "probability": pa.array(probabilities[rows, labels[rows]]),
            "margin": pa.array(margin[rows]),
            "text": pc.utf8_slice_codeunits(texts, 0, SHOWN_CHARACTERS),
        }
        return _rows(columns, len(rows))


def _rows(columns: dict[str, pa.Array], n: int) -> pa.Table:
    """Return rows of ``schemas.DOUBTS``, null where no column is given."""
    return pa.table([columns.get(field.name, pa.nulls(n, field.type)) for field in DOUBTS], schema=DOUBTS)
