"""The algorithm as plain relational algebra, and the system held against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from chispa import assert_df_equality
from pyspark.sql import Window
from pyspark.sql import functions as F

from nbspark import NaiveBayes, Text

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


def relational_counts(docs: DataFrame) -> DataFrame:
    """Split, explode, group by label and term."""
    tokens = docs.where("label is not null").select("label", F.explode(F.split("text", " ")).alias("term"))
    return tokens.groupBy("label", "term").agg(F.count("*").cast("double").alias("n_tokens"))


def relational_scores(training: DataFrame, test: DataFrame, alpha: float) -> DataFrame:
    """Score as the textbooks have it: a likelihood for every (class, term), joined to the tokens, summed."""
    docs = training.where("label is not null")
    counts = relational_counts(training)
    priors = docs.groupBy("label").agg(F.count("*").alias("n_docs")).crossJoin(docs.agg(F.count("*").alias("n")))
    vocabulary = counts.select("term").distinct()
    size = F.broadcast(vocabulary.agg(F.count("*").alias("V")))
    totals = counts.groupBy("label").agg(F.sum("n_tokens").alias("N_c"))
    pairs = priors.crossJoin(vocabulary).join(counts, ["label", "term"], "left").join(totals, "label", "left")
    smoothed = (F.coalesce("n_tokens", F.lit(0.0)) + alpha) / (F.coalesce("N_c", F.lit(0.0)) + alpha * F.col("V"))
    likelihoods = pairs.crossJoin(size).select("label", "term", F.log(smoothed).alias("log_likelihood"))
    tokens = test.select("id", F.explode(F.split("text", " ")).alias("term"))
    sums = tokens.join(likelihoods, "term").groupBy("id", "label").agg(F.sum("log_likelihood").alias("evidence"))
    scores = test.crossJoin(priors).join(sums, ["id", "label"], "left")
    score = F.log(F.col("n_docs") / F.col("n")) + F.coalesce("evidence", F.lit(0.0))
    return scores.select("id", "label", score.alias("score"))


@pytest.fixture(scope="module")
def training(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(TRAINING, "label string, text string")


@pytest.fixture(scope="module")
def model(training):
    return WHITESPACE.fit(training)


def test_counts_are_those_of_split_explode_and_group_by(training, model):
    pairs = model.counts.where("label is not null and term is not null").select("label", "term", "n_tokens")
    assert_df_equality(pairs, relational_counts(training), ignore_row_order=True, ignore_nullable=True)


@pytest.mark.parametrize("plan", ["broadcast", "join"])
def test_both_plans_give_the_scores_of_the_relational_statement(spark, training, model, plan):
    test = spark.createDataFrame(TEST, "id int, text string")
    scores = relational_scores(training, test, alpha=0.5)
    by_document = Window.partitionBy("id")
    highest = F.max("score").over(by_document)
    shares = scores.withColumn("share", F.exp(F.col("score") - highest))
    shares = shares.withColumn("share", F.col("share") / F.sum("share").over(by_document))
    expected = {(row["id"], row["label"]): row["share"] for row in shares.collect()}

    rows = model.transform(test, plan=plan, probabilities=True).collect()
    assert sorted(row["id"] for row in rows) == [key for key, _ in TEST]
    for row in rows:
        assert row["probabilities"] == pytest.approx({label: expected[row["id"], label] for label in model.labels})
        best = min(model.labels, key=lambda label: (-round(expected[row["id"], label], 12), label))
        assert row["prediction"] == best
        assert row["probability"] == pytest.approx(expected[row["id"], best])


def test_log_likelihoods_are_those_of_the_relational_statement(model):
    # spam has 6 tokens, 2 of them "win"; V = 8 terms (win cash now prize lunch at noon for); alpha = 1/2.
    found = {(row["label"], row["term"]): row["log_likelihood"] for row in model.log_likelihoods().collect()}
    from math import log

    assert found["spam", "win"] == pytest.approx(log((2 + 0.5) / (6 + 8 * 0.5)))
    assert found["spam", None] == pytest.approx(log((0 + 0.5) / (6 + 8 * 0.5)))
    assert found["eggs", "now"] == pytest.approx(log((1 + 0.5) / (1 + 8 * 0.5)))
    assert ("eggs", "win") not in found
