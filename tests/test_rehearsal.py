"""What an archive of classes is made from runs the commands as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbspark import local
from nbspark.rehearsal import rehearse

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_a_rehearsal_trains_scores_and_evaluates(spark: SparkSession, tmp_path: Path) -> None:
    assert rehearse(str(tmp_path)) == 0
    # One word of three of each class; 5 of 5 terms in the vocabulary: (3 + 1) / (9 + 6) against (0 + 1) / (9 + 6).
    assert local.load(tmp_path / "model").predict(["cash"]).column("probability").to_pylist() == [4 / 5]
    assert spark.read.parquet(str(tmp_path / "scored")).count() == 6
