"""Names that Hadoop would take for patterns mean themselves, wherever something of that name is."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import nbspark
from nbspark import NaiveBayes, Text
from nbspark.cli import parse_args
from nbspark.commands import score
from nbspark.documents import read_documents, require_apart, require_new
from nbspark.errors import PathError
from nbspark.files.hadoop import HadoopFiles
from nbspark.files.local import LocalFiles
from nbspark.files.paths import local_matches

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

SPEC = NaiveBayes("label", [Text("text")])
DOCS = [("win cash", "spam"), ("lunch", "ham"), (None, "ham")]
NAMES = ["[ab]", "a[1]", "{a,b}", "st*r", "what?", "back\\slash"]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_read_by_its_own_name_not_as_a_pattern(spark: SparkSession, tmp_path: Path, name: str) -> None:
    for other in ("a", "b", "a1", "star", "whaty", "backslash"):  # what the names would match
        (tmp_path / f"{other}.csv").write_text("other,label\nlunch,ham\n")
    (tmp_path / "co:lon").mkdir()
    (tmp_path / f"{name}.csv").write_text("text,label\nwin,spam\n")
    documents = read_documents(spark, path=tmp_path / f"{name}.csv")
    assert [row.asDict() for row in documents.collect()] == [{"text": "win", "label": "spam"}]


@pytest.fixture(scope="module")
def neighbour(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """Return a model, and how many rows of counts it has."""
    docs = spark.createDataFrame(DOCS, "text string, label string")
    path = tmp_path_factory.mktemp("neighbour") / "model"
    SPEC.learn(docs, path)
    return path, SPEC.fit(docs).counts.count()


@pytest.mark.parametrize("name", ["[ab]", "{a,b}", "st*r"])
def test_a_model_and_what_it_scores_are_not_mixed_with_neighbours(
    spark: SparkSession, tmp_path: Path, neighbour: tuple[Path, int], name: str
) -> None:
    model, n_counts = neighbour
    for other in ("a", "b", "star"):
        shutil.copytree(model, tmp_path / other)
    (tmp_path / "co:lon").mkdir()
    stored = SPEC.learn(spark.createDataFrame(DOCS, "text string, label string"), tmp_path / name)
    assert stored.counts.count() == n_counts
    assert nbspark.load(tmp_path / name).counts.count() == n_counts
    nbspark.local.load(tmp_path / name)


def test_the_report_of_score_is_of_its_own_output(spark: SparkSession, tmp_path: Path) -> None:
    docs = spark.createDataFrame([("win cash", "spam"), ("lunch", "ham")], "text string, label string")
    SPEC.learn(docs, tmp_path / "model")
    (tmp_path / "in.csv").write_text("text\nwin\n")
    (tmp_path / "out1").mkdir()
    pq.write_table(pa.table({"prediction": ["x"] * 9}), tmp_path / "out1" / "part-0.parquet")
    command = ["score", "--documents", f"{tmp_path}/in.csv", "--model", f"{tmp_path}/model"]
    report = score.run(spark, parse_args([*command, "--output", f"{tmp_path}/out[1]"]), {})
    assert report["rows"]["scored"] == 1


def test_a_pattern_is_one_where_nothing_has_that_name(spark: SparkSession, tmp_path: Path) -> None:
    for name, text in (("a1", "win"), ("a2", "lunch")):
        (tmp_path / f"{name}.csv").write_text(f"text\n{text}\n")
    assert local_matches(f"{tmp_path}/a[12].csv") == [tmp_path / "a1.csv", tmp_path / "a2.csv"]
    documents = read_documents(spark, path=f"{tmp_path}/a[12].csv")
    assert sorted(row["text"] for row in documents.collect()) == ["lunch", "win"]


def test_both_file_systems_list_hidden_files_and_patterns_alike(spark: SparkSession, tmp_path: Path) -> None:
    for name in ("a1/x", "a1/_y/z", "a[1]/.w", "b/x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("win")
    for files in (LocalFiles(), HadoopFiles(spark, str(tmp_path))):
        assert [info.path for info in files.walk(f"{tmp_path}/a1")] == ["x"]
        assert [info.path for info in files.walk(f"{tmp_path}/a1", hidden=True)] == ["_y/z", "x"]
        for pattern, names in (
            ("a*", ["a1", "a[1]"]),
            ("{a1,b}/x", ["a1/x", "b/x"]),
            (r"a\[1\]", ["a[1]"]),
            ("[!a]", ["b"]),
        ):
            found = [one.removeprefix("file:") for one in files.matches(f"{tmp_path}/{pattern}")]
            assert found == [f"{tmp_path}/{name}" for name in names], (files, pattern)


def test_paths_of_both_kinds_are_checked(tmp_path: Path) -> None:
    with pytest.raises(PathError, match="exists already"):
        require_new(tmp_path, what="output")
    with pytest.raises(PathError, match="lies inside"):
        require_apart(outputs={"output": tmp_path / "[1]" / "out"}, inputs={"documents": tmp_path / "[1]"})
