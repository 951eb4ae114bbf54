"""Complement: a class is scored by how little a document looks like all the other classes."""

from __future__ import annotations

import numpy as np

from nbspark.events.base import Event, Parameters, TermCounts, Totals, register


def estimate(counts: TermCounts, totals: Totals) -> Parameters:
    """Return the parameters -log((n_t - n_ct + alpha_t) / (N - N_c + A)), all > 0.

    Notes
    -----
    Rennie, Shih, Teevan and Karger (2003), Tackling the poor assumptions of naive Bayes text classifiers,
    section 3.1; ``norm`` is the divisor of their weight normalisation, section 3.2.

    Examples
    --------
    One term, 3 times in class 0 and once in class 1, alpha 1: the complement of class 0 has it once.

    >>> counts = TermCounts(np.array([0, 2]), np.array([0, 1]), np.array([3.0, 1.0]), np.array([1.0]))
    >>> found = estimate(counts, Totals(n=np.array([3.0, 1.0]), docs=np.ones(2), n_terms=2, alpha=2.0))
    >>> complements = np.exp(-(found.floor + found.base + found.lift))
    >>> complements.round(12).tolist() == [round((1 + 1) / (1 + 2), 12), (3 + 1) / (3 + 2)]
    True
    """
    n_classes = len(totals.n)
    n_t = counts.sum_by_term(counts.n)
    everywhere = n_t + counts.alpha
    of_pairs = counts.of_pairs(everywhere)
    complement = totals.n.sum() - totals.n + totals.alpha
    floor = np.log(np.where(complement > 0, complement, 1.0))  # 0 only without any term: then nothing is added
    base = -np.log(everywhere)
    lift = np.log(of_pairs) - np.log(of_pairs - counts.n)
    norm = len(n_t) * floor + base.sum() + counts.sum_by_class(lift, n_classes)
    return Parameters(floor=floor, base=base, lift=lift, bias=np.zeros(n_classes), norm=norm)


register(
    Event(
        "complement",
        counts="n_tokens",
        presence=False,
        estimate=estimate,
        one_base=False,
        has_norm=True,
        needs_alpha=True,
    )
)
