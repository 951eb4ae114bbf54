"""Files through the session's own Hadoop file system: HDFS and the object stores, with Spark's settings.

The one module of the library that reaches into the JVM; ``LocalFiles`` is its alternative without one.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nbspark.errors import StoreError
from nbspark.files.protocol import FileInfo, is_hidden

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

# Object stores show a file only when its writer closes it, so it needs no temporary name; and their rename is a copy.
OBJECT_STORES = frozenset({"s3", "s3a", "s3n", "gs", "oss", "cosn", "obs"})
# Asks the store itself to refuse a name that is taken (Hadoop >= 3.4.2 on S3; ignored where unknown).
CONDITIONAL_CREATE = "fs.option.create.conditional.overwrite"


def default_scheme(spark: SparkSession | None) -> str:
    """Return the scheme of a path that names none; a session without a JVM cannot say, and is taken as local."""
    if getattr(spark, "_jvm", None) is None:
        return "file"
    return str(HadoopFiles(spark, "/").scheme)


class HadoopFiles:
    """Files of the Hadoop file system behind ``path``.

    Raises
    ------
    StoreError
        The session has no JVM, or its JVM knows no such file system.
    """

    def __init__(self, spark: SparkSession | None, path: str) -> None:
        """Open the file system; nothing is read."""
        jvm: Any = getattr(spark, "_jvm", None)  # Spark Connect raises an AttributeError of its own
        if spark is None or jvm is None:
            found = "there is no Spark session" if spark is None else "this Spark session has no JVM (Spark Connect)"
            raise StoreError(
                f"{path!r} is not on a local disk, and {found} to read it through. "
                "Use a classic Spark session, or a path that is mounted as a local folder."
            )
        self._jvm = jvm
        session: Any = spark
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

    def names(self, path: str) -> list[str]:
        """Return the names directly in a folder, sorted; none if there is no such folder."""
        if not self.exists(path):
            return []
        with _java_errors("list", path):
            names = [status.getPath().getName() for status in self._fs.listStatus(self._path(path))]
        return sorted(name for name in names if not is_hidden(name))

    def walk(self, path: str) -> list[FileInfo]:
        """Return every file below a folder, sorted by path; none if there is no such folder."""
        if not self.exists(path):
            return []
        root = self.absolute(path).rstrip("/") + "/"
        found = []
        with _java_errors("list", path):
            statuses = self._fs.listFiles(self._path(path), True)
            while statuses.hasNext():
                status = statuses.next()
                found.append(FileInfo(str(status.getPath().toString()).removeprefix(root), int(status.getLen())))
        return sorted((info for info in found if not is_hidden(info.path)), key=lambda info: info.path)

    def read(self, path: str) -> bytes:
        """Return a file's content, or raise FileNotFoundError."""
        with _java_errors("read", path):
            stream = self._fs.open(self._path(path))
            try:
                return bytes(stream.readAllBytes())
            finally:
                stream.close()

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
        with _java_errors("create", path):
            if self.scheme in OBJECT_STORES:
                self._write_new(target, data)
                return
            random_name = self._jvm.java.util.UUID.randomUUID().toString()
            temporary = self._path(f"{target.getParent().toString()}/.{target.getName()}.{random_name}")
            self._write_new(temporary, data)
            try:
                context = self._jvm.org.apache.hadoop.fs.FileContext.getFileContext(self._fs.getUri(), self._conf)
                context.rename(temporary, target, self._no_overwrite())
            finally:
                self._fs.delete(temporary, False)

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

    def _no_overwrite(self) -> Any:
        """Return the Java array of rename options that says: never replace."""
        option = self._jvm.java.lang.Class.forName("org.apache.hadoop.fs.Options$Rename")
        options = self._jvm.java.lang.reflect.Array.newInstance(option, 1)
        options[0] = option.getEnumConstants()[0]  # NONE
        return options


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
