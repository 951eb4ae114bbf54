"""Where score writes: formats by name, tables of the catalog, and what a stopped run left."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from nbspark.cli import main
from nbspark.commands import outputs
from nbspark.commands.outputs import MARKER, Folder, format_of, is_unfinished
from nbspark.errors import PathError
from nbspark.files.local import LocalFiles

ROWS = [["a", ' win "cash", now\nor never '], ["b", ""], ["c", "lunch"]]


def run(*argv: object) -> int:
    """Run a command in the session of the tests."""
    return main([str(one) for one in argv])


@pytest.fixture(scope="module")
def model(spark, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("model")
    (path / "docs.csv").write_text("topic,text\nspam,win cash\nham,lunch\n")
    argv = ["--documents", path / "docs.csv", "--label", "topic", "--text", "text", "--model", path / "m"]
    assert run("train", *argv) == 0
    return path / "m"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    with (tmp_path / "new.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["id", "text"], *ROWS])
    return tmp_path / "new.csv"


def test_a_name_that_ends_in_csv_is_written_as_csv(tmp_path, model, docs, capsys):
    out, report = tmp_path / "x.csv", tmp_path / "r.json"
    assert run("score", "--documents", docs, "--model", model, "--output", out, "--report", report) == 0
    written = []
    for part in sorted(out.glob("part-*.csv")):
        with part.open(newline="") as file:
            written += list(csv.DictReader(file))
    assert sorted([row["id"], row["text"]] for row in written) == ROWS
    assert {row["prediction"] for row in written} == {"spam", "ham"}
    assert f"3 rows to {out} (a folder of csv files)" in capsys.readouterr().out
    rows = json.loads(report.read_text())["rows"]
    assert (rows["read"], rows["scored"], rows["without_terms"]) == (3, 3, 1)
    assert run("evaluate", "--predictions", out, "--label", "prediction") == 0


def test_a_damaged_model_is_told_before_spark_starts(tmp_path, monkeypatch, model, docs, capsys):
    shutil.copytree(model, tmp_path / "m")
    counts = next((tmp_path / "m").glob("batches/*/counts/*.parquet"))
    counts.write_bytes(counts.read_bytes()[:-8] + b"\0" * 8)
    monkeypatch.setattr("nbspark.runtime.session.local_session", lambda **_: pytest.fail("Spark was started"))
    assert run("score", "--documents", docs, "--model", tmp_path / "m", "--output", tmp_path / "out") == 1
    assert "version 1 is damaged" in capsys.readouterr().err


def test_csv_refuses_nested_columns_of_documents_and_leaves_nothing(spark, tmp_path, model, capsys):
    spark.createDataFrame([("win", ["x"])], "text string, tags array<string>").write.parquet(str(tmp_path / "in"))
    argv = ["--documents", tmp_path / "in", "--model", model, "--output-format", "csv", "--output", tmp_path / "out"]
    assert run("score", *argv) == 1
    assert "CSV cannot hold the columns 'tags' (array<string>). Leave them out (--keep" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert run("score", *argv, "--keep", "text") == 0


def test_a_table_of_the_catalog_is_written_once_and_only_where_it_lasts(spark, monkeypatch, model, docs, capsys):
    argv = ["score", "--documents", docs, "--model", model, "--output-table", "scored_once"]
    assert run(*argv) == 1
    assert "the table would be forgotten when the command ends" in capsys.readouterr().err
    monkeypatch.setattr(outputs, "require_lasting_catalog", lambda *_: None)
    assert run(*argv) == 0
    assert spark.table("scored_once").count() == 3
    assert "3 rows to table scored_once" in capsys.readouterr().out
    assert run(*argv) == 1
    assert "output table scored_once exists already" in capsys.readouterr().err
    assert run("evaluate", "--table", "scored_once", "--label", "prediction") == 0
    spark.sql("DROP TABLE scored_once")


def test_what_a_stopped_run_left_is_taken_up_when_asked_to(tmp_path, model, docs, capsys):
    out = tmp_path / "out"
    out.mkdir()
    (out / MARKER).write_text("{}")
    (out / "part-00000.parquet").write_text("half")
    argv = ["score", "--documents", docs, "--model", model, "--output", out]
    assert run(*argv) == 1
    assert "is unfinished: the run that wrote it was stopped (_SUCCESS is missing)" in capsys.readouterr().err
    assert run(*argv, "--overwrite-unfinished") == 0
    assert "3 rows to" in capsys.readouterr().out
    assert run(*argv, "--overwrite-unfinished") == 1
    assert "exists already, and nothing is overwritten" in capsys.readouterr().err


def test_a_folder_that_is_not_ours_is_never_unfinished(tmp_path: Path) -> None:
    def unfinished(*names: str) -> bool:
        for name in names:
            (tmp_path / name).touch()
        return is_unfinished(LocalFiles(), str(tmp_path))

    assert not unfinished()
    assert not unfinished("part-0.parquet")
    assert unfinished(MARKER)
    assert not unfinished("notes.txt")
    with pytest.raises(PathError, match="exists already"):
        Folder(str(tmp_path), "parquet", overwrite_unfinished=True).require_free()


def test_what_a_failed_run_wrote_is_removed_and_java_says_nothing_of_it(spark, tmp_path, capfd):
    from pyspark.sql import functions as F

    rows = spark.range(4).select(F.when(F.col("id") == 3, F.raise_error(F.lit("bad row"))).otherwise(F.col("id")))
    with pytest.raises(Exception, match="bad row"):
        Folder(str(tmp_path / "out"), "parquet").write(rows.toDF("id"))
    assert list(tmp_path.iterdir()) == []
    assert "Exception" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("path", "asked", "told"),
    [
        ("x.csv", "parquet", "names csv, and --output-format says parquet"),
        ("x.csv.gz", None, "no compressed file"),
        ("x.txt", None, "not written as text"),
        ("x.avro", "parquet", "not written as avro"),
    ],
)
def test_a_name_that_promises_something_else_is_refused(path, asked, told):
    with pytest.raises(PathError, match=told):
        format_of(path, asked)


def test_a_name_with_a_point_promises_nothing():
    assert [format_of(path, None) for path in ("scored.v2", "run-2026.12", "x.tsv", "x.jsonl/", "a.csv/b")] == [
        "parquet", "parquet", "csv", "json", "parquet",
    ]  # fmt: skip
