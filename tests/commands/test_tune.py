"""Tuning from the command line: two specs, a grid, the chosen model and its predictions out of fold."""

from __future__ import annotations

import csv
import json
import random
from typing import TYPE_CHECKING

from nbspark import NaiveBayes, Text, local
from nbspark.cli import main
from nbspark.spec import changed_spec

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from pyspark.sql import SparkSession


def test_the_chosen_setting_is_published_from_the_counts_of_the_folds(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = random.Random(1)
    rows = [
        (f"{'ab'[i % 2]}", f"{'xy'[i % 2 if i % 5 else 1 - i % 2]} w{words.randrange(9)}", i % 3) for i in range(60)
    ]
    with (tmp_path / "docs.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("topic", "body", "part"), *rows])
    for name, ngrams in (("words", (1, 1)), ("pairs", (1, 2))):
        (tmp_path / f"{name}.toml").write_text(NaiveBayes("topic", [Text("body", ngrams=ngrams)]).to_toml())
    argv = ["tune", "--documents", tmp_path / "docs.csv", "--fold-column", "part", "--grid", "alpha=0.1,1"]
    argv += ["--spec", tmp_path / "words.toml", "--spec", tmp_path / "pairs.toml", "--metric", "log_loss"]
    argv += ["--model", tmp_path / "model", "--batch", "monday", "--calibrate", "--report", tmp_path / "r.json"]
    argv += ["--predictions", tmp_path / "scored.csv", "--keep", "topic"]
    assert main([str(one) for one in argv]) == 0

    report = json.loads((tmp_path / "r.json").read_text())
    assert report["folds"] == ["0", "1", "2"]
    assert report["rows"]["read"] == report["rows"]["learned"] == 60
    settings = report["settings"]
    assert [one["options"] for one in settings] == [{"spec": i, "alpha": a} for i in (0, 1) for a in (0.1, 1)]
    [best] = [one for one in settings if one["chosen"]]
    assert best["metrics"]["log_loss"]["mean"] == min(one["metrics"]["log_loss"]["mean"] for one in settings)
    printed = capsys.readouterr().out
    assert "simplest within 1 SE" in printed
    found = report["calibration"]
    assert found["log_loss"]["after"] < found["log_loss"]["before"]
    error = found["calibration_error"]
    assert f"calibration error {error['before']:.4f} to {error['after']:.4f} (out of fold)" in printed

    model = local.load(tmp_path / "model")
    assert model.spec.features[0].ngrams == [(1, 1), (1, 2)][best["options"]["spec"]]
    assert model.spec.temperature == report["temperature"] != 1.0
    spec = changed_spec(model.spec, temperature=1.0, temperature_exponent=0.0)
    columns = dict(zip(("topic", "body", "part"), zip(*rows, strict=True), strict=True))
    in_memory = NaiveBayes.from_dict(spec.to_dict()).cross_validate(columns, fold_column="part")
    assert in_memory.metrics["log_loss"].to_dict() == best["metrics"]["log_loss"]

    parts = (tmp_path / "scored.csv").glob("part-*")
    scored = [row for part in parts for row in csv.DictReader(part.read_text(encoding="utf-8").splitlines())]
    right = [row["topic"] == row["prediction"] for row in scored if row["fold"] == "0"]
    assert sum(right) / len(right) == best["metrics"]["accuracy"]["folds"][0]
    assert len(scored) == 60
