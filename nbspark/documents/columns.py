"""The names of the columns of local files by their own footer or header, for checks before Spark starts."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import itertools
from typing import TYPE_CHECKING, Any

from nbspark.documents.dialect import csv_options, require_separator
from nbspark.documents.encodings import require_encoding
from nbspark.documents.formats import guess_format, separator_of
from nbspark.files.paths import local_matches
from nbspark.files.protocol import is_hidden

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

# Of other options this module does not know how they change what is read.
_KNOWN_OPTIONS = frozenset({"header", "sep", "delimiter", "quote", "escape", "multiline", "mode", "encoding"})
_OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open}
_UNKNOWN_COMPRESSION = (".zst", ".lz4", ".snappy", ".deflate")
_HEADER_BYTES = 1 << 20


def columns_of(
    path: str,
    format: str | None = None,  # noqa: A002 - what spark.read calls it
    options: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> list[str] | None:
    """Return the names of the columns that reading ``path`` gives, or None where that cannot be told without Spark.

    Parameters
    ----------
    path, format, options, encoding
        As in `nbspark.documents.read_documents`.

    Returns
    -------
    list of str, or None
        From the first file's Parquet footer or CSV header, and the folders ``name=value`` above it. None wherever
        Spark could see it otherwise: other file systems, other formats and options, a file that is damaged.

    Raises
    ------
    DocumentsError
        A CSV header is one column that holds another separator, or there is no such encoding.
    """
    given = dict(options or {})
    source = (format or guess_format(path) or "parquet").lower()
    if source == "folders":
        return ["path", "label", "text"]
    found = None if {name.lower() for name in given} - _KNOWN_OPTIONS else _first_file(path)
    if found is None:
        return None
    file, partitions = found
    names: list[str] | None = None
    if source == "parquet":
        names = _of_parquet(file)
    elif source == "text":
        names = ["value"]
    elif source == "csv":
        names = _of_csv(file, path, given, encoding)
    if names is None or len({name.lower() for name in names}) < len(names):
        return None
    return names + [name for name in partitions if name not in names]


def _first_file(path: str) -> tuple[Path, list[str]] | None:
    """Return the first file that would be read, and the names of its partition folders; None if there is none."""
    for root in local_matches(path) or []:
        if root.is_file():
            return root, []
        if (root / "_delta_log").exists() or (root / "metadata").exists():
            return None  # a table, of whose files some may be no longer part
        files = (file for file in root.rglob("*") if file.is_file() and file.stat().st_size)
        shown = [file for file in itertools.islice(files, 10_000) if not is_hidden(str(file.relative_to(root)))]
        if shown:
            first = min(shown)
            folders = first.relative_to(root).parts[:-1]
            partitions = [name for name, equals, _ in (one.partition("=") for one in folders) if equals]
            return (first, partitions) if len(partitions) == len(folders) else None
    return None


def _of_parquet(file: Path) -> list[str] | None:
    """Return the names in a Parquet file's footer."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return list(pq.read_schema(file).names)
    except (pa.ArrowException, OSError):
        return None


def _of_csv(file: Path, path: str, options: dict[str, str], encoding: str | None) -> list[str] | None:
    """Return the names in a CSV file's header."""
    chosen = csv_options(options, **separator_of(path))
    codec = require_encoding(encoding or chosen.pop("encoding", "utf-8"))
    separator = chosen.get("sep", ",").replace("\\t", "\t")
    quote, escape = chosen["quote"], chosen["escape"]
    if chosen["header"].lower() != "true" or len(separator) != 1 or escape not in (quote, "\0"):
        return None
    if file.suffix.lower() in _UNKNOWN_COMPRESSION:
        return None
    try:
        with _OPENERS.get(file.suffix.lower(), open)(file, "rb") as content:
            text = content.read(_HEADER_BYTES).decode(codec, "replace").removeprefix("\ufeff")
        lines = io.StringIO(text, newline="")
        quoting: Any = csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE
        rows = csv.reader(lines, delimiter=separator, quotechar=quote or None, quoting=quoting, strict=True)
        names = next((row for row in rows if row), None)
    except (OSError, EOFError, csv.Error):
        return None
    if not names or not all(names) or lines.tell() == len(text) == _HEADER_BYTES:
        return None  # Spark names a column that has no name
    require_separator(names, options, path)
    return names
