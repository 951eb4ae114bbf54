"""Bernoulli: every term of the vocabulary is in a document or not, and both are evidence."""

from __future__ import annotations

import numpy as np

from nbspark.events.base import Event, Parameters, TermCounts, Totals, presence, register


def estimate(counts: TermCounts, totals: Totals) -> Parameters:
    """Return the parameters of P(t|c) = (n_ct + alpha) / (D_c + 2 alpha), absent terms included.

    Notes
    -----
    Manning, Raghavan and Schuetze (2008), 13.3. A document is scored as if it were empty (``bias``, a sum over
    the vocabulary of log(1 - P(t|c))), then each of its terms adds log(P / (1 - P)); ``floor`` and ``base`` are
    that log odds for a term that the class has not seen: log(alpha / (D_c + alpha)).

    Examples
    --------
    One term in 1 of 2 documents of the class, alpha 1: P = (1 + 1) / (2 + 2); a document without it has 1 - P.

    >>> counts = TermCounts(np.array([0, 1]), np.array([0]), np.array([1.0]), np.array([1.0]))
    >>> found = estimate(counts, Totals(n=np.array([1.0]), docs=np.array([2.0]), n_terms=1, alpha=1.0, each_alpha=1.0))
    >>> np.exp(found.bias).tolist(), np.exp(found.bias + found.floor + found.base + found.lift).round(12).tolist()
    ([0.5], [0.5])
    """
    n_classes = len(totals.docs)
    alpha = totals.each_alpha
    docs = totals.docs[counts.classes]
    absent = docs - counts.n + alpha
    floor = -np.log(totals.docs + alpha)
    lift = np.log(counts.n + alpha) - np.log(absent) - np.log(alpha) + np.log(docs + alpha)
    # Over all terms log((D_c + alpha) / (D_c + 2 alpha)), and for pairs that were seen what that misses.
    unseen = np.log(totals.docs + alpha) - np.log(totals.docs + 2 * alpha)
    seen = np.log(absent) - np.log(docs + alpha)
    bias = len(counts.alpha) * unseen + counts.sum_by_class(seen, n_classes)
    base = np.log(counts.alpha)
    return Parameters(floor=floor, base=base, lift=lift, bias=bias, norm=np.zeros(n_classes))


def log_likelihood(added: np.ndarray) -> np.ndarray:
    """Return log P of log(P / (1 - P)), what a term adds to an empty document's score.

    >>> round(float(np.exp(log_likelihood(np.log(0.2 / 0.8)))), 12)
    0.2
    """
    return -np.logaddexp(0.0, -added)


register(
    Event(
        "bernoulli",
        counts="n_docs",
        estimate=estimate,
        frequency=presence,
        log_likelihood=log_likelihood,
        sums_over_terms=True,
        one_alpha=True,
        needs_alpha=True,
    )
)
