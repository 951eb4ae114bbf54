"""Trials in this process, by the kernels that Spark runs: for documents that are in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from nbspark.arrays.batches import gather
from nbspark.features.values import as_text
from nbspark.lifecycle.batches import count_in_memory
from nbspark.lifecycle.documents import as_table, kernel_batches, require_columns_of
from nbspark.schemas import LABEL_COLUMN, OUTCOMES
from nbspark.selection.blocks import by_fold
from nbspark.selection.doubting import LabelDoubts
from nbspark.selection.folds import with_fold
from nbspark.selection.tuning import Found, Plan, run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nbspark.selection.doubting import Doubting
    from nbspark.selection.trials import Trials
    from nbspark.spec import Spec


def run_in_memory(documents: Any, plan: Plan) -> Found:
    """Count, try and compare documents in memory: a table, a mapping of columns, or a pandas frame.

    Raises
    ------
    DocumentsError, SpecError
        As ``tuning.run``, or a column is missing.
    """
    table = require_columns_of(as_table(documents), plan.columns)
    inputs, places = _inputs(table, plan)
    folds = plan.folds.names([inputs.column(place).combine_chunks() for place in places])

    def count(spec: Spec) -> pa.Table:
        whole = pa.Table.from_batches(kernel_batches(table, spec))
        place = whole.column_names.index(LABEL_COLUMN)
        labelled = whole.set_column(place, LABEL_COLUMN, with_fold(folds, as_text(whole.column(place))))
        return count_in_memory(spec, labelled.to_batches())

    def attempt(trials: Trials, _n_docs: int) -> pa.Table:
        return pa.Table.from_batches(trials.outcomes(_by_fold(inputs, places, plan)), OUTCOMES)

    return run(plan, count=count, attempt=attempt)


def folds_in_memory(documents: Any, plan: Plan, shown: Sequence[str] = ()) -> Iterator[tuple[str, pa.Table]]:
    """Yield the documents of each fold, as ``calibrating.OutOfFold`` takes them; the columns shown come last."""
    return _by_fold(*_inputs(as_table(documents), plan, shown), plan)


def doubts_in_memory(documents: Any, plan: Plan, doubting: Doubting, *, shown: Sequence[str], n: int) -> LabelDoubts:
    """Return which labels are probably wrong; ``shown`` are the columns of the examples, ``n`` how many of these."""
    sums = doubting.sums(folds_in_memory(documents, plan))
    columns = list(dict.fromkeys([*plan.columns, *shown]))
    places, more = [columns.index(name) for name in shown], columns[len(plan.columns) :]
    found = doubting.doubts(folds_in_memory(documents, plan, more), sums, places=places, n=n)
    return LabelDoubts.of(pa.Table.from_batches([found]), sums, doubting.labels, n=n)


def _inputs(table: pa.Table, plan: Plan, shown: Sequence[str] = ()) -> tuple[pa.Table, list[int]]:
    """Return the columns that trials read, and where among them those are that decide the fold."""
    return table.select([*plan.columns, *shown]), [plan.columns.index(name) for name in plan.folds.columns]


def _by_fold(inputs: pa.Table, places: list[int], plan: Plan) -> Iterator[tuple[str, pa.Table]]:
    """Yield the documents of each fold."""
    return by_fold(gather(inputs.to_batches()), plan.folds, places, range(inputs.num_columns))
