"""Moments: they add up exactly, in any order, and are the same numbers after storage."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbspark import Numeric
from nbspark.arrays.moments import Moments, exact_sum, product
from nbspark.counting.table import CountTable
from nbspark.schemas import ADDITIVE
from nbspark.scoring.kernel import Scorer
from nbspark.smoothing.likelihoods import smooth
from nbspark.spec import Spec
from tests.builders import count_rows, documents

# Numbers whose squares are doubles too, low halves included.
FLOATS = st.floats(-1e12, 1e12).filter(lambda x: x == 0 or abs(x) > 1e-12)
NUMBERS = st.lists(FLOATS, max_size=20)
WEIGHTED = st.lists(st.tuples(FLOATS, st.integers(1, 9)), min_size=1, max_size=20)


def moments(values: list[float], weights: list[float] | None = None) -> Moments:
    return Moments.of(np.array(values, float), None if weights is None else np.array(weights, float))


@given(NUMBERS)
def test_sums_are_those_of_fractions(values):
    exact = [Fraction(value) for value in values]
    assert moments(values) == Moments(Fraction(len(exact)), sum(exact, Fraction(0)), sum(x * x for x in exact))


@given(NUMBERS)
def test_a_product_is_exact_in_two_doubles(values):
    high, low = product(np.array(values, float), np.array(values[::-1], float))
    for one, other, a, b in zip(high, low, values, values[::-1], strict=True):
        assert Fraction(one) + Fraction(other) == Fraction(a) * Fraction(b)


@given(NUMBERS, NUMBERS, NUMBERS)
def test_parts_add_up_to_the_whole_in_any_order(first, second, third):
    a, b, c = moments(first), moments(second), moments(third)
    assert a + b == b + a
    assert (a + b) + c == a + (b + c) == moments(third + first + second)


@given(WEIGHTED)
def test_a_weight_is_the_number_that_often(rows):
    repeated = [value for value, weight in rows for _ in range(weight)]
    assert moments(*map(list, zip(*rows, strict=True))) == moments(repeated)


@given(WEIGHTED)
def test_a_stored_value_comes_back_to_30_digits_and_no_further_change(rows):
    whole = moments(*map(list, zip(*rows, strict=True)))
    again = Moments.from_stored(*whole.stored())
    scale = max(abs(value) for value, _ in rows) or 1.0
    assert again.n == whole.n
    assert abs(again.total - whole.total) <= 1e-30 * scale * whole.n
    assert abs(again.squares - whole.squares) <= 1e-29 * scale**2 * whole.n
    assert again.stored() == pytest.approx(whole.stored(), rel=1e-30, abs=1e-29 * scale**2)
    assert Moments.from_stored(*again.stored()).stored() == again.stored()


@given(WEIGHTED, WEIGHTED)
def test_a_part_is_taken_away_by_a_negative_weight(kept, gone):
    a, b = (moments(*map(list, zip(*rows, strict=True))) for rows in (kept, gone))
    negative = moments([value for value, _ in gone], [-weight for _, weight in gone])
    assert (a + b) + negative == a
    n, mean, m2, mean_rest, m2_rest = b.stored()  # as a stored batch of weight -1 has it: what adds, changes sign
    assert Moments.from_stored(-n, mean, -m2, mean_rest, -m2_rest).n == negative.n
    left = (a + b) + Moments.from_stored(-n, mean, -m2, mean_rest, -m2_rest)
    largest = max(abs(value) for value, _ in kept + gone)  # two doubles are 32 digits of the whole, not of what is left
    assert left.stored()[:3] == pytest.approx(a.stored()[:3], rel=1e-12, abs=1e-28 * max(1.0, largest**2))


def test_everything_taken_away_leaves_nothing():
    some = moments([1.5, 2.5, 1e9])
    assert (some + moments([1.5, 2.5, 1e9], [-1.0] * 3)).stored() == (0.0,) * 5


def test_a_sum_that_rounding_would_lose_is_found():
    assert exact_sum(np.array([1e300, 1.0, -1e300, 1e-300])) == 1 + Fraction(1e-300)


# Class a has variance 22.5, class b 15.5, whatever is added to every number.
LABELS = ["a"] * 4 + ["b"] * 4
VALUES = np.array([4, 7, 13, 16, 10, 14, 15, 21], float)
# N(11; 10, 22.5 + e) / (N(11; 10, 22.5 + e) + N(11; 15, 15.5 + e)), e = 1e-9 of the variance of all eight, 25.25.
P_OF_A = 0.576291811709
SHIFTS = [(0.0, 1.0), (1e9, 1.0), (1.7e12, 1.0), (0.0, 1e-7), (0.0, 1e7)]


def probability_of_a(spec: Spec, counts: pa.Table, query: float) -> float:
    scorer = Scorer(spec.features, smooth(spec, CountTable.from_arrow(counts)), probabilities=True)
    return dict(scorer.predict([pa.array([query])])[4][0].as_py())["a"]


@pytest.mark.parametrize(("shift", "scale"), SHIFTS)
@pytest.mark.parametrize("order", [range(8), [7, 0, 6, 1, 5, 2, 4, 3]])
def test_a_gaussian_far_from_zero_is_exact_however_the_numbers_arrive(shift, scale, order):
    spec = Spec("y", (Numeric("x"),))
    values = (VALUES + shift) * scale
    rows = [documents([LABELS[i]], [values[i]]) for i in order]
    splits = [[rows], [rows[:3], rows[3:]], [[row] for row in rows]]  # one stream, two, eight
    tables = [count_rows(spec, *streams) for streams in splits]
    tables.append(pa.concat_tables([count_rows(spec, rows[:5]), count_rows(spec, rows[5:])]))  # two batches
    whole = pa.concat_tables([tables[0], count_rows(spec, rows[:3])])
    tables.append(pa.concat_tables([whole, negative(count_rows(spec, rows[:3]))]))  # one learned twice, once unlearned
    for table in tables:
        assert probability_of_a(spec, table, (11 + shift) * scale) == pytest.approx(P_OF_A, rel=0, abs=1e-12)


def negative(counts: pa.Table) -> pa.Table:
    """Return counts as a batch of weight -1 adds them."""
    for name in ADDITIVE:
        i = counts.schema.get_field_index(name)
        values = [None if value is None else -value for value in counts[name].to_pylist()]
        counts = counts.set_column(i, counts.schema.field(i), pa.array(values, pa.float64()))
    return counts


def test_the_stored_variances_are_exact():
    spec = Spec("y", (Numeric("x"),))
    for shift, _ in SHIFTS[:3]:
        rows = count_rows(spec, [documents(LABELS, VALUES + shift)]).to_pylist()
        found = {row["label"]: (row["mean"], row["m2"] / row["n_docs"]) for row in rows if row["m2"] is not None}
        assert found == {"a": (10 + shift, 22.5), "b": (15 + shift, 15.5)}
