"""Four short texts of two classes, and what a model of them gives for a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

from tests.builders import trained

if TYPE_CHECKING:
    from fractions import Fraction

    from nbspark.spec import Spec

LABELS = ["a", "a", "a", "b", None]
TEXTS = ["x x y", "x", None, "y z z z", "z"]  # a: 4 tokens, b: 4; V = 3


def exp_scores(spec: Spec, query: str | None, labels: list = LABELS, texts: list = TEXTS) -> list[float]:
    """Return what scoring gives for one text in each class, not as logarithms."""
    return np.exp(trained(spec, labels, texts).joint_log_likelihood([pa.array([query], pa.string())])[0]).tolist()


def approx(*fractions: Fraction | float) -> object:
    """Return numbers that others may differ from by rounding only."""
    return pytest.approx([float(one) for one in fractions], rel=1e-12)
