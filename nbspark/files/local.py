"""Files on a disk of this machine, or mounted on it."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import uuid
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING

from nbspark.errors import StoreError
from nbspark.files.patterns import without_braces
from nbspark.files.protocol import FileInfo, is_hidden, scheme_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader


@dataclass(frozen=True)
class LocalFiles:
    """Files on a disk of this machine, or mounted on it; plain paths and ``file:`` URIs."""

    def absolute(self, path: str) -> str:
        """Return the path from the root on, and ``file://`` in front of it if ``path`` had a scheme."""
        return ("file://" if scheme_of(path) else "") + os.path.realpath(self.local(path))

    def local(self, path: str) -> str:
        """Return the plain path of a path or ``file:`` URI (nothing is unescaped: Hadoop does not either)."""
        if scheme_of(path) != "file":
            return path
        rest = path[len("file:") :]
        return "/" + rest[2:].partition("/")[2] if rest.startswith("//") else rest

    def exists(self, path: str) -> bool:
        """Say whether a file or folder is there."""
        return os.path.lexists(self.local(path))

    def is_folder(self, path: str) -> bool:
        """Say whether a folder is there."""
        with _os_errors("read", path):
            return Path(self.local(path)).is_dir()

    def names(self, path: str) -> list[str]:
        """Return the names directly in a folder, sorted; of a file its own name, and none if there is nothing."""
        folder = Path(self.local(path))
        with _os_errors("list", path):
            if folder.is_file():
                return [folder.name]
            names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
        return sorted(name for name in names if not is_hidden(name))

    def walk(self, path: str, *, hidden: bool = False) -> list[FileInfo]:
        """Return every file below a folder, sorted by path, hidden ones if asked; none if there is no such folder.

        A link to a folder counts as a file: what follows it would read files that are not below the folder.
        """
        root = self.local(path)
        found = []
        with _os_errors("list", path):
            for folder, folders, files in os.walk(root, onerror=_raise_unless_missing):
                links = [name for name in folders if Path(folder, name).is_symlink()]
                for file in (Path(folder, name) for name in [*files, *links]):
                    name = file.relative_to(root).as_posix()
                    if hidden or not is_hidden(name):
                        found.append(FileInfo(name, file.stat().st_size if file.exists() else 0))
        return sorted(found, key=lambda info: info.path)

    def matches(self, pattern: str) -> list[str]:
        """Return the full paths that a pattern leads to, sorted."""
        pattern = re.sub(r"\\([*?\[\]{}\\])", lambda found: f"[{found[1]}]", pattern)  # as glob has it
        found = [glob(one, include_hidden=True) for one in without_braces(self.local(pattern))]  # noqa: PTH207
        return sorted({self.absolute(match) for matches in found for match in matches})

    def read(self, path: str, n_bytes: int = -1) -> bytes:
        """Return a file's content, at most its first ``n_bytes`` if given, or raise FileNotFoundError."""
        with self.open(path) as file, _os_errors("read", path):
            return file.read(n_bytes)

    def open(self, path: str) -> BufferedReader:
        """Return a file to read from, or raise FileNotFoundError."""
        with _os_errors("read", path):
            file = Path(self.local(path))
            if not stat.S_ISREG(file.stat().st_mode):  # a pipe would wait for ever, a device never end
                raise StoreError(f"cannot read {path!r}: it is {'a folder' if file.is_dir() else 'no regular file'}.")
            return file.open("rb")

    def sha256(self, path: str) -> str:
        """Return the hexadecimal SHA-256 of a file's content, without holding the content in memory."""
        with self.open(path) as file, _os_errors("read", path):
            return hashlib.file_digest(file, "sha256").hexdigest()

    def create(self, path: str, data: bytes) -> None:
        """Write a new file and the folders above it, or raise FileExistsError; no reader sees half of it."""
        target = Path(self.local(path))
        with _os_errors("create", path):
            n_made = _make_folder(target.parent)
            temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
            try:
                _write_new(temporary, data)
                _link(temporary, target, data)
            finally:
                with suppress(OSError):  # hidden, it harms nobody
                    temporary.unlink(missing_ok=True)
            flush_folders(target.parent, above=max(1, n_made))

    def modified(self, path: str) -> float:
        """Return when a file or folder, or anything below it, was changed last: seconds since 1970; 0 if not there."""
        root = Path(self.local(path))
        times = [0.0]
        for one in (root, *root.rglob("*")):
            with suppress(OSError):
                times.append(one.lstat().st_mtime)
        return max(times)

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with everything in it, as far as that goes; nothing is raised."""
        found = Path(self.local(path))
        if found.is_dir() and not found.is_symlink():
            shutil.rmtree(found, ignore_errors=True)
        else:
            with suppress(OSError):
                found.unlink(missing_ok=True)

    def remove_empty(self, path: str) -> None:
        """Remove a folder if nothing is in it; nothing is raised."""
        with suppress(OSError):
            Path(self.local(path)).rmdir()


def flush_folders(path: Path, *, above: int) -> None:
    """Bring the names in a folder, and in some above it, to the disk, where the platform can do that for folders."""
    for folder in (path, *path.parents[:above]):
        with suppress(OSError):
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def _make_folder(path: Path) -> int:
    """Make a folder and those above it, unless it is there; return how many were missing."""
    n_missing = sum(not folder.exists() for folder in (path, *path.parents))
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:  # of the folder, not of the file that is to be created in it
        raise NotADirectoryError(error.errno, "there is a file where a folder is wanted", error.filename) from error
    return n_missing


def _link(temporary: Path, target: Path, data: bytes) -> None:
    """Give a whole file its name, or raise FileExistsError."""
    try:
        os.link(temporary, target)  # unlike a rename, it refuses a name that is taken
    except FileExistsError:
        raise
    except OSError:
        # Some mounts (object stores, exFAT) know no links: claim the name itself, and write at once.
        _write_new(target, data)


def _write_new(path: Path, data: bytes) -> None:
    """Write a file that must not be there yet, down to the disk, or leave none behind."""
    with path.open("xb") as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            with suppress(OSError):
                path.unlink()
            raise


def _raise_unless_missing(error: OSError) -> None:
    """Raise what went wrong in a listing; a folder that is not there, or no more, has nothing in it."""
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        raise error


@contextmanager
def _os_errors(doing: str, path: str) -> Iterator[None]:
    """Turn errors of the operating system into StoreError, but for a file that is missing or taken."""
    try:
        yield
    except (FileNotFoundError, FileExistsError):
        raise
    except OSError as error:
        if isinstance(error, NotADirectoryError) and doing != "create":
            raise FileNotFoundError(path) from error
        raise StoreError(f"cannot {doing} {path!r}: {error.strerror or error}. Check the disk and the path.") from error
