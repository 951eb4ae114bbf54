"""An archive of Spark's classes for Java, so that a command on this machine starts sooner. Imports no pyspark.

Half of what a short command does is to load, check and link 20,000 classes of Spark. Java can keep them as they then
lie in memory in a file (class-data sharing) and map that file when it starts the next time. nbspark makes one for
each pair of a Java and a Spark, in the user's cache: in the background after the first command, or at once by
``python -m nbspark.runtime.archive``. Java takes an archive only if its own build and the jars are those that it was
made with, and otherwise loads the classes as ever.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nbspark.errors import SetupError
from nbspark.runtime.java import cache_folder, ensure_java

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nbspark.runtime.java import Java

VARIABLE = "NBSPARK_CLASS_ARCHIVE"  # "off": make none and use none
REHEARSAL = "nbspark.rehearsal"  # the program whose classes are kept
KEPT = 3  # archives in the cache; the oldest go, because each is as large as Spark's jars together
RETRY_AFTER = 7 * 24 * 3600.0  # seconds after which an archive that could not be made is tried again
TIMEOUT = 900.0  # seconds for a rehearsal, which takes 20 on a machine with nothing else to do

# From here on Java has a successor of class-data sharing that small runtimes can use, too: without an archive of Java's
# own classes to build on.
AOT_VERSION = 25

# An archive that does not fit is no news to anybody: Java goes on without it.
_QUIET = "-Xlog:cds=off -Xlog:cds+dynamic=off -Xlog:class+path=off"
_QUIET_AOT = "-Xlog:aot*=off -Xlog:cds*=off -Xlog:class+path=off"


@dataclass(frozen=True)
class Archive:
    """The archive for one Java and one Spark, there or not yet.

    Its file is called by its size, ``classes-HASH-SIZE.jsa``, since Java crashes on one that is cut off. A file of
    size 0 says that this Java could not make one.
    """

    stem: Path
    java_version: int

    @property
    def file(self) -> Path | None:
        """The file, if it is there, whole and readable."""
        for path in self.stem.parent.glob(f"{self.stem.name}-*.jsa"):
            with contextlib.suppress(OSError):
                if path.stat().st_size == int(path.stem.rpartition("-")[2]) and os.access(path, os.R_OK):
                    return path
        return None

    @property
    def is_usable(self) -> bool:
        """Whether Java can start with it."""
        return self.file is not None and self.file.stat().st_size > 0

    @property
    def is_due(self) -> bool:
        """Whether it is to be made: it is not there, or an attempt failed long ago."""
        file = self.file
        return file is None or (not self.is_usable and time.time() - file.stat().st_mtime > RETRY_AFTER)

    @property
    def java_options(self) -> str:
        """The options with which Java uses it, as one line; none where it cannot."""
        file = self.file
        if file is None or not self.is_usable:
            return ""
        if self.java_version >= AOT_VERSION:
            return f"{_option('AOTCache', file)} {_QUIET_AOT}"
        return f"{_option('SharedArchiveFile', file)} -Xshare:auto {_QUIET}"

    def making_options(self, file: Path) -> str:
        """Return the option with which Java makes it when it ends."""
        return _option("AOTCacheOutput" if self.java_version >= AOT_VERSION else "ArchiveClassesAtExit", file)

    def forget(self) -> None:
        """Remove its files, whole or not."""
        for path in self.stem.parent.glob(f"{self.stem.name}-*.jsa"):
            path.unlink(missing_ok=True)

    def take(self, made: Path) -> None:
        """Move a new file into place; one that is not there says that Java made none."""
        self.forget()
        if not made.is_file():
            Path(f"{self.stem}-0.jsa").touch()
            return
        with made.open("rb") as file:
            os.fsync(file.fileno())  # a renamed file whose bytes are lost would be worse than none
        made.replace(f"{self.stem}-{made.stat().st_size}.jsa")


def archive_of(java: Java) -> Archive | None:
    """Return the archive for a Java and the installed Spark; None where there is to be none."""
    spark = spark_home()
    if os.environ.get(VARIABLE, "").lower() in {"off", "0", "no", "false"} or spark is None:
        return None
    # What Java itself compares: its own build, and names, sizes and times of the jars.
    parts = [java.build, os.environ.get("SPARK_CONF_DIR", ""), str(spark)]
    for jar in sorted(spark.glob("jars/*.jar")):
        found = jar.stat()
        parts.append(f"{jar.name} {found.st_size} {found.st_mtime_ns}")
    digest = hashlib.sha256("\n".join(parts).encode(errors="surrogateescape")).hexdigest()
    return Archive(cache_folder() / f"classes-{digest[:16]}", java.version)


def spark_home() -> Path | None:
    """Return the folder of the Spark that pyspark starts, found without importing it; None where it has no jars."""
    home = os.environ.get("SPARK_HOME")
    if not home:
        spec = importlib.util.find_spec("pyspark")
        home = str(Path(spec.origin).parent) if spec is not None and spec.origin else None
    return Path(home) if home and Path(home, "jars").is_dir() else None


def make(archive: Archive) -> None:
    """Make an archive that is due; takes a run of Spark. Where another process makes it, nothing is done.

    It is written elsewhere and renamed, so that Java never sees half of it.
    """
    folder = archive.stem.parent
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(archive.stem.with_suffix(".lock")) as mine:
        if not mine or not archive.is_due:
            return
        with tempfile.TemporaryDirectory(prefix="rehearsal-", dir=folder) as scratch:
            made = Path(scratch, "classes.jsa")
            _rehearse(scratch, archive.making_options(made))
            archive.take(made)
        _remove_old(folder)


def make_later() -> None:
    """Make the archive in a process of its own, which outlives this one."""
    with contextlib.suppress(OSError):
        subprocess.Popen(
            [sys.executable, "-m", "nbspark.runtime.archive", "--background"],
            cwd=Path.cwd().anchor,
            env={**os.environ, "PYTHONPATH": _python_path()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C and a closed terminal are not meant for it
        )


def remove() -> list[Path]:
    """Remove all archives and return them."""
    found = sorted(cache_folder().glob("classes-*"))
    for path in found:
        path.unlink(missing_ok=True)
    return [path for path in found if path.suffix == ".jsa"]


def _option(name: str, path: Path) -> str:
    """Return an option of Java with a path, quoted as Spark's launcher reads it."""
    quoted = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"-XX:{name}={quoted}"'


def _rehearse(folder: str, option: str) -> None:
    """Run the commands once in ``folder``, in a Java with ``option``, and wait until that Java has ended."""
    ours = {VARIABLE: "off", "SPARK_SUBMIT_OPTS": option, "PYTHONPATH": _python_path()}
    foreign = ("PYSPARK_SUBMIT_ARGS", "PYSPARK_GATEWAY_PORT", "SPARK_REMOTE")  # the archive is for Spark as it is
    env = {name: value for name, value in os.environ.items() if name not in foreign} | ours
    command = [sys.executable, "-m", REHEARSAL, folder]
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        # The output ends when the last process that could write to it does: Java, after it wrote the archive.
        subprocess.run(command, cwd=folder, env=env, capture_output=True, timeout=TIMEOUT, check=False)


def _python_path() -> str:
    """Return this process's search path for a process that starts elsewhere."""
    return os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[bool]:
    """Hold a lock that ends with the process that holds it, and say whether this one got it."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield False
        return
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        yield True


def _remove_old(folder: Path) -> None:
    """Remove what earlier versions of Java and Spark left behind."""
    archives = sorted(folder.glob("classes-*.jsa"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in archives[KEPT:]:
        path.unlink(missing_ok=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Make the archive for this machine, or remove all; 1 and the reason on stderr where it cannot be made."""
    parser = argparse.ArgumentParser(prog="python -m nbspark.runtime.archive")
    parser.description = "Make the archive of Spark's classes that lets commands start sooner, if there is none yet."
    parser.add_argument("--remove", action="store_true", help="remove all archives instead")
    parser.add_argument("--background", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.remove:
        removed = remove()
        print("\n".join(f"removed {path}" for path in removed) or f"no archive in {cache_folder()}")
        return 0
    try:
        archive = archive_of(ensure_java())
        if archive is None:
            raise SetupError(f"no archive: {VARIABLE} is off, or there is no pyspark with jars.")
        if args.background:
            os.nice(10)
        elif not archive.is_usable:
            archive.forget()  # who asks for it wants it tried again
            print(f"making {archive.stem}-*.jsa, once for this Java and this Spark", flush=True)
        make(archive)
        if not archive.is_usable:
            raise SetupError(
                f"{archive.stem}-*.jsa: this Java made no archive, or another process is making it. "
                "Go on without: commands only start later."
            )
    except (SetupError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
