"""Nothing is written onto its own input, or onto anything that is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nbspark.documents import require_apart, require_new
from nbspark.errors import PathError
from nbspark.files.paths import neighbours

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder, also the current one, with ``in/a.csv``, a link to ``in``, and ``other``."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("text,label\n")
    (tmp_path / "link").symlink_to("in")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("output", "given", "relation"),
    [
        ("in", "in", "is also"),
        ("in/", "in", "is also"),
        ("in/day=1", "in", "lies inside"),
        (".", "in", "contains"),
        ("link", "in", "is also"),
        ("link/day=1", "in", "lies inside"),
        ("in/day=1", "link/", "lies inside"),
        ("file:{lake}/in", "in", "is also"),
        ("file://{lake}/in/x", "{lake}/in", "lies inside"),
        ("other/../in", "in", "is also"),
        ("../{name}/in", "file:{lake}//in/", "is also"),
        ("in/a.csv", "in/*.csv", "is also"),
        ("in/later.csv", "in/*.csv", "is also"),
        ("in/later.csv/x", "in/*.csv", "lies inside"),
        ("in", "in/*.csv", "contains"),
        ("in/x", "{{in,other}}", "lies inside"),
        ("in/b.csv", "in/[ab].csv", "is also"),
        ("in/x", "l*k", "lies inside"),
        ("in/x", "file:{lake}/l*k", "lies inside"),
        ("s3a://lake/in/day=1", "s3://lake/in/", "lies inside"),
        ("hdfs://name:8020/in", "hdfs://NAME/x/../in", "is also"),
        ("hdfs:///in/x", "hdfs://name/in", "lies inside"),
        ("/in/x", "hdfs://name/in", "lies inside"),
    ],
)
def test_an_output_on_an_input_is_refused(lake: Path, output: str, given: str, relation: str) -> None:
    names = {"lake": lake, "name": lake.name}
    output, given = output.format(**names), given.format(**names)
    with pytest.raises(PathError) as caught:
        require_apart(outputs={"--output": output}, inputs={"--documents": given})
    assert str(caught.value).startswith(f"--output {output} {relation} --documents {given}. ")
    assert (lake / "in" / "a.csv").read_text() == "text,label\n"


@pytest.mark.parametrize(
    ("output", "given"),
    [
        ("out", "in"),
        ("in-scored", "in"),
        ("in/scored", "in/*.csv"),
        ("in/../out", "in"),
        ("{lake}/in", "s3a://lake/in"),
        ("s3a://other/in", "s3a://lake/in"),
        ("hdfs://a/in", "hdfs://b/in"),
        ("out/x", "{{in,other}}"),
    ],
)
def test_paths_apart_are_no_error(lake: Path, output: str, given: str) -> None:
    require_apart(outputs={"--output": output.format(lake=lake)}, inputs={"--documents": given.format(lake=lake)})


def test_a_folder_whose_name_looks_like_a_glob_is_itself(lake: Path) -> None:
    (lake / "[old]" / "in").mkdir(parents=True)
    (lake / "alias").symlink_to("[old]/in")
    with pytest.raises(PathError, match="lies inside"):
        require_apart(outputs={"--output": "[old]/in/x"}, inputs={"--documents": "alias"})


def test_every_clash_is_named(lake: Path) -> None:
    with pytest.raises(PathError) as caught:
        require_apart(
            outputs={"--output": "in/out", "--report": "model/report.json", "--other": "out"},
            inputs={"--documents": "in", "--model": "model"},
        )
    assert str(caught.value) == (
        "--output in/out lies inside --documents in; --report model/report.json lies inside --model model. "
        "Nothing was read or written. Choose a path outside."
    )


@pytest.mark.parametrize("path", ["in", "in/", "in/a.csv", "file:{lake}/in", "file://{lake}/other", "link"])
def test_a_path_where_something_is_is_not_new(lake: Path, path: str) -> None:
    path = path.format(lake=lake)
    with pytest.raises(PathError) as caught:
        require_new(path, what="--model")
    assert str(caught.value).startswith(f"--model: {path} exists already")


def test_a_path_where_nothing_is_is_new_with_and_without_a_session(lake: Path, spark: SparkSession) -> None:
    assert require_new("out/model", what="--model") == "out/model"
    assert require_new(f"{lake}/out", what="--model", spark=spark) == f"{lake}/out"
    with pytest.raises(PathError):
        require_new(f"{lake}/in", what="--model", spark=spark)


def test_a_file_system_out_of_reach_is_left_to_the_writer(spark: SparkSession) -> None:
    assert require_new("s3a://lake/model", what="--model") == "s3a://lake/model"
    assert require_new("nosuch://lake/model", what="--model", spark=spark) == "nosuch://lake/model"


def test_the_hint_shows_the_nearest_folder_that_is_there(lake: Path) -> None:
    assert neighbours(f"file:{lake}/in/b.csv") == f" {lake}/in has: a.csv."
    assert neighbours(f"{lake}/ni/day=1/a.csv") == f" {lake} has: in, link, other."
    assert neighbours("s3a://lake/in") == ""
