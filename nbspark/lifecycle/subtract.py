"""Exact subtraction of counts: what reaches zero is gone, and nothing may fall below."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.moments import Moments
from nbspark.counting.checks import ROUNDING
from nbspark.counting.facts import READ, ROW_FACTS, UNLABELLED
from nbspark.counting.merging import merge, pack
from nbspark.schemas import ADDITIVE, COUNTS, MOMENTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SHOWN = 5  # offenders in a message


def labelled(counts: pa.Table) -> pa.Table:
    """Return counts as if documents without a label had not been read."""
    is_fact = counts["label"].is_null()
    is_unlabelled, is_read = (
        pc.and_(is_fact, pc.fill_null(pc.equal(counts["feature"], fact), False)) for fact in (UNLABELLED, READ)
    )
    n_unlabelled = pc.sum(counts.filter(is_unlabelled)["n_docs"]).as_py() or 0.0
    n_docs = pc.if_else(is_read, pc.subtract(counts["n_docs"], n_unlabelled), counts["n_docs"])
    place = counts.schema.get_field_index("n_docs")
    return counts.set_column(place, COUNTS.field("n_docs"), pc.if_else(is_unlabelled, 0.0, n_docs))


def negative(counts: pa.Table) -> pa.Table:
    """Return counts to be subtracted."""
    columns = {name: pc.negate(counts[name]) if name in ADDITIVE else counts[name] for name in COUNTS.names}
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


def without(rows: pa.Table, changes: Sequence[pa.Table]) -> pa.Table:
    """Return counts of a batch, each key once, with some changes added; only rows of terms that change are merged."""
    changed = pa.concat_tables(changes)
    touched = pc.or_(rows["term"].is_null(), pc.is_in(rows["term"], pc.unique(changed["term"]).drop_null()))
    return pa.concat_tables([rows.filter(pc.invert(touched)), add_up([rows.filter(touched), changed])])


def impossible(rows: pa.Table) -> list[str]:
    """Return the first rows that are no counts, since more was subtracted than there was, for a message.

    Examples
    --------
    >>> rows = [{"label": "spam", "feature": "body", "term": "win", "n_tokens": -1.0, "n_docs": 0.0}]
    >>> impossible(pa.Table.from_pylist(rows, COUNTS))
    ["'win' in 'spam'"]

    A term cannot be in more documents than there are:

    >>> rows = [("spam", "body", "win", 2.0, 2.0), ("spam", "body", None, 2.0, 1.0), ("spam", None, None, 0.0, 1.0)]
    >>> rows = [dict(zip(COUNTS.names, row)) for row in rows]
    >>> impossible(pa.Table.from_pylist(rows, COUNTS))
    ["'win' in 'spam'"]
    """
    low = np.minimum(rows["n_docs"].to_numpy(), rows["n_tokens"].to_numpy()) < 0
    if low.any():
        return told(rows.filter(pa.array(low)))
    return told(rows.filter(pa.array(_too_many(rows)))) or told(rows.filter(pa.array(_no_numbers(rows))))


def told(wrong: pa.Table) -> list[str]:
    """Return the first rows by what they count, for a message: terms before documents before facts."""
    facts = wrong.filter(pc.and_(wrong["label"].is_null(), pc.is_in(wrong["feature"], pa.array(ROW_FACTS))))
    of_terms = wrong.filter(pc.and_(wrong["label"].is_valid(), wrong["term"].is_valid()))
    of_classes = wrong.filter(pc.and_(wrong["label"].is_valid(), wrong["term"].is_null()))
    found = [f"{row['term']!r} in {row['label']!r}" for row in of_terms.slice(0, SHOWN).to_pylist()]
    found += [f"documents of {row['label']!r}" for row in of_classes.slice(0, SHOWN).to_pylist()]
    found += [f"rows that were {row['feature']}" for row in facts.slice(0, SHOWN).to_pylist()]
    return list(dict.fromkeys(found))[:SHOWN]


def can_be_numbers(moments: Moments, *, scale: Fraction) -> bool:
    """Say whether moments can be of numbers: the squares are what their mean needs or more, and nothing is of nothing.

    Parameters
    ----------
    scale : Fraction
        The squares from which these were subtracted; what is stored of them is rounded.
    """
    rounding = Fraction(ROUNDING) * (1 + scale)
    if abs(moments.n) <= ROUNDING:
        return abs(moments.squares) <= rounding
    return moments.squares - moments.total**2 / moments.n >= -rounding


def _too_many(rows: pa.Table) -> np.ndarray:
    """Return which rows count more documents than the (label, feature) or label that they are within."""
    totals = rows.filter(rows["term"].is_null())
    feature, label = (pc.cast(pc.fill_null(rows[name], ""), pa.string()) for name in ("feature", "label"))
    most = {(row["label"], row["feature"]): row["n_docs"] for row in totals.to_pylist() if row["label"] is not None}
    label, feature = label.dictionary_encode().combine_chunks(), feature.dictionary_encode().combine_chunks()
    names, features = label.dictionary.to_pylist(), feature.dictionary.to_pylist()
    by_term = np.array([[most.get((one, other), 0.0) for other in features] for one in names])
    by_class = np.array([most.get((one, None), 0.0) for one in names])
    code = label.indices.to_numpy()
    whole = np.where(rows["term"].is_valid().to_numpy(), by_term[code, feature.indices.to_numpy()], by_class[code])
    of_class = rows["label"].is_valid().to_numpy()
    return of_class & (rows["n_docs"].to_numpy() > whole * (1 + ROUNDING))


def _no_numbers(rows: pa.Table) -> np.ndarray:
    """Return which rows have moments of which no numbers can be."""
    wrong = np.zeros(rows.num_rows, bool)
    for i in np.flatnonzero(rows["mean"].is_valid().to_numpy()):
        stored = (rows[name][int(i)].as_py() for name in ("n_docs", *MOMENTS))
        left = Moments.from_stored(*stored)
        wrong[i] = not can_be_numbers(left, scale=abs(left.squares))
    return wrong
