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
    # The other classes are added up, not subtracted from all: (n_t + alpha_t) - n_ct would lose a small alpha_t.
    elsewhere = _sum_of_others(counts.n, counts.indptr) + counts.of_pairs(counts.alpha)
    complement = _sum_of_others(totals.n, np.array([0, n_classes])) + totals.alpha
    floor = np.log(np.where(complement > 0, complement, 1.0))  # 0 only without any term: then nothing is added
    base = -np.log(everywhere)
    lift = np.log(counts.of_pairs(everywhere)) - np.log(elsewhere)
    norm = len(n_t) * floor + base.sum() + counts.sum_by_class(lift, n_classes)
    return Parameters(floor=floor, base=base, lift=lift, bias=np.zeros(n_classes), norm=norm)


def _sum_of_others(values: np.ndarray, indptr: np.ndarray) -> np.ndarray:
    """Return, for each value, the sum of the others of its run: those before it and those after it.

    >>> _sum_of_others(np.array([1e6, 5.0, 3.0, 7.0]), np.array([0, 1, 4])).tolist()
    [0.0, 10.0, 12.0, 8.0]
    """
    lengths = np.diff(indptr)
    longest_first = np.argsort(-lengths, kind="stable")
    n_longer = np.searchsorted(-lengths[longest_first], -np.arange(lengths.max(initial=0)), side="left")
    others = np.zeros(len(values))
    for first, step in ((indptr[:-1], 1), (indptr[1:] - 1, -1)):
        begins = first[longest_first]
        sums = np.zeros(len(lengths))
        for place, n_runs in enumerate(n_longer):  # the runs with a value at this place, seen from their begin
            at = begins[:n_runs] + step * place
            others[at] += sums[:n_runs]
            sums[:n_runs] += values[at]
    return others


register(
    Event(
        "complement",
        counts="n_tokens",
        estimate=estimate,
        unseen_alike=False,
        has_norm=True,
        needs_alpha=True,
    )
)
