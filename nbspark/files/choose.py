"""Which file system is behind a path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbspark.files.local import LocalFiles
from nbspark.files.protocol import Files, path_text, scheme_of

if TYPE_CHECKING:
    from os import PathLike

    from pyspark.sql import SparkSession


def files_for(path: str | PathLike[str], spark: SparkSession | None = None) -> Files:
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
    path = path_text(path)
    scheme = scheme_of(path)
    if scheme == "file" or (not scheme and spark is None):
        return LocalFiles()
    from nbspark.files import hadoop  # only here is Java needed

    if not scheme and hadoop.default_scheme(spark) == "file":
        return LocalFiles()
    return hadoop.HadoopFiles(spark, path)
