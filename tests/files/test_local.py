"""The file operations: the same facts for the local disk, for Hadoop's view of it, and for a store behind fsspec."""

from __future__ import annotations

import hashlib
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from nbspark.errors import StoreError
from nbspark.files import hadoop
from nbspark.files.choose import files_for
from nbspark.files.hadoop import HadoopFiles
from nbspark.files.local import LocalFiles
from nbspark.files.protocol import FileInfo, Files
from nbspark.files.remote import RemoteFiles

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Place = tuple[Files, str]


@pytest.fixture(params=["local", "local_uri", "memory", "hadoop", "hadoop_object_store"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Return a file system and a folder on it that is not there yet, with a blank and a percent sign in its name."""
    folder = f"{tmp_path}/a b%20c"
    if request.param == "local":
        return LocalFiles(), folder
    if request.param == "local_uri":
        return LocalFiles(), f"file://{folder}"
    if request.param == "memory":
        return RemoteFiles("memory://m"), f"memory:/{folder}"
    if request.param == "hadoop_object_store":
        monkeypatch.setattr(hadoop, "OBJECT_STORES", {"file"})
    uri = f"file:{folder}"
    return HadoopFiles(request.getfixturevalue("spark"), uri), uri


def test_a_created_file_reads_back_byte_for_byte(place: Place) -> None:
    files, root = place
    files.create(f"{root}/deep/er/x.json", b"\x00\xff\r\n" + "体育".encode())
    assert files.read(f"{root}/deep/er/x.json") == b"\x00\xff\r\n" + "体育".encode()


def test_create_never_replaces(place: Place) -> None:
    files, root = place
    files.create(f"{root}/x", b"first")
    with pytest.raises(FileExistsError):
        files.create(f"{root}/x", b"second")
    assert files.read(f"{root}/x") == b"first"


def test_create_leaves_no_other_file_behind(place: Place) -> None:
    files, root = place
    files.create(f"{root}/x", b"first")
    with pytest.raises(FileExistsError):
        files.create(f"{root}/x", b"second")
    names = [info.path for info in files.walk(root, hidden=True)]
    assert [name for name in names if not name.endswith(".crc")] == ["x"]


def test_a_missing_file_is_an_error_and_a_missing_folder_is_empty(place: Place) -> None:
    files, root = place
    with pytest.raises(FileNotFoundError):
        files.read(f"{root}/none")
    assert (files.exists(root), files.names(root), files.walk(root)) == (False, [], [])


def test_listings_skip_what_spark_hides(place: Place) -> None:
    files, root = place
    for name in ("b/c/2.parquet", "b/1.parquet", "b/_SUCCESS", "b/.hidden", "b/_temporary/3.parquet", "a"):
        files.create(f"{root}/{name}", name.encode())
    assert files.names(root) == ["a", "b"]
    assert files.walk(f"{root}/b") == [FileInfo("1.parquet", 11), FileInfo("c/2.parquet", 13)]
    assert [files.exists(f"{root}/{name}") for name in ("b/c", "a", "c")] == [True, True, False]


def test_sha256_is_that_of_the_content(place: Place) -> None:
    files, root = place
    data = bytes(range(256)) * 5000
    files.create(f"{root}/x", data)
    assert files.sha256(f"{root}/x") == hashlib.sha256(data).hexdigest()


def test_an_absolute_path_stays_and_keeps_its_scheme(place: Place) -> None:
    files, root = place
    assert files.absolute(files.absolute(root)) == files.absolute(root)
    assert files.absolute(root).startswith("file:") == root.startswith("file:")


@pytest.mark.parametrize("scheme", ["", "memory:/"])
def test_of_many_writers_one_wins(tmp_path: Path, scheme: str) -> None:
    path = f"{scheme}{tmp_path}/x"

    def write(i: int) -> int | None:
        try:
            files_for(path).create(path, b"%d" % i * 1000)
        except FileExistsError:
            return None
        return i

    with ThreadPoolExecutor(16) as pool:
        winners = [i for i in pool.map(write, range(64)) if i is not None]
    assert len(winners) == 1
    assert files_for(path).read(path) == b"%d" % winners[0] * 1000
    assert [info.path for info in files_for(path).walk(f"{scheme}{tmp_path}", hidden=True)] == ["x"]


def test_what_is_removed_is_gone_and_what_is_beside_it_stays(place: Place) -> None:
    files, root = place
    before = time.time() - 2
    for name in ("b[1]/c/2", "b[1]/.3", "b1/c/2", "b"):
        files.create(f"{root}/{name}", b"content")
    assert before < files.modified(f"{root}/b[1]") < time.time() + 2
    files.remove(f"{root}/b[1]")
    files.remove(f"{root}/none")
    assert [files.exists(f"{root}/{name}") for name in ("b[1]", "b1", "b")] == [False, True, True]
    assert (files.modified(f"{root}/b[1]"), files.names(f"{root}/b")) == (0.0, ["b"])


def test_a_file_is_read_in_any_order(place: Place) -> None:
    files, root = place
    files.create(f"{root}/x", b"0123456789")
    with files.open(f"{root}/x") as file:
        file.seek(-3, os.SEEK_END)
        assert (file.read(2), file.seek(1), file.read(3)) == (b"78", 1, b"123")
    assert (files.read(f"{root}/x", 4), files.read(f"{root}/x", 40)) == (b"0123", b"0123456789")


def test_create_still_refuses_a_taken_name_where_there_are_no_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", no_links)
    LocalFiles().create(f"{tmp_path}/x", b"first")
    with pytest.raises(FileExistsError):
        LocalFiles().create(f"{tmp_path}/x", b"second")
    assert (tmp_path / "x").read_bytes() == b"first"
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_local_path_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert LocalFiles().absolute("models/news/") == str(Path.cwd() / "models/news")
    assert LocalFiles().absolute("file:///m/../n") == "file:///n"
    assert LocalFiles().local("file://localhost/m") == LocalFiles().local("file:/m") == "/m"


@pytest.mark.parametrize("path", ["models/news", "/models/news", "file:/models/news", "FILE:///models/news"])
def test_local_paths_need_no_spark(path: str) -> None:
    assert files_for(path) == LocalFiles()


def test_other_schemes_without_a_jvm_are_read_by_fsspec() -> None:
    connect: Any = object()  # like Spark Connect's session, it has no attribute _jvm
    for session in (None, connect):
        assert isinstance(files_for("memory://m", session), RemoteFiles)
        assert files_for("/models/news", session) == LocalFiles()


def test_a_scheme_that_the_jvm_does_not_know_is_a_clear_error(spark: SparkSession) -> None:
    with pytest.raises(StoreError, match=r"cannot open 'nosuch://b/m': .*nosuch"):
        files_for("nosuch://b/m", spark)


def test_a_path_without_a_scheme_is_where_spark_would_look(spark: SparkSession) -> None:
    assert files_for("/models/news", spark) == LocalFiles()
    before = spark.conf.get("fs.defaultFS", None)
    spark.conf.set("fs.defaultFS", "nosuch://cluster")
    try:
        with pytest.raises(StoreError, match="nosuch"):
            files_for("/models/news", spark)
    finally:
        spark.conf.unset("fs.defaultFS") if before is None else spark.conf.set("fs.defaultFS", before)
