"""A folder per class, ``DIR/<class>/<file>``: one row per file."""

from __future__ import annotations

import math
import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pyarrow as pa

from nbspark.documents.encodings import decode
from nbspark.documents.listing import literal_if_there
from nbspark.documents.load import strict
from nbspark.errors import DocumentsError
from nbspark.files.paths import names_fit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "path string, label string, text string"

# Spark takes a file for 4 MB at least and so makes a task of about 30 files, however small they are. Starting those
# tasks took longer than reading 2,225 files of 2 kB; with this many files in each, reading is what takes the time.
FILES_PER_TASK = 500


def read_folders(spark: SparkSession, path: str, *, options: Mapping[str, str], encoding: str) -> DataFrame:
    """Read one document per file; the label is the name of the first folder below ``path``, exactly as it is.

    Files in deeper folders belong to the class of the first one. Names that begin with ``.`` or ``_`` are hidden,
    as everywhere in Spark. The names of the files are looked at now, with a short Spark job: Spark passes over files
    without a byte, and they are documents too.

    Parameters
    ----------
    spark : SparkSession
    path : str
        The folder that holds the class folders; a glob is allowed.
    options : mapping
        Options of Spark's ``binaryFile`` source, such as ``pathGlobFilter``.
    encoding : str
        A name that Python knows.

    Returns
    -------
    DataFrame
        One row per file: ``path``, ``label``, ``text``.

    Raises
    ------
    DocumentsError
        There is no file, or a file lies directly in ``path`` and so has no class.
    """
    source = spark.read.format("binaryFile").options(**strict({**options, "recursiveFileLookup": "true"}))
    files = source.load(literal_if_there(path, spark))
    # As the column `path` has it: nothing escaped, and one slash after file:.
    paths = [re.sub("^file:/+", "file:/", unquote(uri)) for uri in files.inputFiles()]
    if not paths:
        raise DocumentsError(f"documents: no file below {path}. A folder per class is expected: {path}/<class>/<file>.")
    depth = _depth(path, paths[0])
    _require_class_folders(paths, depth=depth, path=path)
    scheme = paths[0].partition(":")[0]

    def full(uri: str) -> str:
        """Return a URI as in ``paths``: Sail leaves out what is before the first folder's name."""
        return uri if ":" in uri.partition("/")[0] else f"{scheme}:/{uri.lstrip('/')}"

    files = files.coalesce(math.ceil(len(paths) / FILES_PER_TASK))

    def label_and_decode(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            uris = [full(uri) for uri in batch.column("path").to_pylist()]
            texts = [decode(content, encoding) for content in batch.column("content").to_pylist()]
            yield pa.RecordBatch.from_arrays(
                [pa.array(uris, pa.string()), pa.array([_names(uri)[depth] for uri in uris]), pa.array(texts)],
                names=["path", "label", "text"],
            )

    documents = files.select("path", "content").mapInArrow(label_and_decode, SCHEMA)
    read = {full(uri) for uri in files.select("path").toArrow().column("path").to_pylist()}
    empty = sorted(set(paths) - read)
    if not empty:
        return documents
    return documents.unionByName(spark.createDataFrame([(uri, _names(uri)[depth], "") for uri in empty], SCHEMA))


def _names(path: str) -> list[str]:
    """Return the folders and the file of a path or URI, from the root down.

    >>> _names("file:///data/news/spam ham/1.txt"), _names("s3a://bucket/news/x/../1.txt")
    (['data', 'news', 'spam ham', '1.txt'], ['news', '1.txt'])
    """
    without_host = re.sub(r"^[A-Za-z][\w+.-]*:(//[^/]*)?", "", path)
    return [name for name in posixpath.normpath(without_host).split("/") if name not in ("", ".")]


def _depth(path: str, file: str) -> int:
    """Return how many folders lead to ``path``, of which ``file`` is a file: the next name is the class.

    >>> _depth("/data/news/", "file:///data/news/sport/1.txt"), _depth("hdfs://host/news", "hdfs://host/news/a/1")
    (2, 1)
    >>> _depth("news", "hdfs://host/user/me/news/sport/1.txt")
    3
    """
    if path.startswith("/") or ":" in path.partition("/")[0]:
        return len(_names(path))
    # A relative path starts here, or in the user's home folder of another file system.
    found, given = _names(file), _names(path)
    here = _names(posixpath.join(Path.cwd().as_posix(), path))
    for start, pattern in [(0, here), *((start, given) for start in range(len(found)))]:
        end = start + len(pattern)
        if end < len(found) and all(map(names_fit, found[start:end], pattern)):
            return end
    raise DocumentsError(f"documents: cannot tell where {path} begins in {file}. Give the full path.")


def _require_class_folders(paths: list[str], *, depth: int, path: str) -> None:
    """Raise if any of ``paths`` has no folder between itself and ``path``."""
    stray = sorted(_names(file)[-1] for file in paths if len(_names(file)) == depth + 1)
    if stray:
        shown = ", ".join(stray[:5]) + (f" and {len(stray) - 5} more" if len(stray) > 5 else "")
        raise DocumentsError(
            f"documents: directly in {path}, in no class folder: {shown}. Expected {path}/<class>/<file>: move such "
            "files, or leave them out with the option pathGlobFilter=*.txt or the like."
        )
