"""What categories are read from a column, and what is skipped or refused."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from nbspark import Categorical
from nbspark.errors import DocumentsError
from tests.builders import spec_of, trained

LISTS = pa.list_(pa.string())


@pytest.mark.parametrize(
    "values",
    [
        ["x", "y", "y"],
        [1, 2, 2],
        [1.5, 2.0, 2.0],
        [True, False, False],
        [Decimal("1.10"), Decimal("2.00"), Decimal("2.00")],
        [datetime.date(2026, 1, 1), datetime.date(2026, 1, 2), datetime.date(2026, 1, 2)],
    ],
)
def test_a_category_may_be_of_any_scalar_type(values):
    scorer = trained(spec_of(Categorical("c"), prior="none"), ["a", "a", "b"], values)
    found = np.exp(scorer.joint_log_likelihood([pa.array(values[:2])]))
    # Of 2 values: a has each once in 2 rows, b has the second once in 1 row.
    expected = [[(1 + 1) / (2 + 2), (0 + 1) / (1 + 2)], [(1 + 1) / (2 + 2), (1 + 1) / (1 + 2)]]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_category_is_its_text_whatever_the_type_of_the_column():
    scorer = trained(spec_of(Categorical("c")), ["a", "b"], pa.array([1, 2], pa.int32()))
    for same in (pa.array([1.0, 2.0]), pa.array(["1", "2"]), pa.array([Decimal("1.00"), Decimal("2.00")])):
        assert scorer.predict([same])[0].to_pylist() == ["a", "b"]


@pytest.mark.parametrize("values", [["x", None, "y", "y"], [1.0, math.nan, 2.0, 2.0]])
def test_a_missing_category_is_skipped_in_training_and_in_scoring(values):
    scorer = trained(spec_of(Categorical("c")), ["a", "a", "b", "b"], values)
    prediction, _, n_terms, n_known = scorer.predict([pa.array(values)])
    assert prediction.to_pylist() == ["a", "a", "b", "b"]
    assert (n_terms.to_pylist(), n_known.to_pylist()) == ([1, 0, 1, 1], [1, 0, 1, 1])
    # a: 1 of the 1 row that has the column, of 2 values.
    x = scorer.joint_log_likelihood([pa.array(values[:1])])[0]
    assert np.exp(x) == pytest.approx([2 / 4 * (1 + 1) / (1 + 2), 2 / 4 * (0 + 1) / (2 + 2)])


def test_an_unseen_category_is_skipped_and_counted_as_unknown():
    scorer = trained(spec_of(Categorical("c"), Categorical("d")), ["a", "b"], ["x", "y"], [1, 2])
    prediction, _, n_terms, n_known = scorer.predict([pa.array(["x", "zzz", "zzz"]), pa.array([9, 2, 9])])
    assert prediction.to_pylist() == ["a", "b", "a"]
    assert (n_terms.to_pylist(), n_known.to_pylist()) == ([2, 2, 2], [1, 1, 0])


def test_a_category_of_arrays_is_an_error_that_names_the_column():
    arrays = pa.array([["x"], ["y"]], LISTS)
    with pytest.raises(DocumentsError, match=r"column 'tags': a label or category must be a scalar, found list<"):
        trained(spec_of(Categorical("tags")), ["a", "b"], arrays)
