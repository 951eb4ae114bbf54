"""The counts of documents one by one, and which of them each batch gives back when no batch holds them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.batches import gather
from nbspark.counting.facts import EMPTY, MISSING, READ, UNDECODABLE
from nbspark.features.undecodable import is_undecodable
from nbspark.features.values import as_text
from nbspark.lifecycle.batches import count_rows
from nbspark.lifecycle.holding import Wanted
from nbspark.schemas import COUNTS, LABEL_COLUMN, feature_column

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nbspark.spec import Spec

PART_DOCUMENTS = 1_000  # counted at a time


def wanted_apart(spec: Spec, documents: pa.Table) -> Wanted:
    """Return what each labelled document wants, counted by the kernels with its number in the place of its label.

    Parameters
    ----------
    documents : Table
        As ``lifecycle.documents.kernel_table`` has them; every one with a label.
    """
    parts: list[tuple[pa.Table, pa.Table]] = []
    for part in gather(documents.to_batches(max_chunksize=PART_DOCUMENTS), rows=PART_DOCUMENTS):
        first = sum(one.num_rows for one, _ in parts)
        numbers = pa.array(np.arange(first, first + part.num_rows)).cast(pa.string())
        numbered = part.set_column(part.schema.get_field_index(LABEL_COLUMN), LABEL_COLUMN, numbers)
        counted = count_rows(spec, numbered.to_batches())
        parts.append((part, counted.filter(counted["label"].is_valid())))
    counts = pa.concat_tables(counted for _, counted in parts)
    number = counts["label"].cast(pa.int64()).to_numpy()
    facts, of_fact = _facts(spec, documents, counts, number)
    labels = as_text(documents[LABEL_COLUMN])
    counts = counts.set_column(0, COUNTS.field("label"), labels.take(pa.array(number)))
    every = np.concatenate([number, of_fact])
    order = np.argsort(every, kind="stable")
    return Wanted(pa.concat_tables([counts, facts]).take(pa.array(order)).combine_chunks(), every[order])


def assign(wanted: Wanted, batches: Sequence[Callable[[], pa.Table]]) -> tuple[list[list[int]], list[int]]:
    """Return which documents each batch gives back, and which none does.

    Each document comes from the newest batch that holds it as a whole after those before it were taken. Documents that
    few batches hold come first, of these the ones with more counts, so that a batch is not used up by a document that
    could come from another; what is then still alike goes by what it counts. So the order of the documents is of no
    importance.

    Parameters
    ----------
    batches : sequence of callable
        Each returns the counts of a batch; the newest last.
    """
    can = [wanted.held(wanted.of(read())) for read in batches]
    left = sorted(range(len(wanted)), key=_order(wanted, np.sum(can, axis=0)))
    taken: list[list[int]] = [[] for _ in batches]
    for i in reversed(range(len(batches))):
        asked = [document for document in left if can[i][document]]
        if asked:
            taken[i] = wanted.take(wanted.of(batches[i]()), asked)
            gone = set(taken[i])
            left = [document for document in left if document not in gone]
    return taken, left


def _order(wanted: Wanted, n_batches: np.ndarray) -> Callable[[int], tuple[object, ...]]:
    """Return the key by which documents are taken in turn."""

    def key(document: int) -> tuple[object, ...]:
        counts = wanted.counts_of(document)
        return int(n_batches[document]), -len(counts), counts

    return key


def _facts(spec: Spec, documents: pa.Table, counts: pa.Table, number: np.ndarray) -> tuple[pa.Table, np.ndarray]:
    """Return what is to be known of each document as a row, and of which document each fact is.

    A document with weight 0 is one that was read, and nothing else.
    """
    n = documents.num_rows
    counted, has_term = np.zeros(n, bool), np.zeros(n, bool)
    is_term = counts["term"].is_valid().to_numpy()
    counted[number[~is_term]] = True
    has_term[number[is_term]] = True
    undecodable = is_undecodable(as_text(documents[LABEL_COLUMN]))
    found: list[tuple[str, str | None, np.ndarray]] = [(READ, None, np.ones(n, bool)), (EMPTY, None, ~has_term)]
    for i, feature in enumerate(spec.features):
        undecodable |= is_undecodable(documents[feature_column(i)].combine_chunks())
        of_feature = pc.and_(pc.equal(counts["feature"], str(feature.name)), pc.invert(counts["term"].is_valid()))
        present = np.zeros(n, bool)
        rows = pc.fill_null(of_feature, False).to_numpy()
        present[number[rows]] = counts["n_docs"].to_numpy()[rows] > 0
        found.append((MISSING, str(feature.name), ~present))
    found.append((UNDECODABLE, None, undecodable))
    rows, numbers = [], []
    for fact, detail, is_so in found:
        numbers.append(np.flatnonzero(is_so if fact == READ else is_so & counted))
        row = {"feature": fact, "term": detail, "n_tokens": 0.0, "n_docs": 1.0}
        rows += [row] * len(numbers[-1])
    return pa.Table.from_pylist(rows, COUNTS), np.concatenate(numbers)
