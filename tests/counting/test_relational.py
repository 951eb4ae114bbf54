"""The algorithm as plain relational algebra, by the code of docs/how-it-works.md, and the system held against it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from chispa import assert_df_equality

from nbspark import NaiveBayes, Text
from tests.pages import run_page

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TRAINING = [
    ("spam", "win cash now win"),
    ("spam", "cash prize"),
    ("ham", "lunch at noon"),
    ("ham", "cash for lunch"),
    ("eggs", "now"),
    (None, "win"),
    ("spam", None),
]
TEST = [(0, "win cash"), (1, "lunch now now"), (2, "zzz"), (3, None), (4, "prize noon cash"), (5, "at")]
WHITESPACE = NaiveBayes(label="label", features=[Text("text", tokens="whitespace", lowercase=False)], alpha=0.5)


@pytest.fixture(scope="module")
def page(spark: SparkSession) -> dict[str, Any]:
    """Return the names that the code of docs/how-it-works.md makes."""
    return run_page("docs/how-it-works.md", spark=spark)


@pytest.fixture(scope="module")
def expected(spark, training, page) -> dict[tuple[int, str], float]:
    """Return the score of each document and label, by the page."""
    counts, priors = page["count"](training), page["log_priors"](training)
    likelihoods = page["log_likelihoods"](counts, priors.select("label"), alpha=0.5)
    scores = page["scores"](spark.createDataFrame(TEST, "id int, text string"), priors, likelihoods)
    return {(row["id"], row["label"]): row["score"] for row in scores.collect()}


@pytest.fixture(scope="module")
def training(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(TRAINING, "label string, text string")


@pytest.fixture(scope="module")
def model(training):
    return WHITESPACE.fit(training)


def test_the_page_has_the_numbers_of_the_book(page):
    assert page["found"] == pytest.approx({"yes": math.log(81 / 268912), "no": math.log(8 / 59049)}, abs=1e-12)


def test_counts_are_those_of_split_explode_and_group_by(training, page, model):
    pairs = model.counts.where("label is not null and term is not null").select("label", "term", "n_tokens")
    assert_df_equality(pairs, page["count"](training), ignore_row_order=True, ignore_nullable=True)


@pytest.mark.parametrize("plan", ["broadcast", "join"])
def test_both_plans_give_the_scores_of_the_relational_statement(spark, expected, model, plan):
    rows = model.transform(spark.createDataFrame(TEST, "id int, text string"), plan=plan, probabilities=True).collect()
    assert sorted(row["id"] for row in rows) == [key for key, _ in TEST]
    for row in rows:
        scores = {label: expected[row["id"], label] for label in model.labels}
        highest = max(scores.values())
        total = sum(math.exp(score - highest) for score in scores.values())
        assert row["probabilities"] == pytest.approx(
            {label: math.exp(score - highest) / total for label, score in scores.items()}
        )
        assert row["prediction"] == min(model.labels, key=lambda label: (-round(scores[label], 12), label))
        assert row["probability"] == pytest.approx(1 / total)


def test_log_likelihoods_are_those_of_the_relational_statement(model):
    # spam has 6 tokens, 2 of them "win"; V = 8 terms (win cash now prize lunch at noon for); alpha = 1/2.
    found = {(row["label"], row["term"]): row["log_likelihood"] for row in model.log_likelihoods().collect()}
    assert found["spam", "win"] == pytest.approx(math.log((2 + 0.5) / (6 + 8 * 0.5)))
    assert found["spam", None] == pytest.approx(math.log((0 + 0.5) / (6 + 8 * 0.5)))
    assert found["eggs", "now"] == pytest.approx(math.log((1 + 0.5) / (1 + 8 * 0.5)))
    assert ("eggs", "win") not in found
