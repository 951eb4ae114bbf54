"""Trials on Spark: documents counted by fold in one pass, and scored where their fold is in another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import types as T

from nbspark.arrays.frame import column, positional, require_columns, require_scalar, spark_field, spark_schema
from nbspark.counting.frame import count_files, partial_counts_of
from nbspark.errors import DocumentsError
from nbspark.events.base import register
from nbspark.features.values import as_text
from nbspark.schemas import CONFIDENCE, DOUBTS, FOLD_BLOCKS, LABEL_COLUMN, OUTCOMES, feature_column
from nbspark.scoring.frame import Columns
from nbspark.scoring.kernel import Scorer
from nbspark.selection.blocks import read_blocks, write_blocks
from nbspark.selection.doubting import LabelDoubts
from nbspark.selection.folds import with_fold
from nbspark.selection.training import learned, limited, training_without
from nbspark.selection.trials import WINDOW_ROWS, windows
from nbspark.smoothing.term_rows import events_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame

    from nbspark.selection.doubting import Doubting
    from nbspark.selection.folds import Folds
    from nbspark.selection.grid import Setting
    from nbspark.selection.trials import Base, Trials
    from nbspark.selection.tuning import Plan
    from nbspark.spec import Spec

FOLD = pa.field("fold", pa.string())  # the column that predictions out of fold have besides


def require_inputs(documents: DataFrame, plan: Plan) -> None:
    """Raise an error unless the documents have the columns of a plan."""
    require_columns(documents, plan.columns, asked_by="the trials")
    for name, role in ((plan.truth, "label"), *((one, "fold") for one in plan.folds.columns if plan.folds.n is None)):
        require_scalar(documents, name, role=role)


def count_by_fold(documents: DataFrame, *, spec: Spec, folds: Folds) -> pa.Table:
    """Run the documents: return their counts by fold and label, ``schemas.COUNT_FILES``.

    It is the counting of every training, of documents whose label names their fold, too.
    """
    names = {feature.column: feature_column(i) for i, feature in enumerate(spec.features)}
    others = [name for name in folds.columns if name not in names]
    names |= {name: f"fold_{i}" for i, name in enumerate(others)}
    more = [column(name).alias(names[name]) for name in others]
    inputs = [names[name] for name in folds.columns]

    def label_by_fold(batch: pa.RecordBatch) -> pa.RecordBatch:
        found = folds.names([batch.column(name) for name in inputs])
        place = batch.schema.get_field_index(LABEL_COLUMN)
        return batch.set_column(place, LABEL_COLUMN, with_fold(found, as_text(batch.column(place))))

    counts = partial_counts_of(documents, spec=spec, more=more, before=label_by_fold)
    return counts.transform(count_files).toArrow()


def outcomes_of(documents: DataFrame, *, plan: Plan, trials: Trials, n_docs: int) -> pa.Table:
    """Run the documents: return the ``schemas.OUTCOMES`` of every setting on every fold."""
    n_chunks = max(1, n_docs // (WINDOW_ROWS * (plan.folds.n or 1)))

    def attempt(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return trials.outcomes(read_blocks(batches))

    blocks = blocks_of(documents, columns=plan.columns, folds=plan.folds, n_chunks=n_chunks)
    return blocks.mapInArrow(attempt, spark_schema(OUTCOMES)).toArrow()


def added_up(
    documents: DataFrame, tally: Callable[[Iterable[tuple[str, pa.Table]]], np.ndarray], *, plan: Plan, n_docs: int
) -> np.ndarray:
    """Run the documents: return the sum of what a function of ``calibrating.OutOfFold`` makes of some of each fold."""
    n_chunks = max(1, n_docs // (WINDOW_ROWS * (plan.folds.n or 1)))
    shape = tally(iter(())).shape
    names = [f"sum_{i}" for i in range(shape[-1])]

    def add(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        sums = tally(read_blocks(batches)).reshape(-1, shape[-1])
        yield pa.RecordBatch.from_arrays([pa.array(one) for one in sums.T], names)

    blocks = blocks_of(documents, columns=plan.columns, folds=plan.folds, n_chunks=n_chunks)
    found = blocks.mapInArrow(add, spark_schema(pa.schema([(name, pa.float64()) for name in names]))).toArrow()
    return np.stack([found[name].to_numpy() for name in names], axis=1).reshape(-1, *shape).sum(axis=0)


def doubts_of(
    documents: DataFrame, *, plan: Plan, doubting: Doubting, shown: Sequence[str], n: int, n_docs: int
) -> LabelDoubts:
    """Run the documents twice: return which labels are probably wrong; parameters are those of ``doubts_in_memory``."""
    columns = list(dict.fromkeys([*plan.columns, *shown]))
    places = [columns.index(name) for name in shown]

    def tally(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        own = doubting.sums(read_blocks(batches))
        yield pa.record_batch([pa.array(np.arange(own.shape[1]), pa.int32()), *map(pa.array, own)], schema=CONFIDENCE)

    blocks = _scored_blocks(documents, plan, plan.columns, n_docs)
    tallied = blocks.mapInArrow(tally, spark_schema(CONFIDENCE)).toArrow()
    sums = np.zeros((2, len(doubting.labels)))
    for row, name in zip(sums, CONFIDENCE.names[1:], strict=True):
        np.add.at(row, tallied["class"].to_numpy(), tallied[name].to_numpy())

    def doubt(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield doubting.doubts(read_blocks(batches), sums, places=places, n=n)

    found = _scored_blocks(documents, plan, columns, n_docs).mapInArrow(doubt, spark_schema(DOUBTS)).toArrow()
    return LabelDoubts.of(found, sums, doubting.labels, n=n)


def _scored_blocks(documents: DataFrame, plan: Plan, columns: Sequence[str], n_docs: int) -> DataFrame:
    """Return some columns of documents where their fold is scored."""
    n_chunks = max(1, n_docs // (WINDOW_ROWS * (plan.folds.n or 1)))
    return blocks_of(documents, columns=columns, folds=plan.folds, n_chunks=n_chunks)


def blocks_of(documents: DataFrame, *, columns: Sequence[str], folds: Folds, n_chunks: int) -> DataFrame:
    """Return some columns of documents as ``schemas.FOLD_BLOCKS``, those of a fold and chunk in one partition; lazy."""
    numbered = positional(documents)
    inputs = list(dict.fromkeys([*columns, *folds.columns]))
    places, carried = ([inputs.index(name) for name in names] for names in (folds.columns, columns))

    def write(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return write_blocks(batches, folds, places, carried, n_chunks)

    selected = numbered.select([numbered.columns[documents.columns.index(name)] for name in inputs])
    return selected.mapInArrow(write, spark_schema(FOLD_BLOCKS)).repartition("fold", "chunk")


def out_of_fold(
    documents: DataFrame, *, plan: Plan, base: Base, setting: Setting, keep: Sequence[str] | None = None
) -> DataFrame:
    """Return documents with their predictions by what the other folds are learned as; lazy, in no order.

    Parameters
    ----------
    base : Base
        That of the setting.
    keep : sequence of str, optional
        The columns to return; all unless given.

    Returns
    -------
    DataFrame
        The kept columns, ``fold``, and what scoring adds, ``log_loss`` included.
    """
    spec = setting.spec
    columns = Columns.of(documents, [feature.column for feature in spec.features], truth=plan.truth, keep=keep)
    folds, n_kept = plan.folds, len(columns.kept)
    events = events_of(spec)

    def scorer_of(fold: str) -> Scorer:
        vocabulary = limited(setting, training_without(base.counts, fold), fold)
        return Scorer(spec.features, learned(setting, vocabulary, fold))

    def score(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for event in events.values():
            register(event)
        for fold, tables in windows(read_blocks(batches)):
            scorer = scorer_of(fold)
            for table in tables:
                scored = columns.with_predictions(table, scorer)
                yield from scored.add_column(n_kept, FOLD, pa.repeat(pa.scalar(fold), len(table))).to_batches()

    fields = columns.schema(documents, scorer_of(base.counts.folds[0])).fields
    names = [documents.columns[columns.inputs[i]] for i in columns.kept]
    if FOLD.name in [name.lower() for name in names]:
        raise DocumentsError(
            f"documents: the predictions get a column {FOLD.name!r}, and one is kept: {names}. Rename it."
        )
    schema = T.StructType([*fields[:n_kept], spark_field(FOLD), *fields[n_kept:]])
    inputs = [documents.columns[i] for i in columns.inputs]
    scored = blocks_of(documents, columns=inputs, folds=folds, n_chunks=1).mapInArrow(score, schema)
    return scored.toDF(*names, *scored.columns[n_kept:])
