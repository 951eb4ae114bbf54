"""Documents with weights: 2 is the row twice, 0 is no row."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbspark import Categorical, Numeric, Terms, Text
from nbspark.errors import DocumentsError
from nbspark.spec import Spec
from tests.builders import count_rows, documents, spec_of, trained

MAPS = pa.map_(pa.string(), pa.float64())


VALUES = st.tuples(
    st.sampled_from("abc"), st.text("xy ", max_size=4), st.sampled_from(["p", "q", None]), st.integers(-9, 9)
)
ROWS = st.lists(st.tuples(VALUES, st.integers(0, 3)), min_size=1, max_size=8)


def counts_of(spec: Spec, rows: list[tuple], weights: list[float] | None) -> list[dict]:
    labels, texts, categories, numbers = zip(*rows, strict=True)
    maps = pa.array([[(text, 0.5)] if text else [] for text in texts], MAPS)
    columns = [pa.array(texts), pa.array(categories, pa.string()), pa.array(numbers, pa.float64()), maps]
    found = count_rows(spec, [documents(labels, *columns, weights=weights)]).to_pylist()
    key = ("label", "feature", "term")
    return sorted((row for row in found if row["label"]), key=lambda row: [str(row[name]) for name in key])


@given(ROWS)
@settings(max_examples=60, deadline=None)
def test_weight_2_is_the_row_twice_and_weight_0_is_no_row(rows):
    repeated = [values for values, weight in rows for _ in range(weight)]
    if not repeated:
        return
    features = (Text("t"), Categorical("c"), Numeric("x"), Terms("m"))
    weighted = counts_of(spec_of(*features, weight="w"), [values for values, _ in rows], [float(w) for _, w in rows])
    assert weighted == counts_of(spec_of(*features), repeated, None)


@pytest.mark.parametrize(("weight", "shown"), [(-0.5, "-0.5"), (math.nan, "nan"), (math.inf, "inf"), (None, "None")])
def test_a_weight_that_is_none_is_shown_with_its_column(weight, shown):
    told = rf"the weight column 'w' holds the weight {shown} \(1 such in this batch\); a weight is a finite number >= 0"
    with pytest.raises(DocumentsError, match=told):
        trained(spec_of(Text("t"), weight="w"), ["a", "b"], ["x", "y"], weights=[1.0, weight])


def test_the_weight_of_a_row_without_label_does_not_matter():
    weighted = trained(spec_of(Text("t"), weight="w"), ["a", None], ["x", "y"], weights=[1.0, -1.0])
    assert weighted.labels == ["a"]
