"""What numbers are read from a column, and what is skipped or refused."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from nbspark import Numeric, Text
from nbspark.errors import DocumentsError
from tests.builders import spec_of, trained


@pytest.mark.parametrize("missing", [None, math.nan])
def test_a_missing_number_is_skipped_in_training_and_in_scoring(missing):
    spec = spec_of(Numeric("x"))
    with_gaps = trained(spec, ["a", "a", "a", "b", "b"], [1.0, missing, 3.0, 5.0, 9.0])
    without = trained(spec, ["a", "a", "b", "b"], [1.0, 3.0, 5.0, 9.0])
    query = [pa.array([2.0, missing])]
    scores = with_gaps.joint_log_likelihood(query)
    # The priors differ, 3/5 and 2/5 against 1/2 each; the densities do not.
    assert scores[0] - np.log([3 / 5, 2 / 5]) == pytest.approx(
        without.joint_log_likelihood(query)[0] - np.log([1 / 2, 1 / 2])
    )
    assert scores[1] == pytest.approx(np.log([3 / 5, 2 / 5]))


@pytest.mark.parametrize("value", [math.inf, -math.inf, 1e200])
def test_a_number_that_is_not_finite_or_too_large_is_named_with_its_column(value):
    told = rf"column 'length' holds the number {value!r}".replace("+", r"\+")
    with pytest.raises(DocumentsError, match=told):
        trained(spec_of(Numeric("length")), ["a", "b"], [1.0, value])
    scorer = trained(spec_of(Numeric("length")), ["a", "b"], [1.0, 2.0])
    with pytest.raises(DocumentsError, match=told):
        scorer.predict([pa.array([value])])


@pytest.mark.parametrize(
    "values",
    [
        pa.array([1, 2, 4], pa.int8()),
        pa.array([1, 2, 4], pa.int64()),
        pa.array([1, 2, 4], pa.float32()),
        pa.array([Decimal("1.00"), Decimal("2.00"), Decimal("4.00")]),
    ],
)
def test_numbers_of_any_type_are_the_same_numbers(values):
    spec = spec_of(Numeric("x"))
    as_doubles = pa.array([1.0, 2.0, 4.0])
    found = trained(spec, ["a", "a", "b"], values).joint_log_likelihood([values])
    assert found.tolist() == trained(spec, ["a", "a", "b"], as_doubles).joint_log_likelihood([as_doubles]).tolist()


def test_whole_numbers_beyond_the_digits_of_a_double_are_rounded_not_refused():
    large = pa.array([2**60 + 1, 2**61 + 1])
    assert trained(spec_of(Numeric("id")), ["a", "b"], large).predict([large])[0].to_pylist() == ["a", "b"]


def test_a_class_without_a_number_takes_those_of_all():
    scorer = trained(spec_of(Numeric("x"), prior="none"), ["a", "b", "b"], [None, 2.0, 4.0])
    found = scorer.joint_log_likelihood([pa.array([3.0, 7.0])])
    assert found[:, 0] == pytest.approx(found[:, 1])


def test_numbers_that_never_vary_leave_the_decision_to_the_other_features():
    spec = spec_of(Numeric("x"), Text("t"))
    scorer = trained(spec, ["a", "b"], [1.0, 1.0], ["win", "lunch"], probabilities=True)
    prediction, probability, *_ = scorer.predict([pa.array([1.0, 7.5]), pa.array(["lunch", "lunch"])])
    assert prediction.to_pylist() == ["b", "b"]
    assert probability.to_pylist() == pytest.approx([2 / 3] * 2)  # (1 + 1) / (1 + 2) against (0 + 1) / (1 + 2)
