"""Terms and categories that give the label away: what was collected with the documents rather than said in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.runs import cut_between_terms, term_starts
from nbspark.schemas import GIVEAWAYS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

SUPPORT = 10  # documents of the class with the term, and of the others: of fewer it may be chance
OF_CLASS = 0.8  # of the documents of the class have the term, at least
OF_TERM = 0.99  # of the documents with the term are of the class, at least


def giveaways(counts: Iterable[pa.RecordBatch], class_docs: Mapping[str, float]) -> Iterator[pa.RecordBatch]:
    """Yield the ``schemas.GIVEAWAYS`` among counts.

    Parameters
    ----------
    counts : iterable of RecordBatch of ``schemas.COUNTS``
        The rows of a term are neighbours.
    class_docs : mapping of str to float
        The documents of each label.

    Examples
    --------
    All 10 documents of ham have "re:", and none of the 20 of spam; "win" is in as many of both.

    >>> from nbspark.schemas import COUNTS
    >>> rows = [("ham", "re:", 10.0), ("ham", "win", 10.0), ("spam", "win", 10.0)]
    >>> counts = [{"label": c, "feature": "body", "term": t, "n_tokens": n, "n_docs": n} for c, t, n in rows]
    >>> found = giveaways([pa.RecordBatch.from_pylist(counts, COUNTS)], {"ham": 10.0, "spam": 20.0})
    >>> pa.Table.from_batches(found).to_pylist()
    [{'feature': 'body', 'term': 're:', 'label': 'ham', 'n_docs': 10.0, 'all_docs': 10.0, 'class_docs': 10.0}]
    """
    labels = pa.array(list(class_docs), pa.string())
    of_class = np.array([*class_docs.values(), 0.0])
    for batch in cut_between_terms(counts):
        rows = batch.filter(pc.and_(pc.is_valid(batch.column("term")), pc.is_valid(batch.column("label"))))
        term = np.cumsum(term_starts(rows)) - 1
        n_docs = rows.column("n_docs").to_numpy()
        all_docs = np.bincount(term, weights=n_docs)[term]
        own = of_class[pc.fill_null(pc.index_in(rows.column("label"), labels), len(labels)).to_numpy()]
        enough = (n_docs >= SUPPORT) & (of_class.sum() - own >= SUPPORT)
        keep = enough & (n_docs >= OF_CLASS * own) & (n_docs >= OF_TERM * all_docs)
        found = rows.filter(pa.array(keep))
        columns = [found.column(name) for name in GIVEAWAYS.names[:4]]
        yield pa.record_batch([*columns, all_docs[keep], own[keep]], schema=GIVEAWAYS)
