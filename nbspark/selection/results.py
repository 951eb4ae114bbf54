"""What trials came to: metrics over the folds, tests against the best setting, the simplest that is as good.

No pyspark in it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.errors import SpecError
from nbspark.evaluation.metrics import measure
from nbspark.evaluation.outcomes import as_tallies
from nbspark.evaluation.significance import mcnemar, paired_t
from nbspark.schemas import CONFUSION
from nbspark.selection.folds import in_order
from nbspark.smoothing.pseudo_counts import PseudoCounts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbspark.selection.grid import Setting

METRICS = {"accuracy": True, "macro_f1": True, "log_loss": False}  # whether more is better


@dataclass(frozen=True)
class Score:
    """A metric over the folds.

    Attributes
    ----------
    folds : tuple of float or None
        Of each fold; None where the fold has none.
    """

    folds: tuple[float | None, ...]

    @property
    def given(self) -> list[float]:
        """The folds that have the metric."""
        return [one for one in self.folds if one is not None]

    @property
    def mean(self) -> float:
        """The mean over folds, each with the same weight; NaN without any.

        >>> Score((0.5, 0.75)).mean
        0.625
        """
        return math.fsum(self.given) / len(self.given) if self.given else math.nan

    @property
    def se(self) -> float:
        """The standard error of the mean: the folds' sample standard deviation by the root of their number.

        >>> Score((0.5, 0.75)).se == math.sqrt(2 * 0.125**2 / 1) / math.sqrt(2)
        True
        """
        if len(self.given) < 2 or not math.isfinite(self.mean):
            return math.nan
        return float(np.std(self.given, ddof=1)) / math.sqrt(len(self.given))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, which knows no infinite number: it is the text "Infinity"."""
        return {"mean": _plain(self.mean), "se": _plain(self.se), "folds": [_plain(one) for one in self.folds]}


@dataclass(frozen=True)
class Tried:
    """How one setting fared.

    Attributes
    ----------
    setting : Setting
    metrics : dict of str to Score
        By the names in ``METRICS``.
    n_terms : int
        Terms in the vocabularies of a model of all documents under the setting.
    """

    setting: Setting
    metrics: Mapping[str, Score]
    n_terms: int

    @property
    def complexity(self) -> tuple[float, ...]:
        """What makes a setting simple: fewer terms, then larger pseudo-counts."""
        spec = self.setting.spec
        alphas = sorted(PseudoCounts.of(spec.alpha_of(feature)).default for feature in spec.term_features)
        return (self.n_terms, *(-alpha for alpha in alphas))


@dataclass(frozen=True)
class Comparison:
    """All settings, by one metric.

    Attributes
    ----------
    tried : sequence of Tried
    folds : sequence of str
        Their names, in the order of each ``Score``.
    only : int array, shape (n_settings, n_settings)
        How many documents the one setting is right about, and the other is not.
    metric : str
        One of ``METRICS``.
    """

    tried: Sequence[Tried]
    folds: Sequence[str]
    only: np.ndarray
    metric: str = "accuracy"

    def __post_init__(self) -> None:
        """Check the metric."""
        require_metric(self.metric)

    @cached_property
    def order(self) -> list[int]:
        """The settings, the best mean first; of equal ones the simplest, then the first of the grid."""
        return sorted(range(len(self.tried)), key=lambda i: (self._loss(i), self.tried[i].complexity, i))

    @property
    def best(self) -> int:
        """The first of them."""
        return self.order[0]

    @cached_property
    def simplest(self) -> int:
        """The simplest setting whose mean is within one standard error of the best one's; of equal ones the first.

        Notes
        -----
        Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees, 3.4.3: the 1 SE rule.
        """
        se = self.tried[self.best].metrics[self.metric].se
        limit = self._loss(self.best) + (0.0 if math.isnan(se) else se)
        near = [i for i in range(len(self.tried)) if self._loss(i) <= limit]
        return min(near, key=lambda i: (self.tried[i].complexity, self._loss(i), i))

    def p_value(self, i: int) -> float | None:
        """Return the p-value that a setting is as good as the best; None for that itself, or without enough folds.

        Of accuracy by McNemar's exact test over the documents, else by the paired t-test over the folds.
        """
        if i == self.best:
            return None
        if self.metric == "accuracy":
            return mcnemar(int(self.only[self.best, i]), int(self.only[i, self.best]))
        one, other = (self.tried[k].metrics[self.metric].folds for k in (self.best, i))
        pairs = [pair for pair in zip(one, other, strict=True) if None not in pair]
        left, right = ([float(pair[side] or 0.0) for pair in pairs] for side in (0, 1))
        return paired_t(left, right)

    def _loss(self, i: int) -> float:
        """Return the mean of a setting's metric, less being better."""
        mean = self.tried[i].metrics[self.metric].mean
        return math.inf if math.isnan(mean) else -mean if METRICS[self.metric] else mean


def require_metric(metric: str) -> None:
    """Raise an error unless settings can be compared by a metric."""
    if metric not in METRICS:
        raise SpecError(f"metric={metric!r} is not one of {list(METRICS)}.")


def tally(outcomes: pa.Table, n_settings: int) -> tuple[list[str], list[dict[str, Score]], np.ndarray]:
    """Add up outcomes.

    Parameters
    ----------
    outcomes : Table of ``schemas.OUTCOMES``

    Returns
    -------
    folds : list of str
        Those with a document that has a true label.
    scores : list of dict
        Of each setting.
    only : int array, shape (n_settings, n_settings)
        See ``Comparison``.
    """
    of_pairs = outcomes["other"].is_valid()
    only = np.zeros((n_settings, n_settings), np.int64)
    pairs = outcomes.filter(of_pairs)
    np.add.at(only, (pairs["setting"].to_numpy(), pairs["other"].to_numpy()), pairs["n_docs"].to_numpy())
    keys = ["setting", "fold", "label", "prediction"]
    sums = [(name, "sum") for name in CONFUSION.names if name not in keys]
    added = outcomes.filter(pc.invert(of_pairs)).group_by(keys, use_threads=False).aggregate(sums)
    confusion = added.rename_columns([name.removesuffix("_sum") for name in added.column_names])
    folds = in_order(pc.unique(confusion.filter(confusion["label"].is_valid())["fold"]).to_pylist())
    scores = []
    for i in range(n_settings):
        own = confusion.filter(pc.equal(confusion["setting"], i))
        found = [
            measure(as_tallies(own.filter(pc.equal(own["fold"], fold)).select(CONFUSION.names)), intervals=False)
            for fold in folds
        ]
        scores.append({name: Score(tuple(getattr(one, name) for one in found)) for name in METRICS})
    return folds, scores, only


def _plain(value: float | None) -> float | str | None:
    """Return a number as JSON can hold it."""
    if value is None or math.isnan(value):
        return None
    return "Infinity" if math.isinf(value) else value
