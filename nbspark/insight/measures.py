"""How much a term says about a class: one pure function a measure, from the counts of pairs and their sums.

All take, for each (class, term) pair, arrays of one shape: ``n_ct``, the count of the pair; ``n_t``, of the term in all
classes; ``n_c``, of the class; ``n``, of everything. Logs are natural.
"""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy


def log_odds(n_ct: np.ndarray, n_t: np.ndarray, n_c: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return the z-score of the log odds ratio of a term in a class against all others, with an informative prior.

    The counts are tokens. The prior is the term's count in all classes, so that a rare term, of which little is known,
    is near 0 however one-sided its few occurrences are.

    Notes
    -----
    Monroe, Colaresi and Quinn (2008), Fightin' Words, equations 16, 20 and 22, the prior as in Jurafsky and Martin,
    Speech and Language Processing, "Log odds ratio informative Dirichlet prior": with a_t = n_t and A = n,

        delta = log (n_ct + a_t) / (n_c + A - n_ct - a_t) - the same of the other classes
        variance = 1 / (n_ct + a_t) + 1 / (n_ot + a_t);    z = delta / sqrt(variance)

    Examples
    --------
    A term 3 times in a class of 10 tokens, once in the 30 others: a = 4, A = 40.

    >>> z = log_odds(np.array([3.0]), np.array([4.0]), np.array([10.0]), np.array([40.0]))
    >>> by_hand = (np.log(7 / (50 - 7)) - np.log(5 / (70 - 5))) / np.sqrt(1 / 7 + 1 / 5)
    >>> bool(np.isclose(z[0], by_hand)), round(float(z[0]), 4)
    (True, 1.2803)
    """
    one, other = n_ct + n_t, (n_t - n_ct) + n_t
    with np.errstate(divide="ignore", invalid="ignore"):  # a vocabulary of one term: it has no odds
        delta = np.log(one / (n_c + n - one)) - np.log(other / ((n - n_c) + n - other))
        z = delta / np.sqrt(1.0 / one + 1.0 / other)
    return np.where(np.isfinite(z), z, 0.0)


def chi2(n_ct: np.ndarray, n_t: np.ndarray, n_c: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return Pearson's chi-square of having the term and being of the class, without a correction; counts of documents.

    Notes
    -----
    Manning, Raghavan and Schuetze (2008), 13.5.2: n (n11 n00 - n10 n01)^2 / the product of the four sums.

    Examples
    --------
    3 of 10 documents of a class have a term, and 1 of 30 others:

    >>> found = chi2(np.array([3.0]), np.array([4.0]), np.array([10.0]), np.array([40.0]))
    >>> bool(np.isclose(found[0], 40 * (3 * 29 - 1 * 7) ** 2 / (4 * 36 * 10 * 30)))
    True
    """
    difference = n_ct * (n - n_t - n_c + n_ct) - (n_t - n_ct) * (n_c - n_ct)
    sums = n_t * (n - n_t) * n_c * (n - n_c)
    return np.divide(n * difference**2, sums, out=np.zeros(len(n_ct)), where=sums > 0)


def mutual_information(n_ct: np.ndarray, n_t: np.ndarray, n_c: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return the mutual information of having the term and being of the class, in nats; counts of documents.

    Notes
    -----
    Manning, Raghavan and Schuetze (2008), 13.5.1: the sum over the four cells of n_ij / n log(n n_ij / (n_i n_j)).

    Examples
    --------
    >>> always = mutual_information(np.array([5.0]), np.array([5.0]), np.array([5.0]), np.array([10.0]))
    >>> bool(np.isclose(always[0], np.log(2)))
    True
    """
    total = np.zeros(len(n_ct))
    for both, rows, columns in (
        (n_ct, n_t, n_c),
        (n_t - n_ct, n_t, n - n_c),
        (n_c - n_ct, n - n_t, n_c),
        (n - n_t - n_c + n_ct, n - n_t, n - n_c),
    ):
        expected = np.where(both > 0, rows * columns, 1.0)
        total += xlogy(both, np.where(both > 0, n * both / expected, 1.0))
    return np.maximum(total / n, 0.0)


def npmi(n_ct: np.ndarray, n_t: np.ndarray, n_c: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return the normalised pointwise mutual information, from -1 to 1: 1 where each comes with the other only.

    Notes
    -----
    Bouma (2009), Normalized (Pointwise) Mutual Information in Collocation Extraction:
    log(p(t, c) / (p(t) p(c))) / -log p(t, c). Counts of documents; pairs that occur.

    Examples
    --------
    >>> found = npmi(np.array([5.0, 2.0]), np.array([5.0, 4.0]), np.array([5.0, 5.0]), np.array([10.0, 10.0]))
    >>> found.round(12).tolist()  # log(0.2 / (0.4 * 0.5)) is 0
    [1.0, 0.0]
    """
    share = np.where(n_ct < n, -np.log(n_ct / n), 1.0)  # of a term of all documents where there is one class: 0 / 0
    return np.where(n_ct < n, np.log(n_ct * n / (n_t * n_c)) / share, 0.0)
