"""What is said before Spark starts: quickly, in one line, and without pyspark."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nbspark.cli import main
from nbspark.commands.arguments import Parser
from nbspark.commands.checks import is_local

SCRIPT = """
import contextlib, io, json, sys, time
from nbspark.cli import main

for argv in json.load(sys.stdin):
    told = io.StringIO()
    with contextlib.redirect_stderr(told):
        try:
            code = main(argv)
        except SystemExit as ended:
            code = ended.code
    print(json.dumps([code, told.getvalue(), "pyspark" in sys.modules, time.process_time()]))
"""
SEMICOLONS = "the header of {d}/semicolons.csv is one column, 'topic;body'. If its separator is ';', pass --option"
TRAIN = ["--label", "topic", "--text", "body", "--model", "{d}/m"]
TUNE = ["--documents", "{d}/a.csv", "--label", "topic", "--text", "body"]
SCORE = ["--model", "{d}/no_model", "--output"]
CASES: list[tuple[list[str], int, str]] = [
    (["trian"], 2, "nbspark: error: argument COMMAND: invalid choice: 'trian' (did you mean 'train'?)"),
    (["train", "--modle", "m"], 2, "nbspark train: error: no option '--modle' (did you mean '--model'?)"),
    (["train", "--documents", "{d}/none.csv", *TRAIN], 1, "there is nothing at {d}/none.csv"),
    (["train", "--documents", "{d}/no*.csv", *TRAIN], 1, "there is nothing at {d}/no*.csv"),
    (["train", "--documents", "{d}/a.csv", "{d}/a.csv", *TRAIN], 1, "{d}/a.csv is given twice"),
    (["train", "--documents", "{d}/a.csv", "{d}/b.csv", *TRAIN], 1, "{d}/b.csv has no column 'more', which {d}/a.csv"),
    (["train", "--documents", "{d}/a.csv", *TRAIN, "--text", "x"], 1, "no column 'x' in {d}/a.csv"),
    (["train", "--documents", "{d}/a.parquet", *TRAIN], 1, "no column 'topic' in {d}/a.parquet"),
    (["train", "--documents", "{d}/semicolons.csv", *TRAIN], 1, SEMICOLONS),
    (["train", "--documents", "{d}/a.csv", *TRAIN, "--batch", "a b"], 1, "batch id 'a b'"),
    (["train", "--documents", "{d}/a.csv", *TRAIN, "--encoding", "klingon"], 1, "klingon"),
    (["train", "--documents", "{d}/a.csv", *TRAIN, "--conf", "driver.memory=1g"], 1, "starts with 'spark.'"),
    (["train", "--documents", "{d}/a.csv", *TRAIN, "--spec", "s.toml"], 1, "--spec says all of what to learn"),
    (["train", "--documents", "{d}/a.csv", "--spec", "{d}/no.toml", "--model", "m"], 1, "no.toml' cannot be read"),
    (["train", "--documents", "{d}/a.csv", *TRAIN, "--test-share", "2"], 2, "wants a number between 0 and 1"),
    (["score", "--documents", "{d}/a.csv", *SCORE, "{d}/out"], 1, "'{d}/no_model' is not a model"),
    (["score", "--documents", "{d}/a.csv", *SCORE, "{d}/x.csv", "--output-format", "json"], 1, "x.csv names csv, and"),
    (["score", "--documents", "{d}/a.csv", *SCORE, "{d}/x.xlsx"], 1, "predictions are not written as .xlsx"),
    (["score", "--documents", "{d}/a.csv", *SCORE, "{d}/x.csv", "--top-k", "2"], 1, "CSV cannot hold --top-k, which"),
    (["score", "--documents", "{d}/b.csv", *SCORE, "{d}/a.csv"], 1, "output: {d}/a.csv exists already"),
    (["score", "--documents", "{d}/b.csv", *SCORE, "{d}/stopped"], 1, "is unfinished: the run that wrote it"),
    (["tune", *TUNE, "--grid", "alpha=0"], 1, "grid: alpha=0 goes with nothing else in it"),
    (["tune", *TUNE, "--grid", "ngrams=1,2"], 1, "give several specs"),
    (["tune", *TUNE, "--grid", "alpha=1", "--grid", "alpha=2"], 1, "alpha=1,2"),
    (["tune", *TUNE, "--fold-column", "year"], 1, "no column 'year' in {d}/a.csv"),
    (["tune", *TUNE, "--model", "{d}"], 1, "{d}"),
    (["tune", *TUNE, "--keep", "body"], 1, "--keep: for --predictions only"),
    (["evaluate", "--predictions", "{d}/a.csv", "--label", "topic"], 1, "no column 'prediction' in {d}/a.csv"),
    (["evaluate", "--predictions", "{d}/a.csv", "--label", "topic", "--output", "s3a://b/x"], 1, "own disk"),
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of documents, and of an output that was stopped."""
    (tmp_path / "a.csv").write_text("topic,body,more\nham,lunch,1\n")
    (tmp_path / "b.csv").write_text("topic,body\nham,lunch\n")
    (tmp_path / "semicolons.csv").write_text("topic;body\nham;lunch\n")
    pq.write_table(pa.table({"label": ["ham"], "body": ["lunch"]}), tmp_path / "a.parquet")
    (tmp_path / "stopped" / "_temporary").mkdir(parents=True)
    return tmp_path


def test_errors_are_told_at_once_without_pyspark(folder: Path) -> None:
    commands = [[one.replace("{d}", str(folder)) for one in argv] for argv, _, _ in CASES]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], input=json.dumps(commands), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found: list[list[Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    before = 0.0
    for (argv, code, told), (found_code, found_told, has_pyspark, seconds) in zip(CASES, found, strict=True):
        assert told.replace("{d}", str(folder)) in found_told, argv
        assert (found_code, found_told.count("\n"), has_pyspark) == (code, 1, False), argv
        assert seconds - before < 0.7, argv  # of this process's own work; the first one has the imports in it
        before = seconds


def test_an_option_may_be_cut_short_and_a_value_may_look_like_one(capsys: pytest.CaptureFixture[str]) -> None:
    parser = Parser(prog="x")
    parser.add_argument("--model")
    parser.add_argument("--other")
    assert parser.parse_args(["--mod", "m", "--other=--modle"]).other == "--modle"
    with pytest.raises(SystemExit):
        parser.parse_args(["--model", "m", "more"])
    assert capsys.readouterr().err == "x: error: unrecognized arguments: more. See x --help\n"


def test_a_path_is_local_unless_the_site_may_say_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", lambda: None)
    for name in ("SPARK_HOME", "SPARK_CONF_DIR", "HADOOP_CONF_DIR", "YARN_CONF_DIR", "PYSPARK_SUBMIT_ARGS"):
        monkeypatch.delenv(name, raising=False)
    plain = argparse.Namespace(conf=[("spark.driver.memory", "1g")])
    assert [is_local(path, plain) for path in ("a.csv", "file:/a.csv", "s3a://b/a.csv")] == [True, True, False]
    assert not is_local("a.csv", argparse.Namespace(conf=[("spark.hadoop.fs.defaultFS", "hdfs://n")]))
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path))
    assert is_local("a.csv", plain)
    (tmp_path / "core-site.xml").write_text("<property><name>fs.defaultFS</name>...")
    assert [is_local(path, plain) for path in ("a.csv", "file:/a.csv")] == [False, True]
    monkeypatch.setenv("SPARK_REMOTE", "sc://server")
    assert not is_local("file:/a.csv", plain)


def test_wrong_arguments_leave_no_success_of_yesterday(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    report.write_text(json.dumps({"command": "train", "status": "succeeded"}))
    with pytest.raises(SystemExit):
        main(["train", "--documents", "a.csv", "--modle", "m", "--report", str(report)])
    found = json.loads(report.read_text())
    assert (found["status"], found["error"]) == ("failed", "no option '--modle' (did you mean '--model'?)")


def test_a_report_lies_in_nothing_that_the_run_reads_or_writes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train = ["train", "--documents", str(folder), "--label", "topic", "--text", "body", "--model", "m", "--report"]
    assert main([*train, str(folder / "report.json")]) == 1
    assert "report.json lies inside documents (1)" in capsys.readouterr().err
    assert not (folder / "report.json").exists()
