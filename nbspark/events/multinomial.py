"""Multinomial: each token is a draw from the class's distribution over the vocabulary."""

from __future__ import annotations

import numpy as np

from nbspark.events.base import Event, Parameters, TermCounts, Totals, register


def estimate(counts: TermCounts, totals: Totals) -> Parameters:
    """Return the parameters of log P(t|c) = log((n_ct + alpha_t) / (N_c + A)).

    Notes
    -----
    Manning, Raghavan and Schuetze (2008), Introduction to Information Retrieval, 13.2:
    log(n_ct + alpha_t) - log(N_c + A) = -log(N_c + A) + log(alpha_t) + log1p(n_ct / alpha_t).
    With alpha_t = 0 (maximum likelihood) an unseen pair has probability 0, and a seen one's lift is log n_ct.

    Examples
    --------
    "Chinese Beijing Chinese", "Chinese Chinese Shanghai", "Chinese Macao": 8 tokens, 5 of them Chinese; V = 6.

    >>> counts = TermCounts(np.array([0, 1]), np.array([0]), np.array([5.0]), np.array([1.0]))
    >>> found = estimate(counts, Totals(n=np.array([8.0]), docs=np.array([3.0]), n_terms=6, alpha=6.0))
    >>> round(float(np.exp(found.floor + found.base + found.lift)[0]), 6) == round((5 + 1) / (8 + 6), 6)
    True
    """
    n_classes = len(totals.n)
    with np.errstate(divide="ignore"):
        # 0 only without smoothing and without a count: base then says that no term is possible.
        total = totals.n + totals.alpha
        floor = -np.log(np.where(total > 0, total, 1.0))
        base = np.log(counts.alpha)
        alpha = counts.of_pairs(counts.alpha)
        lift = np.where(alpha > 0, np.log1p(counts.n / alpha), np.log(counts.n))
    zeros = np.zeros(n_classes)
    return Parameters(floor=floor, base=base, lift=lift, bias=zeros, norm=zeros)


register(Event("multinomial", counts="n_tokens", estimate=estimate))
