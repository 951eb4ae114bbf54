"""A column that is there twice is refused alike by fit and transform."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nbspark import NaiveBayes, Text
from nbspark.errors import DocumentsError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_name_that_can_be_any_of_two_columns_is_refused_by_fit_and_transform(spark: SparkSession) -> None:
    docs = spark.createDataFrame([("win", "spam"), (None, "ham")], "text string, label string")
    spec = NaiveBayes("label", [Text("text")])
    model = spec.fit(docs)
    for twice in (docs.toDF("text", "text"), docs.toDF("text", "Text")):
        labelled = twice.selectExpr("*", "'spam' label")
        with pytest.raises(DocumentsError, match=r"'text' can be any of the columns \['text', '[tT]ext'\]"):
            spec.fit(labelled)
        with pytest.raises(DocumentsError, match=r"'text' can be any of the columns \['text', '[tT]ext'\]"):
            model.transform(labelled)
