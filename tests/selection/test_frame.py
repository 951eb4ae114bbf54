"""On Spark, trials are what they are in memory, whatever the partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nbspark import Categorical, NaiveBayes, Text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPEC = NaiveBayes("topic", [Text("body"), Categorical("size")])
GRID = {"alpha": [0.1, 1.0], "event": ["multinomial", "bernoulli"]}
ROWS = [
    (i, ["x", "y", "z", None][i * 7 % 4], f"a{i % 3} b{i % 5} {'c ' * (i % 4)}", [1.0, 2.0, None][i % 3])
    for i in range(40)
]
COLUMNS = ("id", "topic", "body", "size")


def test_trials_on_spark_are_those_in_memory(spark: SparkSession) -> None:
    docs = spark.createDataFrame(ROWS, "id int, topic string, body string, size double").repartition(3)
    tuned = SPEC.tune(docs, GRID, folds=3)
    in_memory = SPEC.tune(dict(zip(COLUMNS, zip(*ROWS, strict=True), strict=True)), GRID, folds=3)
    assert tuned.to_dict() == in_memory.to_dict()

    fitted, expected = tuned.temperature(), in_memory.temperature()
    assert fitted.options == pytest.approx(expected.options, rel=1e-9)
    assert fitted.log_loss == pytest.approx(expected.log_loss, rel=1e-12)
    for metric, one in tuned.calibration().items():
        assert one == pytest.approx(in_memory.calibration()[metric], rel=1e-9)

    calibrated = tuned.model(calibrated=True).spec.temperature
    assert calibrated == pytest.approx(in_memory.model(calibrated=True).spec.temperature, rel=1e-9)
    assert calibrated != 1.0

    predictions = tuned.predictions(keep=["id", "topic"])
    assert predictions.columns == ["id", "topic", "fold", "prediction", "probability", "n_terms", "n_known", "log_loss"]
    rows = predictions.collect()
    assert sorted(row["id"] for row in rows) == list(range(40))
    for fold, accuracy in zip(tuned.folds, tuned.metrics["accuracy"].folds, strict=True):
        own = [row["topic"] == row["prediction"] for row in rows if row["fold"] == fold and row["topic"] is not None]
        assert sum(own) / len(own) == accuracy
