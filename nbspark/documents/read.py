"""Read labelled documents: any Spark source, a table by name, or a folder per class."""

from __future__ import annotations

import contextlib
import re
from functools import partial
from typing import TYPE_CHECKING

from nbspark.documents.completeness import require_all_read, warn_of_hidden_classes
from nbspark.documents.csv import read_csv
from nbspark.documents.decoding import with_valid_text
from nbspark.documents.dialect import csv_options, require_separator
from nbspark.documents.encodings import require_encoding
from nbspark.documents.engines import is_sail, require_readable_by_sail
from nbspark.documents.folders import read_folders
from nbspark.documents.footers import require_same_columns
from nbspark.documents.formats import guess_format, separator_of
from nbspark.documents.json import read_json
from nbspark.documents.listing import list_files, literal_if_there
from nbspark.documents.load import FILE_SOURCES, load_files, strict
from nbspark.documents.text import nothing_in, read_text
from nbspark.errors import DocumentsError, NbsparkError
from nbspark.files.paths import nothing_at
from nbspark.files.protocol import path_text
from nbspark.runtime.failures import condition_of, explain_failure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from os import PathLike

    from pyspark.sql import DataFrame, SparkSession


_ENCODED = frozenset({"csv", "json", "text", "folders"})
NO_TABLE = frozenset({"TABLE_OR_VIEW_NOT_FOUND", "PARSE_SYNTAX_ERROR", "REQUIRES_SINGLE_PART_NAMESPACE"})
USUAL_FORMATS = "parquet, csv, json, text, orc, folders (DIR/<class>/<file>), avro, delta"


def read_documents(
    spark: SparkSession,
    *,
    path: str | PathLike[str] | None = None,
    table: str | None = None,
    format: str | None = None,  # noqa: A002 - what spark.read calls it
    options: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> DataFrame:
    """Return documents as a DataFrame, with every text column valid and no row left out.

    Parameters
    ----------
    spark : SparkSession
    path, table : str (or PathLike)
        One of them: a file, folder or glob of any file system that Spark knows, or the name of a table or view. A path
        at which something is, is no glob, whatever its name.
    format : str, optional
        ``parquet``, ``csv``, ``json``, ``text`` (one column, ``value``), ``orc``, ``folders`` (a folder per class:
        ``path``, ``label``, ``text``), or any other source of the session. Without it the ending of ``path``
        decides, and where that says nothing, ``parquet``.
    options : mapping, optional
        Options of the source, as in ``spark.read.options``. CSV follows RFC 4180, see `nbspark.documents.dialect`.
    encoding : str, optional
        Of ``csv``, ``json``, ``text`` and ``folders``, under any name that Python knows; UTF-8 without it. Bytes that
        are not valid become U+FFFD.

    Returns
    -------
    DataFrame
        One row per document. A folder ``label=01`` on the way to a file makes a column ``label`` with the text
        ``01``: it is never taken for a number, a date or null.

    Raises
    ------
    PathError
        There is nothing at ``path``.
    DocumentsError
        There is no such table, source or encoding, or no document, or the files are not of that format.
    """
    given = dict(options or {})
    if (path is None) == (table is None):
        raise DocumentsError(f"documents: give either a path or a table, not both; found {path=}, {table=}.")
    if table is not None:
        if format is not None or encoding is not None:
            raise DocumentsError(f"documents: a table has its own format and encoding; found {format=}, {encoding=}.")
        return with_valid_text(_read_table(spark, table, given))
    assert path is not None
    path = path_text(path)
    source = (format or guess_format(path) or "parquet").lower()
    with _explained(path, source, given, guessed=format is None and guess_format(path) is None):
        documents = _read_path(spark, path, source, given, encoding)
        if not documents.columns:
            raise DocumentsError(f"documents: {path} has no column: its {source} files are empty.")
    return documents


def _read_table(spark: SparkSession, table: str, options: dict[str, str]) -> DataFrame:
    """Return a table or view of the session's catalogs by name."""
    try:
        documents = spark.read.options(**_strict_where_lenient(spark, options)).table(table)
        documents.schema  # noqa: B018 - Spark Connect looks the table up only when asked
    except Exception as error:
        if condition_of(error) not in NO_TABLE:
            raise
        raise DocumentsError(
            f"documents: there is no table or view {table!r}. Write its name as in SQL (catalog.schema.table, a part "
            "with unusual characters in `backticks`), or give a path."
        ) from error
    return documents


def _strict_where_lenient(spark: SparkSession, options: dict[str, str]) -> dict[str, str]:
    """Return the options of a table, strict where the session is not: not every table takes options of files."""
    keys = ("spark.sql.files.ignoreCorruptFiles", "spark.sql.files.ignoreMissingFiles")
    return strict(options) if any(spark.conf.get(key, "false") == "true" for key in keys) else options


def _read_path(spark: SparkSession, path: str, source: str, options: dict[str, str], encoding: str | None) -> DataFrame:
    """Return the documents at ``path``, read by the rules of its source."""
    as_options = [name for name in options if source in _ENCODED and name.lower() in ("encoding", "charset")]
    codec = require_encoding(encoding or next((options[name] for name in as_options), "utf-8"))
    if source not in _ENCODED and encoding is not None:
        raise DocumentsError(f"documents: the format {source} has no encoding to choose; found {encoding!r}.")
    others = {name: value for name, value in options.items() if name not in as_options}
    listing = list_files(spark, path, others) if source in FILE_SOURCES or source == "folders" else None
    if is_sail(spark):
        require_readable_by_sail(path, source, listing, others, codec)
    if listing is not None and source == "folders":
        warn_of_hidden_classes(listing)
    elif listing is not None:
        require_all_read(listing, source, others)
        require_same_columns(listing, source, others)
    load = partial(load_files, spark, path=literal_if_there(path, spark))
    if source == "folders":
        return read_folders(spark, path, options=others, encoding=codec)
    if source == "csv":
        documents = read_csv(partial(load, "csv"), csv_options(others, **separator_of(path)), encoding=codec)
        require_separator(documents.columns, others, path)
        return documents
    if source == "json":
        return read_json(partial(load, "text"), partial(load, "json"), others, path=path, encoding=codec)
    if source == "text":
        return read_text(partial(load, "text"), others, path=path, encoding=codec)
    return with_valid_text(load(source, options))


@contextlib.contextmanager
def _explained(path: str, source: str, options: Mapping[str, str], *, guessed: bool) -> Iterator[None]:
    """Say in terms of the path and the format why Spark could not begin to read."""
    try:
        yield
    except NbsparkError:
        raise
    except Exception as error:
        condition = condition_of(error) or ""
        if condition == "PATH_NOT_FOUND":
            # Spark says which file system a path without a scheme is on.
            absent = re.search(r"does not exist: (.+?)\.? SQLSTATE", str(error))
            raise nothing_at(path, what="documents", full=absent[1] if absent else "unknown:/") from error
        if condition == "UNABLE_TO_INFER_SCHEMA":
            raise nothing_in(path) from error
        if condition == "DATA_SOURCE_NOT_FOUND" or condition.endswith("_NOT_ENABLED"):
            raise DocumentsError(
                f"documents: this Spark has no format {source!r}. Usual ones: {USUAL_FORMATS}; avro, delta and others "
                "need their package (--conf spark.jars.packages=...)."
            ) from error
        if condition == "FAILED_READ_FILE":
            why = ", for want of an ending that says more" if guessed else ""
            raise DocumentsError(
                f"documents: {explain_failure(error)}. It was taken for {source}{why}. Give the format that it has, "
                "or correct the options."
            ) from error
        explained = explain_failure(error)
        if explained is None:
            raise
        asked = f" with the options {sorted(options)}" if options else ""  # no values: one may be a password
        raise DocumentsError(f"documents: {path} cannot be read as {source}{asked}: {explained}") from error
