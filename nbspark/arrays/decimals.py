"""Sums of counts that may be fractional: the same to the last bit in any order, and subtraction gives back what was.

A weight of 0.1 is no double, so sums of it depend on their order. Counts are therefore read as decimals and added up as
whole numbers of the last digit; the sum is the double nearest to that decimal. A double holds 15 digits, so that sums
up to 9,007 have 12 digits after the point, and sums up to 9,007,199 have 9. Whole counts need none of this up to 2**53.
A larger fractional sum is rounded like any sum of doubles, and in one above 9,007 only 9 digits of a weight are exact.
"""

from __future__ import annotations

import numpy as np

UNITS = (1e12, 1e9)  # of the last digit in 1, the finer first
LARGEST = 2.0**53  # units that a double counts exactly


def is_whole(values: np.ndarray) -> bool:
    """Say whether all values are whole numbers."""
    return values.dtype.kind in "biu" or bool((np.rint(values) == values).all())


def rounded(values: np.ndarray) -> np.ndarray:
    """Return values as decimals of 12 digits after the point, large ones of 9, the largest as they are.

    >>> rounded(np.array([0.1 + 0.2, 1 / 3, 2.0, 1e15, 2**20 + 1 / 3])).tolist()
    [0.3, 0.333333333333, 2.0, 1000000000000000.0, 1048576.333333333]
    """
    if is_whole(values):
        return values
    return _nearest(values, *(np.rint(values * each) for each in UNITS))


def sums(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the sum of each run, given where runs start; no run is empty.

    >>> sums(np.array([1.0, 2.0, 4.0]), np.array([0, 2])).tolist()
    [3.0, 4.0]
    >>> sums(np.array([0.1, 0.2, 0.3, 0.3, 0.2, 0.1]), np.array([0, 3])).tolist()
    [0.6, 0.6]
    """
    if not len(starts):
        return np.zeros(0)
    plain = np.add.reduceat(values, starts)
    if is_whole(values):
        return plain
    return _nearest(plain, *(np.add.reduceat(np.rint(values * each), starts) for each in UNITS))


def sums_by_code(codes: np.ndarray, values: np.ndarray, n_codes: int) -> np.ndarray:
    """Return the sum of the values of each code from 0 to ``n_codes`` - 1.

    >>> sums_by_code(np.array([1, 1, 1, 0]), np.array([0.1, 0.2, 0.3, 2.0]), 3).tolist()
    [2.0, 0.6, 0.0]
    """
    plain = np.bincount(codes, weights=values, minlength=n_codes)
    if is_whole(values):
        return plain
    return _nearest(plain, *(np.bincount(codes, weights=np.rint(values * each), minlength=n_codes) for each in UNITS))


def _nearest(plain: np.ndarray, fine: np.ndarray, coarse: np.ndarray) -> np.ndarray:
    """Return numbers of units as decimals, of the finest units that are few enough to be exact; else plain sums."""
    of_coarse = np.where(np.abs(coarse) < LARGEST, coarse / UNITS[1], plain)
    return np.where(np.abs(fine) < LARGEST, fine / UNITS[0], of_coarse)
