"""What thresholds would buy: counted by hand, with weights, with nulls, however the documents are cut."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from nbspark.evaluation import measure, merge, render, tally

NAMES = ["label", "prediction", "probability", "n_known", "probabilities"]
ROWS = [  # label, prediction, probability, n_known, probabilities of a and b
    ("a", "a", 0.9, 3, [0.9, 0.1]),
    ("a", "b", 0.6, 2, [0.4, 0.6]),
    ("b", "b", 0.95, 1, [0.03, 0.97]),
    ("b", None, 0.99, 0, None),  # withheld
    (None, "a", 0.9, 9, [0.9, 0.1]),
]


def measured(weights=None, cut=2):
    columns = dict(zip(NAMES, zip(*ROWS, strict=True), strict=True))
    batch = pa.record_batch(columns | ({} if weights is None else {"weight": weights}))
    parts = [batch.slice(0, cut), batch.slice(cut)]
    return measure(merge([tally(part, classes=["a", "b"]) for part in parts]), intervals=False)


def points(found, threshold):
    return {one.value: (one.n_docs, one.coverage, one.accuracy) for one in found.coverage if one.threshold == threshold}


def test_a_document_is_covered_that_just_reaches_the_value():
    found = points(measured(), "min_probability")
    assert found[0.6] == (3, 3 / 4, 2 / 3)
    assert found[0.7] == found[0.9] == (2, 2 / 4, 1.0)
    assert found[0.95] == (1, 1 / 4, 1.0)
    assert found[0.98] == (0, 0.0, None)
    assert points(measured(), "min_known")[2] == (2, 2 / 4, 1 / 2)


def test_margins_are_of_the_probabilities_of_all_classes():
    found = points(measured(), "min_margin")
    assert (found[0.1], found[0.5], found[0.9]) == ((3, 3 / 4, 2 / 3), (2, 2 / 4, 1.0), (1, 1 / 4, 1.0))


def test_documents_count_by_their_weight():
    assert points(measured(weights=[1.0, 2.0, 3.0, 4.0, 5.0]), "min_probability")[0.6] == (3, 6 / 10, 4 / 6)


def test_the_points_are_those_of_scoring_with_the_threshold():
    rng = np.random.default_rng(3)
    share, right = rng.uniform(0.5, 1, 500), rng.uniform(size=500) < 0.8
    said = pa.array(np.where(right, "a", "b"))
    found = measure(tally(pa.record_batch([pa.array(["a"] * 500), said, share], NAMES[:3])), intervals=False)
    for one in found.coverage:
        kept = share >= one.value
        withheld = pa.array(np.where(right, "a", "b"), mask=~kept)
        again = measure(tally(pa.record_batch([["a"] * 500, withheld], NAMES[:2])), intervals=False)
        assert (one.n_docs, one.coverage) == (500 - again.n_unpredicted, kept.mean())
        assert one.accuracy is None or abs(one.accuracy - again.micro_precision) < 1e-12


def test_the_table_shows_the_highest_of_the_values_that_withhold_the_same():
    found = measured()
    text = render(found, coverage=True)
    rows = [line.split() for line in text.splitlines() if line.startswith("min_probability")]
    assert [row[1:] for row in rows] == [["0.6", "3", "75.0%", "0.6667"], ["0.9", "2", "50.0%", "1.0000"],
                                         ["0.95", "1", "25.0%", "1.0000"]]  # fmt: skip
    assert "min_probability" not in render(found)
    assert "1 document without a prediction: counted as wrong; accuracy of the others 0.6667" in text
    assert found.to_dict()["coverage"][0]["threshold"] == "min_probability"
