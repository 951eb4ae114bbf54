"""The worked examples that the system was asked to reproduce, in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from nbspark import Text
from nbspark.spec import Spec
from tests.builders import trained

CHINA = {
    "labels": ["yes", "yes", "yes", "no"],
    "texts": ["Chinese Beijing Chinese", "Chinese Chinese Shanghai", "Chinese Macao", "Tokyo Japan Chinese"],
    "query": "Chinese Chinese Chinese Tokyo Japan",
}


def joint(spec: Spec, labels: list[str], texts: list[str], query: str) -> dict[str, float]:
    """Return P(c) * P(query|c) for each class."""
    scorer = trained(spec, labels, texts)
    scores = scorer.joint_log_likelihood([pa.array([query])])[0]
    return dict(zip(scorer.labels, np.exp(scores), strict=True))


def test_add_one_smoothing_of_slp_appendix_b():
    # Jurafsky and Martin, Speech and Language Processing, appendix B, worked example; "with" is unknown, dropped.
    found = joint(
        Spec("y", (Text("t"),)),
        ["neg", "neg", "neg", "pos", "pos"],
        [
            "just plain boring",
            "entirely predictable and lacks energy",
            "no surprises and very few laughs",
            "very powerful",
            "the most fun film of the summer",
        ],
        "predictable with no fun",
    )
    negative = Fraction(3, 5) * Fraction(2 * 2 * 1, (14 + 20) ** 3)
    positive = Fraction(2, 5) * Fraction(1 * 1 * 2, (9 + 20) ** 3)
    assert found["neg"] == pytest.approx(float(negative), rel=1e-12)
    assert found["pos"] == pytest.approx(float(positive), rel=1e-12)


def test_document_priors_of_the_ir_book_table_13_1():
    # Manning, Raghavan and Schuetze (2008), example 13.1: priors 3/4 and 1/4.
    found = joint(Spec("y", (Text("t"),)), CHINA["labels"], CHINA["texts"], CHINA["query"])
    yes = Fraction(3, 4) * Fraction(5 + 1, 8 + 6) ** 3 * Fraction(0 + 1, 8 + 6) ** 2
    no = Fraction(1, 4) * Fraction(1 + 1, 3 + 6) ** 3 * Fraction(1 + 1, 3 + 6) ** 2
    assert (yes, no) == (Fraction(81, 268912), Fraction(8, 59049))
    assert found["yes"] == pytest.approx(float(yes), rel=1e-12)
    assert found["no"] == pytest.approx(float(no), rel=1e-12)


def test_token_priors_of_the_same_documents():
    found = joint(Spec("y", (Text("t"),), prior="tokens"), CHINA["labels"], CHINA["texts"], CHINA["query"])
    yes = Fraction(8, 11) * Fraction(3, 7) ** 3 * Fraction(1, 14) ** 2
    no = Fraction(3, 11) * Fraction(2, 9) ** 5
    assert (yes, no) == (Fraction(54, 184877), Fraction(32, 216513))
    assert found["yes"] == pytest.approx(float(yes), rel=1e-12)
    assert found["no"] == pytest.approx(float(no), rel=1e-12)


def test_stop_words_are_dropped_as_if_they_had_never_been_there():
    texts = ["the film was dull", "the film was the best"]
    with_list = joint(Spec("y", (Text("t", stop_words=["the", "was"]),)), ["neg", "pos"], texts, "the best film")
    as_if = joint(Spec("y", (Text("t"),)), ["neg", "pos"], ["film dull", "film best"], "best film")
    assert with_list == as_if
    assert with_list["pos"] == pytest.approx(float(Fraction(1, 2) * Fraction(2, 2 + 3) * Fraction(2, 2 + 3)))
