"""Exact subtraction of counts: what reaches zero is gone, and nothing may fall below."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.counting.facts import READ, ROW_FACTS, UNLABELLED
from nbspark.counting.merging import merge, pack
from nbspark.schemas import ADDITIVE, COUNTS

if TYPE_CHECKING:
    from collections.abc import Iterable

SHOWN = 5  # offenders in a message


def negative(counts: pa.Table) -> pa.Table:
    """Return counts to be subtracted: of labelled documents, as if those without a label had not been read."""
    is_fact = counts["label"].is_null()
    is_unlabelled, is_read = (
        pc.and_(is_fact, pc.fill_null(pc.equal(counts["feature"], fact), False)) for fact in (UNLABELLED, READ)
    )
    n_unlabelled = pc.sum(counts.filter(is_unlabelled)["n_docs"]).as_py() or 0.0
    columns = {name: counts[name] for name in COUNTS.names}
    columns["n_docs"] = pc.if_else(is_read, pc.subtract(counts["n_docs"], n_unlabelled), counts["n_docs"])
    columns["n_docs"] = pc.if_else(is_unlabelled, 0.0, columns["n_docs"])
    for name in ADDITIVE:
        columns[name] = pc.negate(columns[name])
    return pa.table(columns, schema=COUNTS)


def add_up(tables: Iterable[pa.Table]) -> pa.Table:
    """Return counts added up, one row per key; rows of a class or term of which nothing is left are gone."""
    packed = [batch for table in tables for batch in pack(table.to_batches())]
    rows = pa.Table.from_batches(list(merge(packed)), COUNTS)
    some = pc.or_(pc.not_equal(rows["n_docs"], 0.0), pc.not_equal(rows["n_tokens"], 0.0))
    is_total = pc.and_(rows["term"].is_null(), pc.is_in(rows["label"], pc.unique(_classes(rows))))
    return rows.filter(pc.or_(rows["label"].is_null(), pc.or_(is_total, some)))


def _classes(rows: pa.Table) -> pa.ChunkedArray:
    """Return the labels that have documents."""
    of_class = pc.and_(rows["label"].is_valid(), rows["feature"].is_null())
    return rows.filter(pc.and_(of_class, pc.not_equal(rows["n_docs"], 0.0)))["label"]


def below_zero(rows: pa.Table) -> list[str]:
    """Return the first rows in which more was subtracted than there was, for a message.

    Examples
    --------
    >>> rows = [{"label": "spam", "feature": "body", "term": "win", "n_tokens": -1.0, "n_docs": 0.0}]
    >>> below_zero(pa.Table.from_pylist(rows, COUNTS))
    ["'win' in 'spam'"]
    """
    low = np.minimum(rows["n_docs"].to_numpy(), rows["n_tokens"].to_numpy()) < 0
    wrong = rows.filter(pa.array(low))
    facts = wrong.filter(pc.and_(wrong["label"].is_null(), pc.is_in(wrong["feature"], pa.array(ROW_FACTS))))
    of_terms = wrong.filter(pc.and_(wrong["label"].is_valid(), wrong["term"].is_valid()))
    of_classes = wrong.filter(pc.and_(wrong["label"].is_valid(), wrong["term"].is_null()))
    found = [f"{row['term']!r} in {row['label']!r}" for row in of_terms.slice(0, SHOWN).to_pylist()]
    found += [f"documents of {row['label']!r}" for row in of_classes.slice(0, SHOWN).to_pylist()]
    found += [f"rows that were {row['feature']}" for row in facts.slice(0, SHOWN).to_pylist()]
    return list(dict.fromkeys(found))[:SHOWN]
