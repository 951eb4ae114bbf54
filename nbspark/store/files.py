"""The few file operations a stored model needs, on local disks here and on any Hadoop file system next door.

A file whose name, or one of whose folders, begins with ``.`` or ``_`` is hidden, as Spark and Hadoop have it:
``_SUCCESS``, checksum files, temporary files. No listing shows it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class FileInfo:
    """One file below a folder: its path relative to that folder, with ``/``, and its size."""

    path: str
    n_bytes: int


class Files(Protocol):
    """What the store asks of a file system. Paths are full: a local path or a URI."""

    def absolute(self, path: str) -> str:
        """Return ``path`` so that it means the same in every process."""

    def local(self, path: str) -> str | None:
        """Return the path on this machine's disk, or None where there is none."""

    def exists(self, path: str) -> bool:
        """Say whether a file or folder is there."""

    def names(self, path: str) -> list[str]:
        """Return the names directly in a folder, sorted; of a file its own name, and none if there is nothing."""

    def walk(self, path: str) -> list[FileInfo]:
        """Return every file below a folder, sorted by path; none if there is no such folder."""

    def read(self, path: str) -> bytes:
        """Return a file's content, or raise FileNotFoundError."""

    def sha256(self, path: str) -> str:
        """Return the hexadecimal SHA-256 of a file's content, without holding the content in memory."""

    def create(self, path: str, data: bytes) -> None:
        """Write a new file and the folders above it, or raise FileExistsError; no reader sees half of it."""


def files_for(path: str, spark: SparkSession | None = None) -> Files:
    """Return the files behind ``path``: the local disk, or the Hadoop file system of the session.

    A path without a scheme is what it is for Spark: local, unless the session's ``fs.defaultFS`` says otherwise.

    Raises
    ------
    StoreError
        The path has another scheme than ``file:`` and the session has no JVM (Spark Connect, or no Spark).

    Examples
    --------
    >>> files_for("file:///models/news")
    LocalFiles()
    """
    scheme = scheme_of(path)
    if scheme == "file" or (not scheme and spark is None):
        return LocalFiles()
    from nbspark.store import hadoop  # only here is Java needed

    if not scheme and hadoop.default_scheme(spark) == "file":
        return LocalFiles()
    return hadoop.HadoopFiles(spark, path)


def scheme_of(path: str) -> str:
    """Return the scheme of a URI in lower case, "" for a plain path.

    >>> [scheme_of(path) for path in ("s3a://bucket/m", "file:/m", "/m", "models/a:b")]
    ['s3a', 'file', '', '']
    """
    head, colon, _ = path.partition(":")
    is_scheme = colon and len(head) > 1 and head.isascii() and head.replace("+", "").replace("-", "").isalnum()
    return head.lower() if is_scheme else ""  # one letter is a Windows drive


def is_hidden(path: str) -> bool:
    """Say whether a relative path is hidden.

    >>> [is_hidden(path) for path in ("counts/part-0.parquet", "counts/_SUCCESS", "_temporary/0/part-0.parquet")]
    [False, True, True]
    """
    return any(part.startswith((".", "_")) for part in path.split("/"))


@dataclass(frozen=True)
class LocalFiles:
    """Files on a disk of this machine, or mounted on it; plain paths and ``file:`` URIs."""

    def absolute(self, path: str) -> str:
        """Return the path from the root on, and ``file://`` in front of it if ``path`` had a scheme."""
        return ("file://" if scheme_of(path) else "") + str(Path(self.local(path)).resolve())

    def local(self, path: str) -> str:
        """Return the plain path of a path or ``file:`` URI (nothing is unescaped: Hadoop does not either)."""
        if scheme_of(path) != "file":
            return path
        rest = path[len("file:") :]
        return "/" + rest[2:].partition("/")[2] if rest.startswith("//") else rest

    def exists(self, path: str) -> bool:
        """Say whether a file or folder is there."""
        return os.path.lexists(self.local(path))

    def names(self, path: str) -> list[str]:
        """Return the names directly in a folder, sorted; of a file its own name, and none if there is nothing."""
        folder = Path(self.local(path))
        if folder.is_file():
            return [folder.name]
        names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
        return sorted(name for name in names if not is_hidden(name))

    def walk(self, path: str) -> list[FileInfo]:
        """Return every file below a folder, sorted by path; none if there is no such folder."""
        folder = Path(self.local(path))
        below = ((file.relative_to(folder).as_posix(), file) for file in folder.rglob("*") if file.is_file())
        return sorted(
            (FileInfo(name, file.stat().st_size) for name, file in below if not is_hidden(name)),
            key=lambda info: info.path,
        )

    def read(self, path: str) -> bytes:
        """Return a file's content, or raise FileNotFoundError."""
        return Path(self.local(path)).read_bytes()

    def sha256(self, path: str) -> str:
        """Return the hexadecimal SHA-256 of a file's content, without holding the content in memory."""
        with Path(self.local(path)).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def create(self, path: str, data: bytes) -> None:
        """Write a new file and the folders above it, or raise FileExistsError; no reader sees half of it."""
        target = Path(self.local(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
        _write_new(temporary, data)
        try:
            os.link(temporary, target)  # unlike a rename, it refuses a name that is taken
        except FileExistsError:
            raise
        except OSError:
            # Some mounts (object stores, exFAT) know no links: claim the name itself, and write at once.
            _write_new(target, data)
        finally:
            temporary.unlink()
        _flush_folder(target.parent)


def _write_new(path: Path, data: bytes) -> None:
    """Write a file that must not be there yet, down to the disk, or leave none behind."""
    with path.open("xb") as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        except OSError:
            path.unlink()
            raise


def _flush_folder(path: Path) -> None:
    """Bring a folder's new name to the disk, where the platform can do that for a folder."""
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
