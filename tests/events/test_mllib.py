"""Every event model gives Spark MLlib's probabilities, from the same columns of vectors."""

from __future__ import annotations

import numpy as np
import pytest
from pyspark.ml.classification import NaiveBayes as MLlibNaiveBayes
from pyspark.ml.functions import vector_to_array
from pyspark.ml.linalg import Vectors
from pyspark.sql import functions as F

from nbspark import NaiveBayes, Numeric, Terms

N_TERMS = 5
ALPHA = 0.7


@pytest.fixture(scope="module")
def table(spark):
    """Labels 0 to 2, weights, counts as dense and as sparse vectors, whether they are > 0, and the same as numbers."""
    random = np.random.default_rng(0)
    rows = []
    for i in range(20):
        counts = random.poisson(0.8, N_TERMS).astype(float)
        if i < N_TERMS:
            counts[i] += 1  # MLlib also smooths columns that no document has
        seen = [(t, n) for t, n in enumerate(counts) if n]
        dense, sparse = Vectors.dense(counts), Vectors.sparse(N_TERMS, seen)
        weight = float(random.integers(1, 4))
        label = float(i % 3 if i < 12 else 1)
        rows.append((i, label, weight, sparse if i % 2 else dense, Vectors.dense(counts > 0), *counts.tolist()))
    names = ["id", "label", "weight", "counts", "present", *(f"x{t}" for t in range(N_TERMS))]
    return spark.createDataFrame(rows, names).repartition(2).cache()


def mllib(table, model_type: str, column: str) -> dict[int, list[float]]:
    """Return MLlib's probabilities of each row."""
    peer = MLlibNaiveBayes(modelType=model_type, featuresCol=column, weightCol="weight", smoothing=ALPHA)
    rows = peer.fit(table).transform(table).select("id", vector_to_array("probability").alias("p")).collect()
    return {row["id"]: row["p"] for row in rows}


def ours(table, plan: str, spec: NaiveBayes) -> dict[int, list[float]]:
    """Return our probabilities of each row, in the order of the labels 0, 1, 2."""
    model = spec.fit(table)
    assert model.labels == ["0", "1", "2"]
    rows = model.transform(table, plan=plan, probabilities=True).select("id", "probabilities").collect()
    return {row["id"]: [row["probabilities"][label] for label in model.labels] for row in rows}


def assert_same(found: dict[int, list[float]], expected: dict[int, list[float]]) -> None:
    assert found.keys() == expected.keys()
    for key, probabilities in expected.items():
        assert np.log(found[key]) == pytest.approx(np.log(probabilities), rel=0, abs=1e-9)


@pytest.mark.parametrize(
    ("event", "column", "plan", "prior"),
    [
        # MLlib smooths the class prior with the same alpha.
        ("multinomial", "counts", "broadcast", {"prior_smoothing": ALPHA}),
        ("bernoulli", "present", "join", {"prior_smoothing": ALPHA}),
        ("complement", "counts", "join", {"prior": "none"}),
    ],
)
def test_vectors_are_scored_as_mllib_scores_them(table, event, column, plan, prior):
    spec = NaiveBayes("label", [Terms(column, event=event)], alpha=ALPHA, weight="weight", **prior)
    assert_same(ours(table, plan, spec), mllib(table, event, column))


def test_numbers_are_scored_as_mllib_scores_vectors_of_them(table):
    # MLlib's Gaussian does not smooth the class prior; its variance floor is 1e-9 of the largest variance, as ours.
    spec = NaiveBayes("label", [Numeric(f"x{t}") for t in range(N_TERMS)], weight="weight")
    assert_same(ours(table, "broadcast", spec), mllib(table, "gaussian", "counts"))


def test_bernoulli_takes_counts_as_present_or_not(table):
    spec = NaiveBayes("label", [Terms("counts", event="bernoulli")], alpha=ALPHA, weight="weight")
    present = table.drop("counts").withColumnRenamed("present", "counts")
    assert_same(ours(table, "broadcast", spec), ours(present, "join", spec))


def test_a_vector_passes_through_scoring(table):
    model = NaiveBayes("label", [Terms("counts")]).fit(table)
    before = {row["id"]: row["counts"] for row in table.collect()}
    for plan in ("broadcast", "join"):
        scored = model.transform(table, plan=plan)
        assert {row["id"]: row["counts"] for row in scored.collect()} == before
        assert scored.schema["counts"].dataType == table.schema["counts"].dataType
        assert scored.where(F.col("n_terms") != F.col("n_known")).isEmpty()
