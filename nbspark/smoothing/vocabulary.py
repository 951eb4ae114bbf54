"""Which terms of a feature count: limits by frequency, applied to counts when a model is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.decimals import UNITS
from nbspark.errors import SpecError
from nbspark.features.options import LIMITS

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

    Raises
    ------
    SpecError
        The feature has terms, and its limits keep none.

    Notes
    -----
    Shares of documents and ``max_terms`` as ``min_df``, ``max_df`` and ``max_features`` of scikit-learn.
    """
    return counts.select(kept(feature, counts)) if has_limits(feature) else counts


def kept(feature: Text | Terms, counts: FeatureCounts) -> np.ndarray:
    """Return whether a feature's limits keep each term; as ``limit``, which selects those."""
    tokens, docs = counts.sum_by_term(counts.n_tokens), counts.sum_by_term(counts.n_docs)
    ranks = pc.sort_indices(
        pa.table({"tokens": tokens, "term": counts.terms}), sort_keys=[("tokens", "descending"), ("term", "ascending")]
    ).to_numpy()
    keep = np.ones(len(tokens), bool)
    keep[ranks[: feature.drop_top]] = False
    share = shares(docs, float(counts.docs.sum()))
    if feature.min_docs is not None:
        keep &= (share if isinstance(feature.min_docs, float) else docs) >= feature.min_docs
    if feature.max_docs is not None:
        keep &= (share if isinstance(feature.max_docs, float) else docs) <= feature.max_docs
    keep &= tokens >= feature.min_count
    if feature.max_terms is not None:
        best = ranks[keep[ranks]][: feature.max_terms]
        keep[:] = False
        keep[best] = True
    require_terms(feature, before=len(keep), after=int(keep.sum()))
    return keep


def shares(docs: np.ndarray, n_docs: float) -> np.ndarray:
    """Return documents as shares of all, to be compared with a decimal that a user wrote.

    Notes
    -----
    The quotient of two whole numbers is rounded once, and so is a decimal that is read: where they are equal, so are
    their doubles. A product is rounded again: 0.07 * 100 is more than 7. Fractional counts are decimals, and their
    whole numbers of the last digit are divided.

    Examples
    --------
    >>> [float(shares(np.array([n]), 100.0)[0]) for n in (7.0, 29.0)], shares(np.array([0.3]), 3.0).tolist()
    ([0.07, 0.29], [0.1])
    """
    if not n_docs:
        return np.zeros(len(docs))
    is_whole = (np.rint(docs) == docs) & (np.rint(n_docs) == n_docs)
    return np.where(is_whole, docs / n_docs, np.rint(docs * UNITS[1]) / np.rint(n_docs * UNITS[1]))


def require_terms(feature: Text | Terms, *, before: int, after: int) -> None:
    """Raise an error where a feature's limits keep none of the terms that it has."""
    if before and not after:
        given = {name: getattr(feature, name) for name in LIMITS if getattr(feature, name) not in (None, 0)}
        zeros = {name: getattr(feature, name) for name in LIMITS if getattr(feature, name) == 0 and "max" in name}
        told = ", ".join(f"{name}={value!r}" for name, value in {**given, **zeros}.items())
        raise SpecError(
            f"{feature.kind} feature {feature.column!r}: its limits {told} keep none of its terms: {before:,} before, "
            "0 after. Loosen them, or leave the feature out."
        )
