"""What cross-validation found, and what can be done with it: the chosen model, its predictions out of fold."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from nbspark.arrays.frame import require_frame
from nbspark.counting.table import CountTable
from nbspark.counts import counts_of_files
from nbspark.errors import SpecError
from nbspark.local import LocalModel
from nbspark.model import Model, is_small
from nbspark.runtime.failures import own_errors
from nbspark.selection.calibrating import OutOfFold, errors_of
from nbspark.selection.doubting import Doubting
from nbspark.selection.frame import added_up, count_by_fold, doubts_of, out_of_fold, outcomes_of, require_inputs
from nbspark.selection.memory import doubts_in_memory, folds_in_memory, run_in_memory
from nbspark.selection.render import render
from nbspark.selection.temperature import Temperature, exponent_of, temperature_of
from nbspark.selection.tuning import Plan, run, total_files
from nbspark.selection.vector_scaling import VectorScaling, fit_vector
from nbspark.smoothing.calibration import Calibration
from nbspark.spec import changed_spec
from nbspark.store.learned import Learned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy as np
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from nbspark.selection.doubting import LabelDoubts
    from nbspark.selection.results import Score, Tried
    from nbspark.selection.tuning import Found

CHOICES = ("best", "simplest")
SAMPLED = 4_000_000  # scores, documents x classes, that a temperature's exponent is found by


class Tuned:
    """Settings that were tried by cross-validation; made by ``NaiveBayes.tune`` and ``NaiveBayes.cross_validate``.

    Parameters
    ----------
    documents : DataFrame or any documents in memory
    plan : Plan
    found : Found
    choose : {"best", "simplest"}

    Attributes
    ----------
    metric : str
        By which settings were compared.
    """

    def __init__(self, documents: Any, plan: Plan, found: Found, *, choose: str = "best") -> None:
        if choose not in CHOICES:
            raise SpecError(f"choose={choose!r} is not one of {list(CHOICES)}.")
        self.metric = plan.metric
        self._documents = documents
        self._plan = plan
        self._found = found
        self._choose = choose
        self._temperature: Temperature | None = None

    def __repr__(self) -> str:
        chosen = self.chosen
        return f"<Tuned: {len(self.settings)} settings, {len(self.folds)} folds, chosen {chosen.setting.options}>"

    def __str__(self) -> str:
        return self.table()

    def table(self, specs: Sequence[str] = ()) -> str:
        """Return the settings with their metrics, the best first; ``specs`` are the names of several specs."""
        return render(self._found.comparison, specs)

    @property
    def rows(self) -> dict[str, int]:
        """What became of the rows that were read (``counting.facts.ROW_FACTS``)."""
        return dict(self._found.rows[0])

    @property
    def settings(self) -> Sequence[Tried]:
        """Every setting with its metrics, in the order of the grid."""
        return self._found.comparison.tried

    @property
    def folds(self) -> Sequence[str]:
        """The folds, in the order of each metric's."""
        return self._found.comparison.folds

    @property
    def best(self) -> Tried:
        """The setting with the best mean of the metric."""
        return self.settings[self._found.comparison.best]

    @property
    def simplest(self) -> Tried:
        """The simplest setting within one standard error of the best: with the fewest terms, then the largest alpha."""
        return self.settings[self._found.comparison.simplest]

    @property
    def chosen(self) -> Tried:
        """The one of the two that was asked for."""
        return self.best if self._choose == "best" else self.simplest

    @property
    def metrics(self) -> dict[str, Score]:
        """The metrics of the chosen setting, by name."""
        return dict(self.chosen.metrics)

    def p_value(self, tried: Tried) -> float | None:
        """Return the p-value that a setting is as good as the best; None for that itself."""
        return self._found.comparison.p_value(list(self.settings).index(tried))

    @own_errors()
    def temperature(self) -> Temperature:
        """Return the chosen setting's temperature and its exponent, those of least log loss out of fold.

        The documents are scored twice, the first time that it is asked for: for the exponent, of which a sample is
        enough, and for the temperature. Each counts by its weight.
        """
        if self._temperature is None:
            scores = self._out_of_fold()
            n_docs = self._found.rows[self.chosen.setting.base]["rows_read"]
            share = SAMPLED / max(1, n_docs * len(scores.labels))
            exponent = exponent_of(self._added_up(partial(scores.sums, share=share)))
            self._temperature = temperature_of(self._added_up(partial(scores.sums, exponent=exponent)), exponent)
        return self._temperature

    @own_errors()
    def calibration(self) -> dict[str, dict[str, float]]:
        """Return log loss and calibration error ``before`` and ``after`` the temperature, out of fold.

        The documents are scored once more.
        """
        fitted = self.temperature()
        before, after = errors_of(self._added_up(partial(self._out_of_fold().confidences, temperature=fitted)))
        return {
            "log_loss": {"before": fitted.log_loss_before, "after": fitted.log_loss},
            "calibration_error": {"before": before, "after": after},
        }

    def _added_up(self, tally: Callable[[Iterable[tuple[str, pa.Table]]], np.ndarray]) -> np.ndarray:
        """Return what a function of ``OutOfFold`` makes of the documents."""
        if not hasattr(self._documents, "mapInArrow"):
            return tally(folds_in_memory(self._documents, self._plan))
        n_docs = self._found.rows[self.chosen.setting.base]["rows_read"]
        return added_up(self._documents, tally, plan=self._plan, n_docs=n_docs)

    @own_errors()
    def vector_scaling(self) -> VectorScaling:
        """Return the chosen setting's temperature and bias for each class, for documents in memory.

        It scores them once, and holds the scores.
        """
        if hasattr(self._documents, "mapInArrow"):
            raise SpecError(
                "vector_scaling wants documents in memory (a table, a mapping of columns), since it goes over the "
                "scores about eight times. Give it a sample of them, or take the temperature."
            )
        scores = self._out_of_fold()
        batches = list(scores.scores(folds_in_memory(self._documents, self._plan)))
        return fit_vector(lambda: batches, scores.labels)

    @own_errors()
    def doubtful_labels(self, *, n: int = 20, shown: Sequence[str] | None = None) -> LabelDoubts:
        """Return which labels are probably wrong, by confident learning from calibrated probabilities out of fold.

        Parameters
        ----------
        n : int
            How many of the most doubtful documents to return; all are scored four times.
        shown : sequence of str, optional
            Columns whose beginnings are returned with them; the features' unless given.
        """
        plan, setting, fitted = self._plan, self.chosen.setting, self.temperature()
        doubting = Doubting(self._out_of_fold(), Calibration(fitted.value, fitted.exponent))
        shown = list(dict.fromkeys(setting.spec.columns() if shown is None else shown))
        if not hasattr(self._documents, "mapInArrow"):
            return doubts_in_memory(self._documents, plan, doubting, shown=shown, n=n)
        n_docs = self._found.rows[setting.base]["rows_read"]
        return doubts_of(self._documents, plan=plan, doubting=doubting, shown=shown, n=n, n_docs=n_docs)

    def _out_of_fold(self) -> OutOfFold:
        """Return what scores documents under the chosen setting."""
        setting, plan = self.chosen.setting, self._plan
        weight = None if plan.weight is None else plan.columns.index(plan.weight)
        return OutOfFold(self._found.bases[setting.base], setting, truth=plan.columns.index(plan.truth), weight=weight)

    @own_errors()
    def model(self, *, calibrated: bool = False) -> Model | LocalModel:
        """Return the chosen setting's model of all documents, from the same counts: no document is read again.

        Of documents in Spark it is a ``Model``, which can be saved; of those in memory a ``LocalModel``.

        Parameters
        ----------
        calibrated : bool
            Give it the ``temperature`` of the setting, for which the documents are scored once more.
        """
        setting = self.chosen.setting
        if calibrated:
            options: dict[str, Any] = self.temperature().options
            spec = changed_spec(setting.spec, **options)
            setting = replace(setting, spec=spec)
        files = total_files(self._found.files[setting.base])
        if not hasattr(self._documents, "mapInArrow"):
            counts: CountTable = self._found.bases[setting.base].counts.total
            return LocalModel(setting.spec, counts)
        rows = Learned.of(files).rows
        spark = self._documents.sparkSession
        return Model(setting.spec, counts_of_files(setting.spec, files, spark, in_memory=is_small(rows)), rows)

    @own_errors()
    def predictions(self, *, keep: Sequence[str] | None = None) -> DataFrame:
        """Return the documents with the chosen setting's predictions, each by a model of the other folds; lazy.

        Parameters
        ----------
        keep : sequence of str, optional
            The columns of the documents to return; all unless given.

        Returns
        -------
        DataFrame
            The kept columns, ``fold``, ``schemas.PREDICTIONS`` and ``log_loss``; in no order.
        """
        documents, setting = require_frame(self._documents), self.chosen.setting
        base = self._found.bases[setting.base]
        return out_of_fold(documents, plan=self._plan, base=base, setting=setting, keep=keep)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        comparison = self._found.comparison
        return {
            "metric": self.metric,
            "folds": list(self.folds),
            "settings": [
                {
                    "options": ({"spec": one.setting.base} if len(self._plan.specs) > 1 else {}) | one.setting.options,
                    "metrics": {name: score.to_dict() for name, score in one.metrics.items()},
                    "n_terms": one.n_terms,
                    "p_value": comparison.p_value(i),
                    "best": i == comparison.best,
                    "simplest": i == comparison.simplest,
                    "chosen": one is self.chosen,
                }
                for i, one in enumerate(self.settings)
            ],
        }


@own_errors()
def tune(documents: Any, plan: Plan, *, choose: str = "best") -> Tuned:
    """Run the trials of a plan, at once."""
    if choose not in CHOICES:
        raise SpecError(f"choose={choose!r} is not one of {list(CHOICES)}.")
    if not hasattr(documents, "mapInArrow"):
        return Tuned(documents, plan, run_in_memory(documents, plan), choose=choose)
    require_inputs(documents, plan)
    found = run(
        plan,
        count=lambda spec: count_by_fold(documents, spec=spec, folds=plan.folds),
        attempt=lambda trials, n_docs: outcomes_of(documents, plan=plan, trials=trials, n_docs=n_docs),
    )
    return Tuned(documents, plan, found, choose=choose)
