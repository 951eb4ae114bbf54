"""A folder per class: the label is the folder's name, each file is one row."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from nbspark.documents import read_documents
from nbspark.errors import DocumentsError

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession


def write(root: Path, **files: bytes) -> str:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return str(root)


def labelled(documents: DataFrame) -> set[tuple[str, str]]:
    return {(row["label"], row["text"]) for row in documents.collect()}


def test_the_label_is_the_folders_name_exactly_as_it_is(spark: SparkSession, tmp_path: Path) -> None:
    names = ["spam", "01", "label=1", "中文", "a b", "spam%20ham", "x#y", "q?z", "[c]", "*", "%zz"]
    path = write(tmp_path, **{f"{name}/a {name}.txt": name.encode() for name in names})
    documents = read_documents(spark, path=path, format="folders")
    assert documents.columns == ["path", "label", "text"]
    assert labelled(documents) == {(name, name) for name in names}


def test_a_file_of_any_bytes_is_one_row(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path, **{"a/1": b"caf\xe9", "a/2": b"\xef\xbb\xbfwin\r\ncash", "b/3": b""})
    expected = {("a", "caf\ufffd"), ("a", "win\r\ncash"), ("b", "")}
    assert labelled(read_documents(spark, path=path, format="folders")) == expected


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "iso2022_jp", "cp037"])
def test_any_encoding_of_python_can_be_named(spark: SparkSession, tmp_path: Path, encoding: str) -> None:
    word = "日本" if encoding == "iso2022_jp" else "café"
    mark = "\ufeff" if encoding == "utf-16-le" else ""
    path = write(tmp_path, **{"a/1.txt": (mark + word).encode(encoding)})
    assert labelled(read_documents(spark, path=path, format="folders", encoding=encoding)) == {("a", word)}


def test_deeper_files_belong_to_the_first_folder_and_hidden_ones_to_none(spark: SparkSession, tmp_path: Path) -> None:
    path = write(
        tmp_path,
        **{"a/1": b"one", "a/2024/05/2": b"two", "a/.3": b"-", "a/_4": b"-", "_tmp/5": b"-", ".git/6": b"-"},
    )
    assert labelled(read_documents(spark, path=path, format="folders")) == {("a", "one"), ("a", "two")}


def test_a_file_in_no_class_folder_is_named(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path, **{"a/1.txt": b"one", "README": b"-"})
    with pytest.raises(DocumentsError, match=r"in no class folder: README\..*pathGlobFilter"):
        read_documents(spark, path=path, format="folders")
    options = {"pathGlobFilter": "*.txt"}
    assert labelled(read_documents(spark, path=path, format="folders", options=options)) == {("a", "one")}


def test_the_folder_can_be_written_in_every_way(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path / "docs" / "docs", **{"docs/1": b"one"})
    root = tmp_path / "docs" / "docs"
    here = os.path.relpath(root)  # the session was started in this folder
    for path in (f"{root}/", f"file:{root}", f"file://{root}", f"{root}/../docs", f"{tmp_path}/d*/doc?", here):
        assert labelled(read_documents(spark, path=path, format="folders")) == {("docs", "one")}, path


def test_many_small_files_are_read_in_few_tasks(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path, **{f"a/{number}": b"x" for number in range(70)})
    # Spark itself would start a task for about every 30 files.
    assert read_documents(spark, path=path, format="folders").rdd.getNumPartitions() == 1
