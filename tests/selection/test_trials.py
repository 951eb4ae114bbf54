"""Cross-validation from counts gives what as many separate trainings give, setting by setting, to the last bit."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbspark import Categorical, NaiveBayes, Numeric, Text
from nbspark.counting.table import CountTable
from nbspark.errors import SpecError
from nbspark.evaluation.outcomes import count_confusion
from nbspark.schemas import CONFUSION
from nbspark.scoring.kernel import Scorer
from nbspark.selection.grid import Setting
from nbspark.selection.memory import run_in_memory
from nbspark.selection.tuning import Plan
from nbspark.smoothing.likelihoods import smooth
from tests.builders import count_table

SPECS = [
    NaiveBayes("label", [Text("text")]),
    NaiveBayes("label", [Text("text", ngrams=(1, 2)), Categorical("size"), Numeric("length")]),
    NaiveBayes("label", [Text("text")], weight="weight"),
]
EVENTS = {"event": ["multinomial", "binary", "bernoulli", "complement"]}
GRIDS: list[dict[str, list[Any]]] = [
    EVENTS | {"alpha": [0.1, 2.0]},
    {
        "alpha": ["maximum_likelihood"],
        "prior": ["documents", "tokens", "uniform"],
        "prior_smoothing": [0.0, 0.5],
    },
    EVENTS | {"norm": [False, True], "class_weight": [None, "balanced"]},
    {"min_docs": [1, 2, 0.3], "max_docs": [None, 0.7], "drop_top": [0, 1]},
    {"max_terms": [None, 3], "min_count": [0, 2], "event": ["multinomial", "bernoulli"]},
]


@st.composite
def documents(draw: st.DrawFn) -> dict[str, list[Any]]:
    n = draw(st.integers(2, 12))

    def some(values: st.SearchStrategy[Any], *first: Any) -> list[Any]:
        return [*first, *draw(st.lists(values, min_size=n, max_size=n))]  # two are always there, in two folds

    words = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f"]), max_size=6).map(" ".join)
    return {
        "label": some(st.sampled_from(["x", "y", "z", None]), "x", "y"),
        "text": some(st.none() | words, "a b", "b c c"),
        "size": some(st.sampled_from(["s", "m", None]), "s", None),
        "length": some(st.none() | st.floats(-5, 5).map(lambda x: round(x, 2)), 1.5, None),
        "weight": some(st.sampled_from([0.0, 0.1, 0.3, 1.0, 2.5]), 1.0, 0.7),
        "fold": some(st.sampled_from([1, 2, 3]), 1, 2),
    }


def rows_of(docs: dict[str, list[Any]], keep: list[bool]) -> dict[str, list[Any]]:
    return {name: [one for one, kept in zip(values, keep, strict=True) if kept] for name, values in docs.items()}


def counts_without(docs: dict[str, list[Any]], spec: NaiveBayes, fold: int | None) -> CountTable:
    """Return the counts of a training without a fold."""
    train = rows_of(docs, [one != fold for one in docs["fold"]])
    weights = None if spec.weight is None else train["weight"]
    return count_table(spec, train["label"], *(typed(train[one.column]) for one in spec.features), weights=weights)


def confusion_of(docs: dict[str, list[Any]], setting: Setting, counts: CountTable, fold: int) -> list[tuple[Any, ...]]:
    """Return the confusion table of a fold's documents, scored by what was learned of others."""
    test = rows_of(docs, [one == fold for one in docs["fold"]])
    scorer = Scorer(setting.spec.features, smooth(setting.spec, counts))
    truth = pa.array(test["label"], pa.string())
    prediction, _, _, _, log_loss = scorer.predict([typed(test[one.column]) for one in setting.spec.features], truth)
    pairs = pa.record_batch([truth, prediction, log_loss], names=["label", "prediction", "log_loss"])
    return [tuple(row.values()) for row in count_confusion(pairs).to_pylist()]


def typed(values: list[Any]) -> pa.Array:
    return pa.array(values, pa.float64() if any(isinstance(one, float) for one in values) else pa.string())


@settings(max_examples=12, deadline=None)
@given(docs=documents(), spec=st.sampled_from(SPECS), grid=st.sampled_from(GRIDS))
def test_each_setting_is_as_good_as_in_separate_trainings(
    docs: dict[str, list[Any]], spec: NaiveBayes, grid: dict[str, list[Any]]
) -> None:
    table = pa.table({name: pa.array(values) if name == "fold" else typed(values) for name, values in docs.items()})
    plan = Plan.of([spec], grid, fold_column="fold")
    try:
        outcomes = run_in_memory(table, plan).outcomes.to_pylist()
    except SpecError:  # so would a training of one of the folds, or of all
        counts = [counts_without(docs, spec, fold) for fold in (1, 2, 3, None)]
        with pytest.raises(SpecError, match="keep none of its terms"):
            [smooth(setting.spec, one) for setting in plan.settings for one in counts]
        return
    for fold in sorted(set(docs["fold"])):
        others = counts_without(docs, spec, fold)
        for i, setting in enumerate(plan.settings):
            own = [row for row in outcomes if (row["setting"], row["other"], row["fold"]) == (i, None, str(fold))]
            mine = [tuple(row[name] for name in CONFUSION.names) for row in own]
            assert sorted(mine, key=str) == sorted(confusion_of(docs, setting, others, fold), key=str)
