"""Sums of counts that may be fractional: the same to the last bit in any order, and subtraction gives back what was.

A weight of 0.1 is no double, so sums of it depend on their order. Counts are therefore read to ``DIGITS`` decimals and
added up as whole numbers of the last one; the sum is the double nearest to that decimal. It is exact up to ``LARGEST``,
and whole counts, which need none of this, up to 2**53. A larger sum is rounded like any sum of doubles.
"""

from __future__ import annotations

import numpy as np

DIGITS = 9
UNITS = 10.0**DIGITS
LARGEST = 2.0**53 / UNITS  # about 9 million


def is_whole(values: np.ndarray) -> bool:
    """Say whether all values are whole numbers."""
    return values.dtype.kind in "biu" or bool((np.rint(values) == values).all())


def rounded(values: np.ndarray) -> np.ndarray:
    """Return values to 9 decimals, those above ``LARGEST`` as they are.

    >>> rounded(np.array([0.1 + 0.2, 1 / 3, 2.0, 1e15])).tolist()
    [0.3, 0.333333333, 2.0, 1000000000000000.0]
    """
    if is_whole(values):
        return values
    return np.where(np.abs(values) < LARGEST, np.rint(values * UNITS) / UNITS, values)


def sums(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the sum of each run, given where runs start; no run is empty.

    >>> sums(np.array([1.0, 2.0, 4.0]), np.array([0, 2])).tolist()
    [3.0, 4.0]
    >>> sums(np.array([0.1, 0.2, 0.3, 0.3, 0.2, 0.1]), np.array([0, 3])).tolist()
    [0.6, 0.6]
    """
    if not len(starts):
        return np.zeros(0)
    if is_whole(values):
        return np.add.reduceat(values, starts)
    return _from_units(np.add.reduceat(np.rint(values * UNITS), starts), np.add.reduceat(values, starts))


def sums_by_code(codes: np.ndarray, values: np.ndarray, n_codes: int) -> np.ndarray:
    """Return the sum of the values of each code from 0 to ``n_codes`` - 1.

    >>> sums_by_code(np.array([1, 1, 1, 0]), np.array([0.1, 0.2, 0.3, 2.0]), 3).tolist()
    [2.0, 0.6, 0.0]
    """
    plain = np.bincount(codes, weights=values, minlength=n_codes)
    if is_whole(values):
        return plain
    return _from_units(np.bincount(codes, weights=np.rint(values * UNITS), minlength=n_codes), plain)


def _from_units(units: np.ndarray, plain: np.ndarray) -> np.ndarray:
    """Return sums of units as decimals, plain sums where the units are too many to be exact."""
    return np.where(np.abs(units) < 2.0**53, units / UNITS, plain)
