"""Measures of a term and a class beside scikit-learn and SciPy, on random corpora."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency
from sklearn.feature_selection import chi2 as sklearn_chi2
from sklearn.metrics import mutual_info_score

from nbspark.insight.measures import chi2, log_odds, mutual_information, npmi

cells = st.tuples(*[st.integers(0, 50)] * 4)  # documents: with term in class, with term elsewhere, without twice


def as_counts(table: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    both, elsewhere, without, _ = table
    return tuple(np.array([float(one)]) for one in (both, both + elsewhere, both + without, sum(table)))


@given(cells.filter(lambda t: (t[0] + t[1]) * (t[2] + t[3]) * (t[0] + t[2]) * (t[1] + t[3]) > 0))
@settings(max_examples=60, deadline=None)
def test_chi_square_is_that_of_scipy_and_of_scikit_learn_with_absence_as_a_feature(table):
    observed = np.array(table).reshape(2, 2)
    [found] = chi2(*as_counts(table))
    assert found == pytest.approx(chi2_contingency(observed, correction=False).statistic, rel=1e-9, abs=1e-9)
    has, of_class = (np.repeat(one, table) for one in ([1, 1, 0, 0], [1, 0, 1, 0]))
    assert found == pytest.approx(sum(sklearn_chi2(np.c_[has, 1 - has], of_class)[0]), rel=1e-9, abs=1e-9)


@given(cells.filter(lambda t: sum(t) > 0))
@settings(max_examples=60, deadline=None)
def test_mutual_information_is_that_of_scikit_learn(table):
    theirs = mutual_info_score(None, None, contingency=np.array(table, float).reshape(2, 2))
    assert mutual_information(*as_counts(table))[0] == pytest.approx(theirs, abs=1e-12)


@given(cells.filter(lambda t: t[0] > 0))
@settings(max_examples=60, deadline=None)
def test_npmi_is_between_minus_one_and_one_and_as_defined(table):
    [found] = npmi(*as_counts(table))
    both, term, of_class, n = (float(one[0]) for one in as_counts(table))
    assert -1 - 1e-12 <= found <= 1 + 1e-12
    if both < n:
        assert found == pytest.approx(math.log(both * n / (term * of_class)) / -math.log(both / n), abs=1e-12)


def test_log_odds_put_a_frequent_term_before_one_that_is_rare_and_one_sided():
    # 60 of 100 occurrences in a class of 1,000 of 10,000 tokens; and 2 of 2.
    n_ct, n_t = np.array([60.0, 2.0]), np.array([100.0, 2.0])
    frequent, rare = log_odds(n_ct, n_t, np.full(2, 1000.0), np.full(2, 10_000.0))
    delta = math.log(160 / (11_000 - 160)) - math.log(140 / (19_000 - 140))
    assert frequent == pytest.approx(delta / math.sqrt(1 / 160 + 1 / 140))
    assert frequent > rare > 0


def test_log_odds_of_two_classes_are_opposite_and_of_one_term_are_none():
    one = log_odds(np.array([3.0]), np.array([4.0]), np.array([10.0]), np.array([40.0]))
    other = log_odds(np.array([1.0]), np.array([4.0]), np.array([30.0]), np.array([40.0]))
    assert one[0] == pytest.approx(-other[0])
    assert log_odds(np.array([3.0]), np.array([4.0]), np.array([3.0]), np.array([4.0])).tolist() == [0.0]
