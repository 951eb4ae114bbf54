"""Files through the session's own Hadoop file system: HDFS and the object stores, with Spark's settings.

The one module of the library that reaches into the JVM; ``files.remote`` is its alternative without one.
"""

from __future__ import annotations

import io
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from nbspark.errors import StoreError
from nbspark.files.protocol import FileInfo, is_hidden

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

# Object stores show a file only when its writer closes it, so it needs no temporary name; and their rename is a copy.
OBJECT_STORES = frozenset({"s3", "s3a", "s3n", "gs", "oss", "cosn", "obs"})
# Asks the store itself to refuse a name that is taken (Hadoop >= 3.4.2 on S3; ignored where unknown).
CONDITIONAL_CREATE = "fs.option.create.conditional.overwrite"


READ_BYTES = 1 << 20  # at a time: a call into the JVM costs more than bytes do


def default_scheme(spark: SparkSession) -> str:
    """Return the scheme of a path that names none; a session without a JVM cannot say, and is taken as local."""
    if getattr(spark, "_jvm", None) is None:
        return "file"
    return str(HadoopFiles(spark, "/").scheme)


class HadoopFiles:
    """Files of the Hadoop file system behind ``path``.

    Raises
    ------
    StoreError
        The session's JVM knows no such file system.
    """

    def __init__(self, spark: SparkSession, path: str) -> None:
        """Open the file system; nothing is read."""
        session: Any = spark
        self._jvm = session._jvm
        self._conf = session._jsparkSession.sessionState().newHadoopConf()
        with _java_errors("open", path):
            self._fs = self._path(path).getFileSystem(self._conf)
            self.scheme: str = self._fs.getUri().getScheme()

    def absolute(self, path: str) -> str:
        """Return ``path`` with its scheme and authority."""
        return str(self._fs.makeQualified(self._path(path)).toString())

    def local(self, path: str) -> None:
        """Return None: whatever the scheme, these files are read through the JVM."""

    def exists(self, path: str) -> bool:
        """Say whether a file or folder is there."""
        with _java_errors("read", path):
            return bool(self._fs.exists(self._path(path)))

    def is_folder(self, path: str) -> bool:
        """Say whether a folder is there."""
        with _java_errors("read", path):
            target = self._path(path)
            return bool(self._fs.exists(target)) and bool(self._fs.getFileStatus(target).isDirectory())

    def names(self, path: str) -> list[str]:
        """Return the names directly in a folder, sorted; none if there is no such folder."""
        if not self.exists(path):
            return []
        with _java_errors("list", path):
            names = [status.getPath().getName() for status in self._fs.listStatus(self._path(path))]
        return sorted(name for name in names if not is_hidden(name))

    def walk(self, path: str, *, hidden: bool = False) -> list[FileInfo]:
        """Return every file below a folder, sorted by path, hidden ones if asked; none if there is no such folder."""
        if not self.is_folder(path):
            return []
        root = self.absolute(path).rstrip("/") + "/"
        found = []
        with _java_errors("list", path):
            statuses = self._fs.listFiles(self._path(path), True)
            while statuses.hasNext():
                status = statuses.next()
                found.append(FileInfo(str(status.getPath().toString()).removeprefix(root), int(status.getLen())))
        return sorted((info for info in found if hidden or not is_hidden(info.path)), key=lambda info: info.path)

    def matches(self, pattern: str) -> list[str]:
        """Return the full paths that a pattern leads to, sorted."""
        with _java_errors("list", pattern):
            found = self._fs.globStatus(self._path(pattern))
            return sorted(str(status.getPath().toString()) for status in found or [])

    def read(self, path: str, n_bytes: int = -1) -> bytes:
        """Return a file's content, at most its first ``n_bytes`` if given, or raise FileNotFoundError."""
        with self.open(path) as file:
            return file.read(n_bytes)

    def open(self, path: str) -> io.BufferedReader:
        """Return a file to read from, in any order, or raise FileNotFoundError."""
        with _java_errors("read", path):
            target = self._path(path)
            status = self._fs.getFileStatus(target)
            if not status.isFile():
                raise StoreError(f"cannot read {path!r}: it is a folder.")
            raw = _HadoopFile(self._fs.open(target), path, int(status.getLen()))
        return io.BufferedReader(raw, READ_BYTES)

    def sha256(self, path: str) -> str:
        """Return the hexadecimal SHA-256 of a file's content; the content stays in the JVM."""
        digest = self._jvm.java.security.MessageDigest.getInstance("SHA-256")
        with _java_errors("read", path):
            stream = self._jvm.java.security.DigestInputStream(self._fs.open(self._path(path)), digest)
            try:
                stream.transferTo(self._jvm.java.io.OutputStream.nullOutputStream())
            finally:
                stream.close()
        return bytes(digest.digest()).hex()

    def create(self, path: str, data: bytes) -> None:
        """Write a new file and the folders above it, or raise FileExistsError; no reader sees half of it.

        As exclusive as the file system: HDFS and ABFS refuse the second of two renames to one name, an object store
        the second of two creations if its connector passes the condition on.
        """
        target = self._path(path)
        make = self._write_new if self.scheme in OBJECT_STORES else self._rename_new
        with _java_errors("create", path):
            _uninterrupted(lambda: make(target, data))

    def modified(self, path: str) -> float:
        """Return when a file or folder, or anything below it, was changed last: seconds since 1970; 0 if not there."""
        if not self.exists(path):
            return 0.0
        with _java_errors("look at", path):
            file = self._path(path)
            times = [self._fs.getFileStatus(file).getModificationTime()]
            found = self._fs.listFiles(file, True)
            while found.hasNext():
                times.append(found.next().getModificationTime())
        return float(max(times)) / 1000

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with everything in it, as far as that goes; nothing is raised."""
        with suppress(OSError, StoreError), _java_errors("remove", path):
            self._fs.delete(self._path(path), True)

    def remove_empty(self, path: str) -> None:
        """Remove a folder if nothing is in it; nothing is raised."""
        with suppress(OSError, StoreError), _java_errors("remove", path):
            self._fs.delete(self._path(path), False)

    def _path(self, path: str) -> Any:
        """Return the Hadoop path of a string."""
        return self._jvm.org.apache.hadoop.fs.Path(path)

    def _write_new(self, path: Any, data: bytes) -> None:
        """Write a file that must not be there yet."""
        stream = self._fs.createFile(path).recursive().overwrite(False).opt(CONDITIONAL_CREATE, True).build()
        try:
            stream.write(data)
        finally:
            stream.close()

    def _rename_new(self, target: Any, data: bytes) -> None:
        """Write a file under another name, and give it its own unless that is taken."""
        random_name = self._jvm.java.util.UUID.randomUUID().toString()
        temporary = self._path(f"{target.getParent().toString()}/.{target.getName()}.{random_name}")
        try:
            self._write_new(temporary, data)
            context = self._jvm.org.apache.hadoop.fs.FileContext.getFileContext(self._fs.getUri(), self._conf)
            context.rename(temporary, target, self._no_overwrite())
        finally:
            self._fs.delete(temporary, False)

    def _no_overwrite(self) -> Any:
        """Return the Java array of rename options that says: never replace."""
        option = self._jvm.java.lang.Class.forName("org.apache.hadoop.fs.Options$Rename")
        options = self._jvm.java.lang.reflect.Array.newInstance(option, 1)
        options[0] = option.getEnumConstants()[0]  # NONE
        return options


class _HadoopFile(io.RawIOBase):
    """A file of a Hadoop file system as Python reads files."""

    def __init__(self, stream: Any, path: str, n_bytes: int) -> None:
        self._stream = stream
        self._path = path
        self._n_bytes = n_bytes
        self._place = 0

    def readable(self) -> bool:
        """Say that this file gives bytes."""
        return True

    def seekable(self) -> bool:
        """Say that this file is read in any order."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place in the file, and return it."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self._n_bytes}[whence]
        self._place = start + offset
        return self._place

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer as far as the file reaches, and return how far that is."""
        wanted = min(len(buffer), max(0, self._n_bytes - self._place))
        with _java_errors("read", self._path):
            self._stream.seek(self._place)
            data = bytes(self._stream.readNBytes(wanted))
        buffer[: len(data)] = data
        self._place += len(data)
        return len(data)

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            self._stream.close()
        super().close()


def _uninterrupted(call: Callable[[], None]) -> None:
    """Call and return when the call has ended, even if the user interrupts: only then is it known what it did."""
    with ThreadPoolExecutor(1) as pool:  # leaving the block waits for the thread
        pool.submit(call).result()


@contextmanager
def _java_errors(doing: str, path: str) -> Iterator[None]:
    """Turn Java's exceptions into Python's for a file that is missing or taken, and into StoreError otherwise."""
    from py4j.protocol import Py4JJavaError

    try:
        yield
    except Py4JJavaError as error:
        name = error.java_exception.getClass().getSimpleName()
        if name == "FileNotFoundException":
            raise FileNotFoundError(path) from error
        if name == "FileAlreadyExistsException" or (doing == "create" and name == "RemoteFileChangedException"):
            raise FileExistsError(path) from error
        message = str(error.java_exception.getMessage()).splitlines()[0]
        raise StoreError(f"cannot {doing} {path!r}: {name}: {message}. Check the path and Spark's settings.") from error
