"""Pseudo-counts: one for every term of a feature, or a table for some of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.features.options import MAXIMUM_LIKELIHOOD, Alpha


@dataclass(frozen=True)
class PseudoCounts:
    """The pseudo-counts of a feature.

    Attributes
    ----------
    default : float
        Of a term that the table does not name; 0 for maximum likelihood.
    of_term : dict of str to float
        Of the terms that it names.
    """

    default: float
    of_term: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, alpha: Alpha) -> PseudoCounts:
        """Return what an option ``alpha`` says."""
        if isinstance(alpha, dict):
            return cls(1.0, alpha)
        return cls(0.0 if alpha == MAXIMUM_LIKELIHOOD else float(alpha))

    def each(self, terms: pa.Array) -> np.ndarray:
        """Return the pseudo-count of each term.

        >>> PseudoCounts(1.0, {"free": 0.5}).each(pa.array(["free", "win"])).tolist()
        [0.5, 1.0]
        """
        if not self.of_term:
            return np.full(len(terms), self.default)
        places = pc.index_in(terms, pa.array(list(self.of_term), pa.string()))
        given = np.r_[list(self.of_term.values()), self.default]
        return given[pc.fill_null(places, -1).to_numpy(zero_copy_only=False)]

    def sum(self, n_terms: int, named: list[str]) -> float:
        """Return the sum over a vocabulary, given its size and which of its terms the table names.

        >>> PseudoCounts(1.0, {"free": 0.5}).sum(3, ["free"])
        2.5
        """
        return (n_terms - len(named)) * self.default + sum(self.of_term[term] for term in sorted(named))

    def named(self, terms: pa.Array) -> list[str]:
        """Return which of the terms the table names."""
        if not self.of_term:
            return []
        return terms.filter(pc.is_in(terms, pa.array(list(self.of_term), pa.string()))).to_pylist()
