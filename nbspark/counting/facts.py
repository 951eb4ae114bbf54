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


def tally(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the facts in some ``schemas.COUNTS`` as one batch of ``schemas.FACTS``."""
    found: defaultdict[tuple[str, str | None], float] = defaultdict(float, {(N_PAIRS, None): 0.0})
    for rows in batches:
        is_fact = pc.is_null(rows.column("label"))
        found[N_PAIRS, None] += pc.sum(pc.and_not(pc.is_valid(rows.column("term")), is_fact)).as_py() or 0
        for row in rows.filter(is_fact).to_pylist():
            found[row["feature"], row["term"]] += row["n_docs"]
    rows = [{"fact": fact, "detail": detail, "n": n} for (fact, detail), n in found.items()]
    yield pa.RecordBatch.from_pylist(rows, schema=FACTS)


def add_up(facts: pa.Table) -> dict[str, int]:
    """Return the sums of ``schemas.FACTS`` by fact; rows in which a feature was missing under ``missing.FEATURE``.

    >>> rows = [("rows_read", None, 2.0), ("rows_read", None, 3.0), ("missing", "size", 1.0), ("n_pairs", None, 7.0)]
    >>> found = add_up(pa.table(list(zip(*rows)), schema=FACTS))
    >>> found["rows_read"], found["missing.size"], found["n_pairs"], found["unlabelled"]
    (5, 1, 7, 0)
    """
    sums = dict.fromkeys([name for name in (*ROW_FACTS, N_PAIRS) if name != MISSING], 0)
    for row in sorted(facts.to_pylist(), key=lambda row: row["detail"] or ""):
        name = row["fact"] if row["detail"] is None else f"{row['fact']}.{row['detail']}"
        sums[name] = sums.get(name, 0) + int(row["n"])
    return sums
