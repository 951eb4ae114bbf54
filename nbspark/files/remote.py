"""Files on an object store where there is no JVM to reach it through: ``s3://``, ``gs://``, ``abfs://``, ``memory://``.

The one module of the library that knows fsspec. Endpoint and credentials are fsspec's and the store's own business:
environment variables, profiles, roles, ``~/.config/fsspec``. None is asked for, kept or shown here.
"""

from __future__ import annotations

import hashlib
import io
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from nbspark.errors import SetupError, StoreError
from nbspark.files.patterns import is_pattern, without_braces
from nbspark.files.protocol import FileInfo, is_hidden, scheme_of
from nbspark.files.store_errors import MetAnotherError, code_of, one_line, store_errors

if TYPE_CHECKING:
    from collections.abc import Mapping

# What asks a store to create a name only if it is free, by the schemes that its fsspec package gives itself.
CONDITIONS: Mapping[str, Mapping[str, Any]] = {
    "s3": {"mode": "create"},  # If-None-Match: *
    "gs": {"mode": "create"},  # ifGenerationMatch=0
    "abfs": {"overwrite": False},  # If-None-Match: *
    "memory": {"mode": "create"},
}
_FSSPEC_NAMES = {"s3n": "s3", "abfss": "abfs"}  # Hadoop's names that fsspec lacks
_EXTRA = "Install it: pip install 'nbspark[remote]'"
_TIMES = ("LastModified", "mtime", "last_modified", "updated", "created")  # what stores call the time of a change
_RETRIES = 2  # botocore tries five times itself; five times that take minutes to say that an endpoint is not there
_TRIES = 8  # where the store says that two creations met, and to ask again
_WHOLE_BYTES = 8 << 20  # up to here a file comes in one request
_THREADS = 8
_MEMORY = threading.Lock()  # fsspec's memory looks first and writes then


class RemoteFiles:
    """Files of the object store behind ``path``, through fsspec.

    Raises
    ------
    SetupError
        fsspec, or its package for this store, is not installed.
    StoreError
        There is no such kind of store.
    """

    def __init__(self, path: str) -> None:
        """Choose the store; nothing is asked of it."""
        scheme = scheme_of(path)
        name = _FSSPEC_NAMES.get(scheme, scheme)
        try:
            import fsspec
        except ImportError as error:
            raise SetupError(f"{path!r} is not on a local disk, and there is no fsspec. {_EXTRA}.") from error
        try:
            kind: Any = fsspec.get_filesystem_class(name)
        except ImportError as error:
            told = _EXTRA if name.startswith("s3") else f"{one_line(error).rstrip('.')}"
            raise SetupError(f"{path!r}: fsspec lacks its package for {scheme}://. {told}.") from error
        except ValueError as error:
            raise StoreError(
                f"{path!r}: no kind of store is called {scheme}://. Without Spark these are read: a local path, s3://, "
                "s3a://, gs://, abfs://, abfss://; see docs/format.md."
            ) from error
        with store_errors("open", path):
            # Another writer's file must be seen at once.
            self._fs: Any = kind(**kind._get_kwargs_from_urls(path), use_listings_cache=False)
        if hasattr(self._fs, "retries"):
            self._fs.retries = _RETRIES
        names = {kind.protocol} if isinstance(kind.protocol, str) else set(kind.protocol)
        self._condition = next((asked for known, asked in CONDITIONS.items() if known in names), None)
        self._is_memory = "memory" in names
        self._is_proven = self._is_memory

    def absolute(self, path: str) -> str:
        """Return ``path`` with its scheme in small letters, without slashes at its end."""
        return scheme_of(path) + path[len(scheme_of(path)) :].rstrip("/")

    def local(self, path: str) -> None:
        """Return None: these files are on no disk of this machine."""

    def exists(self, path: str) -> bool:
        """Say whether a file or folder is there."""
        return self._info(path) is not None

    def is_folder(self, path: str) -> bool:
        """Say whether a folder is there: a store has none but what its files' names say."""
        info = self._info(path)
        return info is not None and info["type"] == "directory"

    def names(self, path: str) -> list[str]:
        """Return the names directly in a folder, sorted; of a file its own name, and none if there is nothing."""
        own = self._key(path)
        try:
            with store_errors("list", path):
                found = self._fs.ls(path, detail=False)
        except FileNotFoundError:
            return []
        # Some writers mark a folder by an empty file of its name and a slash.
        names = {name.rstrip("/").rpartition("/")[2] for name in found if name == own or name.rstrip("/") != own}
        return sorted(name for name in names if not is_hidden(name))

    def walk(self, path: str, *, hidden: bool = False) -> list[FileInfo]:
        """Return every file below a folder, sorted by path, hidden ones if asked; none if there is no such folder."""
        found = [FileInfo(name, int(info["size"])) for name, info in self._below(path).items()]
        return sorted((info for info in found if hidden or not is_hidden(info.path)), key=lambda info: info.path)

    def matches(self, pattern: str) -> list[str]:
        """Return the full paths that a pattern leads to, sorted."""
        found = set()
        for one in without_braces(re.sub(r"\\([*?\[\]{}\\])", r"[\1]", self.absolute(pattern))):
            levels = one.split("/")
            start = "/".join(levels[: next((i for i, level in enumerate(levels) if is_pattern(level)), len(levels))])
            with store_errors("list", pattern):
                found |= {start + name.removeprefix(self._key(start)) for name in self._fs.glob(one)}
        return sorted(found)

    def read(self, path: str, n_bytes: int = -1) -> bytes:
        """Return a file's content, at most its first ``n_bytes`` if given, or raise FileNotFoundError."""
        with store_errors("read", path):
            try:
                # With a start, no store asks for the size first.
                return bytes(self._fs.cat_file(path, start=0, end=None if n_bytes < 0 else n_bytes))
            except (OSError, ValueError) as error:
                if code_of(error) not in ("InvalidRange", "416"):
                    raise
                return b""  # there is no first byte

    def open(self, path: str) -> io.BufferedReader:
        """Return a file to read from, in any order, or raise FileNotFoundError."""
        start = self.read(path, _WHOLE_BYTES)
        if len(start) < _WHOLE_BYTES:
            return io.BufferedReader(io.BytesIO(start))
        if self._is_memory:
            return io.BufferedReader(io.BytesIO(self.read(path)))  # its own has one position
        with store_errors("read", path):
            return io.BufferedReader(self._fs.open(path, "rb"))

    def sha256(self, path: str) -> str:
        """Return the hexadecimal SHA-256 of a file's content, without holding the content in memory."""
        with self.open(path) as file, store_errors("read", path):
            return hashlib.file_digest(file, "sha256").hexdigest()

    def create(self, path: str, data: bytes) -> None:
        """Write a new file, or raise FileExistsError; no reader sees half of it.

        The first time, it is also tried again at once, which has to fail: there are stores that do not know the
        condition and replace what is there.

        Raises
        ------
        StoreError
            The store cannot create a name only if it is free: two writers could replace each other's versions.
        """
        if self._condition is None:
            raise StoreError(
                f"cannot create {path!r}: nothing is known here of how {scheme_of(path)}:// creates a file only if "
                "there is none, so two writers could overwrite each other. Use a classic Spark session or another "
                "store."
            )
        self._create(path, data)
        if not self._is_proven:
            try:
                self._create(path, data)
            except FileExistsError:
                self._is_proven = True
            else:
                self.remove(path)
                raise StoreError(
                    f"cannot create {path!r}: this store ignores the condition to create a file only if there is none, "
                    "so two writers could overwrite each other. Use a store that knows conditional writes."
                )

    def modified(self, path: str) -> float:
        """Return when a file or folder, or anything below it, was changed last: seconds since 1970; 0 if not there."""
        own = self._info(path)
        infos = [*self._below(path).values(), *([own] if own and own["type"] == "file" else [])]
        return max((_seconds(info) for info in infos), default=0.0)

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with everything in it, as far as that goes; nothing is raised."""

        def remove_one(name: str) -> None:
            with suppress(OSError, StoreError), store_errors("remove", path):
                self._fs.rm_file(name)  # unlike rm, it takes no name for a pattern

        with suppress(OSError, StoreError), store_errors("remove", path), ThreadPoolExecutor(_THREADS) as pool:
            list(pool.map(remove_one, self._fs.find(path) or [path]))

    def remove_empty(self, path: str) -> None:
        """Do nothing: no store keeps a folder in which nothing is."""

    def _info(self, path: str) -> Any:
        """Return what the store says of a file or folder, or None if there is nothing."""
        try:
            with store_errors("read", path):
                return self._fs.info(path)
        except FileNotFoundError:
            return None

    def _below(self, path: str) -> dict[str, Any]:
        """Return what the store says of each file below a folder, by its path from there."""
        inside = self._key(path) + "/"
        try:
            with store_errors("list", path):
                found = self._fs.find(path, detail=True)
        except FileNotFoundError:
            return {}
        return {
            name.removeprefix(inside): info
            for name, info in found.items()
            if name.startswith(inside) and not name.endswith("/")
        }

    def _key(self, path: str) -> str:
        """Return a path as the store's own listings have it."""
        return str(self._fs._strip_protocol(path)).rstrip("/")

    def _create(self, path: str, data: bytes) -> None:
        """Put a file on the condition that there is none."""
        for i in range(_TRIES):
            try:
                with _MEMORY if self._is_memory else nullcontext(), store_errors("create", path):
                    self._fs.pipe_file(path, data, **(self._condition or {}))
                return
            except MetAnotherError:
                time.sleep(0.05 * 2**i)
        raise StoreError(f"cannot create {path!r}: the store says each time that another writer is at it. Try again.")


def _seconds(info: Mapping[str, Any]) -> float:
    """Return when a file was changed, in seconds since 1970.

    >>> _seconds({"updated": "1970-01-01T00:01:00+00:00"}), _seconds({"created": 60})
    (60.0, 60.0)
    """
    time_of = next((info[name] for name in _TIMES if info.get(name) is not None), 0.0)
    if isinstance(time_of, str):
        time_of = datetime.fromisoformat(time_of)
    return time_of.timestamp() if isinstance(time_of, datetime) else float(time_of)
