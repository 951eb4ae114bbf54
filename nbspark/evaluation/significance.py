"""Whether one way to classify is better than another, or the difference may be chance. No pyspark in it.

scipy's tests are imported where they are called: a command that only checks its arguments must not wait for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


def mcnemar(only_one: int, only_other: int) -> float:
    """Return the exact two-sided p-value that two classifiers are right equally often.

    Parameters
    ----------
    only_one, only_other : int
        Documents that only the one, and only the other, is right about. Those on which both are right, or both wrong,
        say nothing.

    Notes
    -----
    McNemar (1947); exact, as Edwards (1948) and Dietterich (1998), "Approximate statistical tests for comparing
    supervised classification learning algorithms", section 3.1, without his normal approximation: of the documents
    that set the two apart each is right about one half.

    Examples
    --------
    Of 4 documents all for the one: 2 of the 16 ways to toss 4 coins are as one-sided.

    >>> mcnemar(4, 0) == 2 / 16, mcnemar(3, 3), mcnemar(0, 0)
    (True, 1.0, 1.0)
    """
    from scipy.stats import binomtest

    n = only_one + only_other
    return float(binomtest(only_one, n, 0.5).pvalue) if n else 1.0


def paired_t(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the two-sided p-value that two series of measurements, taken in pairs, have the same mean.

    None where fewer than two pairs, or an infinite number, leave nothing to be compared.

    Notes
    -----
    Student's t-test of the differences. Over the folds of a cross-validation it is somewhat optimistic, because their
    training sets overlap (Dietterich 1998, section 3.3).

    Examples
    --------
    Differences of 1 and 3: mean 2, standard error 1, so t = 2 with one degree of freedom.

    >>> round(paired_t([2.0, 5.0], [1.0, 2.0]), 6) == round(1 - 2 * float(np.arctan(2.0)) / np.pi, 6)
    True
    >>> paired_t([0.5, 0.5], [0.5, 0.5]), paired_t([0.5], [0.4])
    (1.0, None)
    """
    from scipy.stats import ttest_rel

    left, right = np.asarray(one, float), np.asarray(other, float)
    if len(left) < 2 or not (np.isfinite(left).all() and np.isfinite(right).all()):
        return None
    if np.ptp(left - right) == 0:  # no spread: the same everywhere, or one better everywhere by the same
        return 1.0 if left[0] == right[0] else 0.0
    return float(ttest_rel(left, right).pvalue)
