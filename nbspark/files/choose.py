"""Which file system is behind a path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbspark.errors import SetupError, StoreError
from nbspark.files.local import LocalFiles
from nbspark.files.protocol import Files, path_text, scheme_of

if TYPE_CHECKING:
    from os import PathLike

    from pyspark.sql import SparkSession

# Why a path may not be looked at from here, where Spark may reach it all the same.
OUT_OF_REACH = (StoreError, SetupError)


def files_for(path: str | PathLike[str], spark: SparkSession | None = None) -> Files:
    """Return the files behind ``path``: the local disk, the session's Hadoop file system, or without a JVM fsspec's.

    A path without a scheme is what it is for Spark: local, unless the session's ``fs.defaultFS`` says otherwise.

    Raises
    ------
    StoreError
        Nobody here knows the scheme.
    SetupError
        There is no JVM (Spark Connect, or no Spark), and the package that would do without one is not installed.

    Examples
    --------
    >>> files_for("file:///models/news")
    LocalFiles()
    """
    path = path_text(path)
    scheme = scheme_of(path)
    if scheme == "file" or (not scheme and spark is None):
        return LocalFiles()
    if spark is None or getattr(spark, "_jvm", None) is None:  # Spark Connect raises an AttributeError of its own
        if not scheme:
            return LocalFiles()
        from nbspark.files import remote  # only here is fsspec needed

        return remote.RemoteFiles(path)
    from nbspark.files import hadoop  # only here is Java needed

    if not scheme and hadoop.default_scheme(spark) == "file":
        return LocalFiles()
    return hadoop.HadoopFiles(spark, path)
