"""What became of scored rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbspark import Categorical, NaiveBayes, Terms, Text
from nbspark.commands.scored import count_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_undecodable_rows_are_counted_in_texts_categories_lists_and_maps(spark: SparkSession) -> None:
    rows = [
        ("caf\ufffd", "a", ["b", None], {"c": 1.0}),
        ("caf", "a\ufffd", ["b"], None),
        ("caf", "a", [None, "b\ufffd"], {}),
        ("caf", None, None, {"c\ufffd": 1.0}),
        ("caf", "a", ["b"], {"c": 1.0}),
        (None, None, None, None),
    ]
    schema = "text string, kind string, words array<string>, counts map<string, double>"
    docs = spark.createDataFrame(rows, schema).selectExpr("*", "'x' AS label")
    features = [Text("text"), Categorical("kind"), Terms("words"), Terms("counts")]
    model = NaiveBayes("label", features).fit(docs)
    assert count_rows(model.transform(docs), model)["rows"]["undecodable"] == 4
    assert model.rows["undecodable"] == 4
