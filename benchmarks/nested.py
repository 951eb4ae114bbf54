"""What tuning and calibration give on rows that neither has seen: chosen on the training folds only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from corpora import Corpus

from nbspark import NaiveBayes, Text
from nbspark.evaluation import measure, tally
from nbspark.evaluation.tallies import merge
from nbspark.features import Feature
from nbspark.local import LocalModel
from nbspark.scoring.kernel import Scorer

GRID: dict[str, list[Any]] = {
    "alpha": [0.01, 0.03, 0.1, 0.3, 1.0],
    "event": ["multinomial", "binary", "bernoulli", "complement"],
}
INNER_FOLDS = 5


@dataclass(frozen=True)
class Nested:
    """Accuracy and log loss over all tested rows, and how often each setting was chosen."""

    accuracy: float
    log_loss: float
    chosen: str


def is_text_only(features: Iterable[Feature]) -> bool:
    """Say whether the grid fits a model."""
    return all(isinstance(feature, Text) for feature in features)


def nested(features: tuple[Feature, ...], corpus: Corpus, parts: np.ndarray, tested: Iterable[int]) -> Nested:
    """Tune and calibrate on the other parts, score each tested part.

    Parameters
    ----------
    parts : int array, shape (n_rows,)
    tested : iterable of int
        The parts that are scored, each by a model of all other parts.
    """
    scored, chosen = [], Counter[str]()
    for part in tested:
        train, test = np.flatnonzero(parts != part), np.flatnonzero(parts == part)
        docs = {"label": corpus.labels.take(pa.array(train))}
        docs |= {one.column: corpus.columns[one.column].take(pa.array(train)) for one in features}
        found = NaiveBayes("label", features).tune(docs, GRID, folds=INNER_FOLDS)
        model = found.model(calibrated=True)
        assert isinstance(model, LocalModel)
        queries = [corpus.columns[one.column].take(pa.array(test)) for one in features]
        truth = corpus.labels.take(pa.array(test))
        prediction, _, _, _, losses = Scorer(model.spec.features, model._likelihoods).predict(queries, truth)
        scored.append(tally(pa.record_batch({"label": truth, "prediction": prediction, "log_loss": losses})))
        options = found.chosen.setting.options
        chosen[f"{options['event']} {options['alpha']:g}"] += 1
    all_rows = measure(merge(scored), intervals=False)
    assert all_rows.log_loss is not None
    told = ", ".join(name if n == 1 and len(chosen) == 1 else f"{n} x {name}" for name, n in chosen.most_common(2))
    return Nested(all_rows.accuracy, all_rows.log_loss, told)
