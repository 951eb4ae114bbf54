"""The few file operations a stored model needs, whatever the file system.

A file whose name, or one of whose folders, begins with ``.`` or ``_`` is hidden, as Spark and Hadoop have it:
``_SUCCESS``, checksum files, temporary files. No listing shows it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from nbspark.errors import PathError

if TYPE_CHECKING:
    from io import BufferedReader


@dataclass(frozen=True)
class FileInfo:
    """One file below a folder: its path relative to that folder, with ``/``, and its size."""

    path: str
    n_bytes: int


class Files(Protocol):
    """What the store asks of a file system. Paths are full: a local path or a URI.

    Whatever else goes wrong than what is said here is a StoreError of one line.
    """

    def absolute(self, path: str) -> str:
        """Return ``path`` so that it means the same in every process."""

    def local(self, path: str) -> str | None:
        """Return the path on this machine's disk, or None where there is none."""

    def exists(self, path: str) -> bool:
        """Say whether a file or folder is there."""

    def is_folder(self, path: str) -> bool:
        """Say whether a folder is there."""

    def names(self, path: str) -> list[str]:
        """Return the names directly in a folder, sorted; of a file its own name, and none if there is nothing."""

    def walk(self, path: str, *, hidden: bool = False) -> list[FileInfo]:
        """Return every file below a folder, sorted by path, hidden ones if asked; none if there is no such folder."""

    def matches(self, pattern: str) -> list[str]:
        """Return the full paths that a pattern leads to, sorted."""

    def read(self, path: str, n_bytes: int = -1) -> bytes:
        """Return a file's content, at most its first ``n_bytes`` if given, or raise FileNotFoundError."""

    def open(self, path: str) -> BufferedReader:
        """Return a file to read from, in any order, or raise FileNotFoundError."""

    def sha256(self, path: str) -> str:
        """Return the hexadecimal SHA-256 of a file's content, without holding the content in memory."""

    def create(self, path: str, data: bytes) -> None:
        """Write a new file and the folders above it, or raise FileExistsError; no reader sees half of it."""

    def modified(self, path: str) -> float:
        """Return when a file or folder, or anything below it, was changed last: seconds since 1970; 0 if not there."""

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with everything in it, as far as that goes; nothing is raised."""

    def remove_empty(self, path: str) -> None:
        """Remove a folder if nothing is in it; nothing is raised."""


def create_once(files: Files, path: str, data: bytes) -> None:
    """Write a new file, or raise FileExistsError unless the very same one is there.

    It may be there by this very call, where the answer of a file system was lost and it was asked again.
    """
    try:
        files.create(path, data)
    except FileExistsError:
        if files.read(path, len(data) + 1) != data:
            raise


def path_text(path: str | os.PathLike[str]) -> str:
    """Return a path as text, whatever kind it is.

    Raises
    ------
    PathError
        It is empty, or a ``pathlib`` path made of a URI, which has lost a slash.

    Examples
    --------
    >>> from pathlib import PurePosixPath
    >>> path_text(PurePosixPath("models/news")), path_text("s3a://bucket/news")
    ('models/news', 's3a://bucket/news')
    """
    text = os.fspath(path)
    if not isinstance(text, str) or not text or "\0" in text:
        raise PathError(f"{path!r} is no path. Pass text, such as 'models/news', or a pathlib.Path.")
    if not isinstance(path, str) and scheme_of(text):
        raise PathError(f"{path!r}: a pathlib.Path is for this machine's files only. Pass the URI as text.")
    return text


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
