"""What became of the rows that were read: facts that travel with the counts, under a null label."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from nbspark.schemas import FACTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROW_FACTS = ("rows_read", "unlabelled", "without_terms", "undecodable", "missing")
READ, UNLABELLED, EMPTY, UNDECODABLE, MISSING = ROW_FACTS
N_PAIRS = "n_pairs"  # (label, feature, term) rows
CLASS = "class"  # documents of the label that is the detail


def tally(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the facts in some ``schemas.COUNTS`` as one batch of ``schemas.FACTS``."""
    found: defaultdict[tuple[str, str | None], float] = defaultdict(float, {(N_PAIRS, None): 0.0})
    for rows in batches:
        is_fact = pc.is_null(rows.column("label"))
        found[N_PAIRS, None] += pc.sum(pc.and_not(pc.is_valid(rows.column("term")), is_fact)).as_py() or 0
        for row in rows.filter(is_fact).to_pylist():
            found[row["feature"], row["term"]] += row["n_docs"]
        is_class = pc.and_not(pc.is_null(rows.column("feature")), is_fact)
        for row in rows.filter(is_class).select(["label", "n_docs"]).to_pylist():
            found[CLASS, row["label"]] += row["n_docs"]
    rows = [{"fact": fact, "detail": detail, "n": n} for (fact, detail), n in found.items()]
    yield pa.RecordBatch.from_pylist(rows, schema=FACTS)


def facts_of(files: pa.Table) -> pa.Table:
    """Return the ``schemas.FACTS`` of all files of ``schemas.WRITTEN``."""
    facts = pa.chunked_array([chunk.flatten() for chunk in files["facts"].chunks], pa.struct(list(FACTS)))
    return pa.Table.from_struct_array(facts)


def class_docs(facts: pa.Table) -> dict[str, float]:
    """Return the documents of each class in ``schemas.FACTS``, labels in string order.

    >>> class_docs(pa.table([["class", "class", "n_pairs"], ["spam", "ham", None], [2.0, 1.0, 7.0]], schema=FACTS))
    {'ham': 1.0, 'spam': 2.0}
    """
    rows = [row for row in facts.to_pylist() if row["fact"] == CLASS]
    return {row["detail"]: row["n"] for row in sorted(rows, key=lambda row: row["detail"])}


def add_up(facts: pa.Table) -> dict[str, int]:
    """Return the sums of ``schemas.FACTS`` by fact; rows in which a feature was missing under ``missing.FEATURE``.

    Documents of classes are left out: see ``class_docs``.

    >>> rows = [("rows_read", None, 2.0), ("rows_read", None, 3.0), ("missing", "size", 1.0), ("n_pairs", None, 7.0)]
    >>> found = add_up(pa.table(list(zip(*rows)), schema=FACTS))
    >>> found["rows_read"], found["missing.size"], found["n_pairs"], found["unlabelled"]
    (5, 1, 7, 0)
    """
    sums = dict.fromkeys([name for name in (*ROW_FACTS, N_PAIRS) if name != MISSING], 0)
    for row in sorted(facts.to_pylist(), key=lambda row: row["detail"] or ""):
        if row["fact"] == CLASS:
            continue
        name = row["fact"] if row["detail"] is None else f"{row['fact']}.{row['detail']}"
        sums[name] = sums.get(name, 0) + int(row["n"])
    return sums
