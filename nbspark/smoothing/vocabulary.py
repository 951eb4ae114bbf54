"""Which terms of a feature count: limits by frequency, applied to counts when a model is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from nbspark.counting.table import FeatureCounts
    from nbspark.features import Terms, Text


def has_limits(feature: Text | Terms) -> bool:
    """Say whether a feature limits its vocabulary at all."""
    given = feature.min_docs, feature.max_docs, feature.max_terms
    return any(limit is not None for limit in given) or bool(feature.drop_top or feature.min_count)


def limit(feature: Text | Terms, counts: FeatureCounts) -> FeatureCounts:
    """Return the counts of the terms that a feature's limits keep.

    The most frequent terms are dropped first, then those with too few or too many documents, and of the rest
    the most frequent are kept. Equal frequencies go by the term, in string order.

    Notes
    -----
    Shares of documents and ``max_terms`` as ``min_df``, ``max_df`` and ``max_features`` of scikit-learn.
    """
    if not has_limits(feature):
        return counts
    tokens, docs = counts.sum_by_term(counts.n_tokens), counts.sum_by_term(counts.n_docs)
    ranks = pc.sort_indices(
        pa.table({"tokens": tokens, "term": counts.terms}), sort_keys=[("tokens", "descending"), ("term", "ascending")]
    ).to_numpy()
    keep = np.ones(len(tokens), bool)
    keep[ranks[: feature.drop_top]] = False
    n_docs = float(counts.docs.sum())
    keep &= (docs >= n_docs_bound(feature.min_docs, n_docs, 0.0)) & (
        docs <= n_docs_bound(feature.max_docs, n_docs, np.inf)
    )
    keep &= tokens >= feature.min_count
    if feature.max_terms is not None:
        best = ranks[keep[ranks]][: feature.max_terms]
        keep[:] = False
        keep[best] = True
    return counts.select(keep)


def n_docs_bound(bound: float | None, n_docs: float, default: float) -> float:
    """Return a bound as a number of documents: a float is a share of them.

    >>> n_docs_bound(0.5, 10.0, 0.0), n_docs_bound(3, 10.0, 0.0), n_docs_bound(None, 10.0, 0.0)
    (5.0, 3, 0.0)
    """
    if bound is None:
        return default
    return bound * n_docs if isinstance(bound, float) else bound
