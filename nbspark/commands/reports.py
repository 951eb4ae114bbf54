"""The report of a run: what happened, as JSON, whether the run ended well or not. No pyspark in it."""

from __future__ import annotations

import contextlib
import json
import platform
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbspark.commands import NAMES
from nbspark.errors import PathError
from nbspark.files.paths import require_apart
from nbspark.files.protocol import scheme_of
from nbspark.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Report:
    """The report file of one run of a command.

    From `begin` on the file says that this run is under way, so that the success of an earlier run cannot be taken
    for this one, however it ends.

    Parameters
    ----------
    command : str
    path : str or None
        Where the report goes; nothing is written without one.

    Attributes
    ----------
    seconds : dict of str to float
        What each step took.
    spark : str or None
        The version of Spark, once it has started.
    """

    def __init__(self, command: str, path: str | None) -> None:
        self.seconds: dict[str, float] = {}
        self.spark: str | None = None
        self._command = command
        self._path = path
        self._run_id = uuid.uuid4().hex
        self._started = _now()
        self._begun = False

    def begin(self, *, others: Mapping[str, str]) -> None:
        """Say in the file that the run is under way.

        Parameters
        ----------
        others : mapping of str to str
            What the run reads and writes besides: the report must lie in none of it.

        Raises
        ------
        PathError
            The path is no place for a report. An older report is replaced, and nothing else.
        """
        if self._path is None:
            return
        require_local(self._path, what="report")
        if Path(self._path).exists() and not _is_report(Path(self._path)):
            raise PathError(
                f"report {self._path!r} exists and is no report of nbspark. Name another file, or remove it first."
            )
        require_apart(outputs={"report": self._path}, inputs=others)
        self._write(status="running")
        self._begun = True

    def succeed(self, content: dict[str, Any]) -> None:
        """Write what a run found that ended well."""
        if self._begun:
            self._write(status="succeeded", content=content)

    def fail(self, error: str) -> None:
        """Write why a run did not end well."""
        if self._begun:
            with contextlib.suppress(PathError):  # the disk may be full, and the error itself is printed
                self._write(status="failed", content={"error": error})

    def _write(self, *, status: str, content: dict[str, Any] | None = None) -> None:
        """Replace the report."""
        assert self._path is not None
        frame = {
            "command": self._command,
            "status": status,
            "run_id": self._run_id,
            "started": self._started,
            "ended": None if status == "running" else _now(),
            "nbspark": __version__,
            "spark": self.spark,
            "python": platform.python_version(),
        }
        write_json(self._path, frame | (content or {}) | {"seconds": self.seconds})


def require_local(path: str, *, what: str) -> None:
    """Raise if a file cannot be written at ``path`` by this process itself."""
    if scheme_of(path):
        raise PathError(f"{what} {path!r}: wants a file on the driver's own disk. Give a path without a scheme.")
    if Path(path).is_dir():
        raise PathError(f"{what} {path!r} is a folder. Name a file.")


def write_json(path: str, content: dict[str, Any]) -> None:
    """Write a file to be read by people and programs, whole or not at all, its folder made where there is none."""
    file = Path(path)
    temporary = file.with_name(f".{file.name}.{uuid.uuid4().hex}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        temporary.replace(file)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise PathError(f"{path} cannot be written: {error.strerror}.") from error
        raise


@contextlib.contextmanager
def timed(seconds: dict[str, float], step: str) -> Iterator[None]:
    """Note how long a step took, in seconds, whether it ends well or not."""
    start = time.perf_counter()
    try:
        yield
    finally:
        seconds[step] = round(time.perf_counter() - start, 3)


def _is_report(file: Path) -> bool:
    """Say whether a file is a report of an earlier run."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, OSError):
        return False
    return isinstance(found, dict) and found.get("command") in NAMES


def _now() -> str:
    """Return the time in UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
