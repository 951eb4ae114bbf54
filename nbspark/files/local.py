"""Files on a disk of this machine, or mounted on it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import uuid
from dataclasses import dataclass
from pathlib import Path

from nbspark.files.protocol import FileInfo, is_hidden, scheme_of


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
