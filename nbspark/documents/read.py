"""Read labelled documents: any Spark source, a table by name, or a folder per class."""

from __future__ import annotations

import contextlib
import re
from functools import partial
from typing import TYPE_CHECKING

from pyspark.sql import types as T

from nbspark.arrays.frame import column
from nbspark.documents.csv import read_csv
from nbspark.documents.decoding import with_decoded, with_valid_text
from nbspark.documents.dialect import csv_options, require_separator
from nbspark.documents.encodings import is_ascii_based, require_encoding
from nbspark.documents.folders import read_folders
from nbspark.documents.formats import guess_format, separator_of
from nbspark.documents.json import read_json
from nbspark.documents.load import load_files
from nbspark.errors import DocumentsError, NbsparkError
from nbspark.files.paths import nothing_at
from nbspark.files.patterns import literal_if_there
from nbspark.files.protocol import path_text
from nbspark.runtime.failures import condition_of, explain_failure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from os import PathLike

    from pyspark.sql import DataFrame, SparkSession

    from nbspark.documents.load import Load

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
        documents = spark.read.options(**options).table(table)
        documents.schema  # noqa: B018 - Spark Connect looks the table up only when asked
    except Exception as error:
        if condition_of(error) not in NO_TABLE:
            raise
        raise DocumentsError(
            f"documents: there is no table or view {table!r}. Write its name as in SQL (catalog.schema.table, a part "
            "with unusual characters in `backticks`), or give a path."
        ) from error
    return documents


def _read_path(spark: SparkSession, path: str, source: str, options: dict[str, str], encoding: str | None) -> DataFrame:
    """Return the documents at ``path``, read by the rules of its source."""
    load = partial(load_files, spark, source, literal_if_there(path, spark))
    if source not in _ENCODED:
        if encoding is not None:
            raise DocumentsError(f"documents: the format {source} has no encoding to choose; found {encoding!r}.")
        return with_valid_text(load(options))
    as_options = [name for name in options if name.lower() in ("encoding", "charset")]
    codec = require_encoding(encoding or next((options[name] for name in as_options), "utf-8"))
    others = {name: value for name, value in options.items() if name not in as_options}
    if source == "folders":
        return read_folders(spark, path, options=others, encoding=codec)
    if source == "csv":
        documents = read_csv(load, csv_options(others, **separator_of(path)), encoding=codec)
        require_separator(documents.columns, others, path)
        return documents
    if source == "json":
        return read_json(load, others, path=path, encoding=codec)
    return _read_text(load, others, path=path, encoding=codec)


def _read_text(load: Load, options: dict[str, str], *, path: str, encoding: str) -> DataFrame:
    """Read lines, or whole files with the option ``wholetext``, as the column ``value``."""
    documents = load(options)
    if not documents.inputFiles():
        raise _nothing_in(path)
    if encoding in ("utf-8", "utf-8-sig"):
        return with_valid_text(documents)
    given = {name.lower(): value for name, value in options.items()}
    if not is_ascii_based(encoding) and given.get("wholetext", "false").lower() != "true":
        raise DocumentsError(
            f"documents: text in {encoding} cannot be cut into lines. Convert the files to UTF-8 "
            f"(iconv -f {encoding} -t UTF-8), or take each file as one document with the option wholetext=true."
        )
    as_bytes = [column(n).cast(T.BinaryType()) if n == "value" else column(n) for n in documents.columns]
    return with_decoded(documents.select(as_bytes), ["value"], encoding=encoding)


def _nothing_in(path: str) -> DocumentsError:
    """Return the error for a folder without a file."""
    return DocumentsError(f"documents: no file in {path} (names that begin with . or _ are hidden).")


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
            raise _nothing_in(path) from error
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
