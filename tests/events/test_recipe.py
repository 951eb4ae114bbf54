"""CONTRIBUTING's recipe for an event model, followed: one that no code knows works wherever events do."""

from __future__ import annotations

import math

import pytest

from nbspark import NaiveBayes, Text
from nbspark.counts import CountsAsTable
from nbspark.events import EVENTS
from nbspark.model import Model
from tests.pages import run_page

# Laplace: x 3/5 in a and 1/3 in b, y 2/5 and 2/3; the document x x x y counts x log(1 + 3) times, y log(1 + 1) times.
ROWS = [("a", "x x y"), ("b", "y")]
LOG_ODDS = math.log1p(3) * math.log((3 / 5) / (1 / 3)) + math.log1p(1) * math.log((2 / 5) / (2 / 3))


@pytest.fixture(scope="module")
def damped(spark):
    run_page("CONTRIBUTING.md")
    yield NaiveBayes("y", [Text("t", event="damped")]).fit(spark.createDataFrame(ROWS, "y string, t string"))
    del EVENTS["damped"]


@pytest.mark.parametrize("plan", ["broadcast", "join"])
def test_an_event_model_made_by_the_recipe_scores_in_both_plans(spark, damped, plan):
    document = spark.createDataFrame([("x x x y z",)], "t string")
    [row] = damped.transform(document, plan=plan, probabilities=True).collect()
    assert row["probabilities"]["a"] == pytest.approx(1 / (1 + math.exp(-LOG_ODDS)), rel=1e-12)
    assert (row["n_terms"], row["n_known"]) == (5, 4)


def test_an_event_model_made_by_the_recipe_has_log_likelihoods_wherever_its_counts_are(damped):
    expected = {("a", "x"): 3 / 5, ("a", "y"): 2 / 5, ("a", None): 1 / 5, ("b", "y"): 2 / 3, ("b", None): 1 / 3}
    table = Model(damped.spec, CountsAsTable(damped.spec, damped.counts), damped.rows)
    for model in (damped, table):
        found = {(row["label"], row["term"]): row["log_likelihood"] for row in model.log_likelihoods().collect()}
        assert {key: math.exp(value) for key, value in found.items()} == pytest.approx(expected, rel=1e-12)
