"""Complement: what the other classes have is added up, so that small pseudo-counts keep their digits."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from nbspark import Terms
from nbspark.spec import Spec
from tests.builders import trained

MAPS = pa.map_(pa.string(), pa.float64())
COUNTS = {"a": {"x": 1e6, "z": 5.0}, "b": {"y": 7.0, "z": 3.0}, "c": {"z": 4.0, "y": 2.0}}


def scores(counts: dict[str, dict[str, float]], query: dict[str, float], alpha: float) -> list[float]:
    spec = Spec("y", (Terms("t", event="complement", alpha=alpha),), prior="none")
    scorer = trained(spec, list(counts), pa.array([list(one.items()) for one in counts.values()], MAPS))
    [found] = scorer.joint_log_likelihood([pa.array([list(query.items())], MAPS)])
    return found.tolist()


def by_hand(counts: dict[str, dict[str, float]], term: str, alpha: float) -> list[float]:
    """Return -log((n_t - n_ct + alpha) / (N - N_c + V alpha)) in exact arithmetic, rounded at its end."""
    terms = {term for one in counts.values() for term in one}
    smoothing = Fraction(alpha)
    found = []
    for label in counts:
        others = [one for other, one in counts.items() if other != label]
        n = sum((Fraction(one.get(term, 0)) for one in others), Fraction(0))
        total = sum((Fraction(value) for one in others for value in one.values()), Fraction(0))
        share = (n + smoothing) / (total + len(terms) * smoothing)
        found.append(math.log(share.denominator) - math.log(share.numerator))
    return found


@pytest.mark.parametrize("alpha", [1e-12, 1e-9, 1e-100, 1.0])
@pytest.mark.parametrize("term", ["x", "y", "z"])
def test_a_small_pseudo_count_is_not_lost_beside_a_large_count(term, alpha):
    assert scores(COUNTS, {term: 1.0}, alpha) == pytest.approx(by_hand(COUNTS, term, alpha), rel=1e-12, abs=1e-12)


def test_a_term_that_only_one_class_has_speaks_for_it():
    a, b, c = scores(COUNTS, {"x": 1.0}, 1e-12)
    # a: (0 + 1e-12) / 16; b: 1e6 / (1e6 + 5 + 6); c: 1e6 / (1e6 + 5 + 10).
    assert a - b == pytest.approx(math.log(16e12) - math.log(1_000_011 / 1e6), abs=1e-6)
    assert round(a - b, 3) == 30.404
    assert max(b, c) < a


def test_a_class_that_has_nearly_every_token_keeps_the_few_of_the_others():
    counts = {"a": {"x": 1e15, "y": 1.0}, "b": {"y": 0.25}}
    found = scores(counts, {"y": 1.0}, 1e-12)
    assert np.isfinite(found).all()
    assert found == pytest.approx(by_hand(counts, "y", 1e-12), rel=1e-12)
