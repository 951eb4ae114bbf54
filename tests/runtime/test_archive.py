"""An archive of classes lets Java start sooner, is made by one process at a time, and never stands in the way."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nbspark.runtime import archive as module
from nbspark.runtime.archive import AOT_VERSION, KEPT, RETRY_AFTER, VARIABLE, Archive, archive_of, main, make, remove
from nbspark.runtime.java import cache_folder, ensure_java, find_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ARCHIVE = archive_of(ensure_java())  # before a test changes where the cache is


@pytest.fixture
def archive(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Archive:
    """An archive that is not there, in an empty cache."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("JAVA_HOME", os.environ["JAVA_HOME"])  # so that it is restored afterwards
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "the cache"))
    found = archive_of(ensure_java())
    assert found is not None
    return found


@pytest.fixture
def rehearsals(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What each coming rehearsal leaves as its archive, b"" for none."""
    contents: list[bytes] = []

    def rehearse(folder: str, option: str) -> None:
        content = contents.pop()
        if content:
            Path(option.split("=")[1].strip('"')).write_bytes(content)

    monkeypatch.setattr(module, "_rehearse", rehearse)
    return contents


def test_an_archive_belongs_to_one_java_and_one_set_of_jars(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, archive: Archive
) -> None:
    java = find_java()
    assert java is not None
    assert archive_of(java) == archive
    (tmp_path / "spark/jars").mkdir(parents=True)
    jar = tmp_path / "spark/jars/a.jar"
    jar.write_bytes(b"1")
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "spark"))
    stems = [archive.stem, archive_of(java).stem]
    jar.write_bytes(b"12")
    stems.append(archive_of(java).stem)
    os.utime(jar, (1, 1))
    stems.append(archive_of(java).stem)
    jar.rename(jar.with_name("b.jar"))
    stems.append(archive_of(java).stem)
    object.__setattr__(java, "build", java.build + "1")
    stems.append(archive_of(java).stem)
    assert len(set(stems)) == 6


@pytest.mark.parametrize("value", ["off", "OFF", "0", "no", "false"])
def test_it_can_be_turned_off(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(VARIABLE, value)
    java = find_java()
    assert java is not None
    assert archive_of(java) is None
    assert main([]) == 1


def test_what_was_made_is_used(archive: Archive, rehearsals: list[bytes]) -> None:
    rehearsals.append(b"classes")
    assert (archive.is_due, archive.is_usable, archive.java_options) == (True, False, "")
    make(archive)
    assert (archive.is_due, archive.is_usable) == (False, True)
    assert f'={archive.stem}-7.jsa" ' in archive.java_options
    make(archive)  # not due: no rehearsal, which would fail for want of a content
    assert [path.suffix for path in cache_folder().glob("classes-*")].count(".jsa") == 1
    assert list(cache_folder().glob("rehearsal-*")) == []


def test_a_file_that_is_cut_off_is_not_used_and_made_again(archive: Archive, rehearsals: list[bytes]) -> None:
    rehearsals += [b"classes", b"classes"]
    make(archive)
    assert archive.file is not None
    archive.file.write_bytes(b"clas")
    assert (archive.is_due, archive.java_options) == (True, "")
    make(archive)
    assert archive.is_usable


def test_what_java_cannot_make_is_tried_again_a_week_later(archive: Archive, rehearsals: list[bytes]) -> None:
    rehearsals += [b"classes", b""]
    make(archive)
    assert (archive.is_due, archive.is_usable, archive.java_options) == (False, False, "")
    assert archive.file is not None
    then = archive.file.stat().st_mtime - RETRY_AFTER - 60
    os.utime(archive.file, (then, then))
    make(archive)
    assert archive.is_usable


def test_two_do_not_make_it_at_once_and_a_lock_ends_with_its_process(
    archive: Archive, rehearsals: list[bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    rehearsals.append(b"classes")
    lock = archive.stem.with_suffix(".lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        make(archive)
        assert archive.is_due
        assert main([]) == 1
        assert "another process is making it" in capsys.readouterr().err
    make(archive)
    assert archive.is_usable


def test_a_cache_that_cannot_be_written_is_no_failure_of_a_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, archive: Archive
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    java = find_java()
    assert java is not None
    there = archive_of(java)
    assert there is not None
    assert (there.is_due, there.java_options) == (True, "")
    assert main(["--background"]) == 1


def test_the_oldest_go_and_all_can_be_removed(
    archive: Archive, rehearsals: list[bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    cache_folder().mkdir(parents=True, exist_ok=True)
    for age in range(KEPT + 1):
        old = cache_folder() / f"classes-{age}-0.jsa"
        old.touch()
        os.utime(old, (age + 1, age + 1))
    rehearsals.append(b"classes")
    assert main([]) == 0
    kept = sorted(cache_folder().glob("classes-*.jsa"), key=lambda path: path.stat().st_mtime)
    assert [path.name for path in kept[:-1]] == [f"classes-{age}-0.jsa" for age in (2, 3)]
    assert kept[-1] == archive.file
    capsys.readouterr()
    assert {path.name for path in kept} == {path.name for path in remove()}
    assert main(["--remove"]) == 0
    assert capsys.readouterr().out == f"no archive in {cache_folder()}\n"


@pytest.mark.parametrize(
    "content",
    [b"\0" * 100, b"not an archive" * 10_000],
    ids=["zeros", "something else"],
)
def test_java_starts_without_a_word_where_an_archive_does_not_fit(tmp_path: Path, content: bytes) -> None:
    (tmp_path / f"classes-x-{len(content)}.jsa").write_bytes(content)
    options = Archive(tmp_path / "classes-x", ensure_java().version).java_options
    assert "classes-x" in options
    assert java_says(options) == java_says("")


def test_a_java_that_has_an_aot_cache_uses_that(tmp_path: Path) -> None:
    (tmp_path / "a-3.jsa").write_bytes(b"aot")
    old, new = (Archive(tmp_path / "a", version) for version in (24, 25))
    assert old.java_options.startswith(f'"-XX:SharedArchiveFile={tmp_path}/a-3.jsa" -Xshare:auto ')
    assert new.java_options.startswith(f'"-XX:AOTCache={tmp_path}/a-3.jsa" ')
    assert old.making_options(tmp_path / "b") == f'"-XX:ArchiveClassesAtExit={tmp_path}/b"'
    assert new.making_options(tmp_path / "b") == f'"-XX:AOTCacheOutput={tmp_path}/b"'


@pytest.mark.skipif(ARCHIVE is None or not ARCHIVE.is_usable, reason="this machine has no archive")
def test_java_takes_the_archive_of_this_machine_with_the_jars_of_a_session(spark: SparkSession) -> None:
    assert ARCHIVE is not None
    jars = spark._jvm.java.lang.System.getProperty("java.class.path")
    assert java_says(ARCHIVE.java_options, jars) == java_says("", jars)
    must = "-Xshare:on" if ARCHIVE.java_version < AOT_VERSION else "-XX:AOTMode=on"
    java_says(f"{ARCHIVE.java_options} {must}", jars)  # fails if it is not taken


def java_says(options: str, jars: str = "") -> str:
    """Return all that Java prints when it is asked for its version."""
    java = str(ensure_java().home / "bin" / "java")
    unquoted = [option.strip('"') for option in options.split(" ") if option]
    command = [java, *unquoted, "-cp", jars, "-version"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
    return done.stdout.replace(", sharing", "")


def test_the_maker_in_the_background_outlives_the_command_and_has_its_search_path(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **options: started.append((command, options)))
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    module.make_later()
    [(command, options)] = started
    assert command == [sys.executable, "-m", "nbspark.runtime.archive", "--background"]
    assert options["start_new_session"] is True
    assert options["env"]["PYTHONPATH"].split(os.pathsep)[0] == str(Path.cwd())
