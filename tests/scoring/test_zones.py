"""Sessions outside UTC: kept timestamps come back unchanged, and labels and categories do not move."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nbspark import Categorical, NaiveBayes, Text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

ZONE = "spark.sql.session.timeZone"


@pytest.fixture
def in_berlin(spark: SparkSession) -> Iterator[SparkSession]:
    before = spark.conf.get(ZONE)
    spark.conf.set(ZONE, "Europe/Berlin")
    yield spark
    spark.conf.set(ZONE, before)


def documents(spark: SparkSession) -> DataFrame:
    rows = [("win cash", "spam", 0), ("lunch", "ham", 1_700_000_000), (None, "ham", None)]
    docs = spark.createDataFrame(rows, "text string, label string, seconds long")
    return docs.selectExpr(
        "*", "timestamp_seconds(seconds) at", "array(timestamp_seconds(seconds)) ats",
        "named_struct('at', timestamp_seconds(seconds)) one", "map('at', timestamp_seconds(seconds)) by",
        "to_timestamp_ntz('2024-03-31 02:30:00') local",
    )  # fmt: skip


@pytest.mark.parametrize("plan", ["broadcast", "join"])
def test_kept_timestamps_come_back_unchanged(in_berlin: SparkSession, plan: str) -> None:
    docs = documents(in_berlin)
    model = NaiveBayes("label", [Text("text")]).fit(docs)
    scored = model.transform(docs, plan=plan)
    assert scored.select(docs.columns).schema == docs.schema
    assert sorted(scored.select(docs.columns).collect(), key=repr) == sorted(docs.collect(), key=repr)


def test_timestamps_as_label_and_category_are_known_in_another_zone(spark: SparkSession) -> None:
    docs = documents(spark)
    model = NaiveBayes("at", [Categorical("at", name="when")]).fit(docs)
    before = spark.conf.get(ZONE)
    try:
        spark.conf.set(ZONE, "Asia/Tokyo")
        found = model.transform(documents(spark), truth="at", keep=["seconds"]).collect()
    finally:
        spark.conf.set(ZONE, before)
    assert {row["seconds"]: row["prediction"] for row in found if row["seconds"]} == {
        1_700_000_000: "2023-11-14T22:13:20+00:00"
    }
    assert all(row["n_known"] == 1 and row["log_loss"] is not None for row in found if row["seconds"] is not None)
