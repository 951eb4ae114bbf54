"""CSV as RFC 4180 has it, which is not what Spark assumes, with every choice open to the caller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as T

from nbspark.documents.encodings import SPARK_CHARSETS, is_ascii_based, with_decoded
from nbspark.errors import DocumentsError
from nbspark.frames import column

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import DataFrame

RFC_4180 = {
    "header": "true",
    "quote": '"',
    # A quote inside a quoted field is doubled. Spark's own choice is a backslash, and `"C:\\dir\\"` then swallows
    # the next field.
    "escape": '"',
    # A quoted field may hold line breaks. A file is then one task: for large files without them, turn this off.
    "multiLine": "true",
    # Text stays text: 000123, NA, true and 1.10 are values, not numbers or nulls.
    "inferSchema": "false",
    # Null is the empty field without quotes; "" is the empty string. No document consists of one NUL character.
    "nullValue": "\0",
    # Files whose header has other names, or the same in another order, are refused instead of read by position.
    "enforceSchema": "false",
    # A row with more or fewer fields than the header (a comma or a quote that nobody quoted) is an error with the
    # name of the file. Read leniently, it would invent a label, or swallow the rest of the file.
    "mode": "FAILFAST",
    # Spark counts the fields of a row only when it parses all of them.
    "columnPruning": "false",
}

# Two names for one option: who gives either has given it.
_SYNONYMS = {"delimiter": "sep", "charset": "encoding"}


def csv_options(options: Mapping[str, str], **defaults: str) -> dict[str, str]:
    r"""Return ``options`` and, for what they leave open, ``defaults`` and RFC 4180; names are case-insensitive.

    Examples
    --------
    >>> csv_options({"Delimiter": ";", "quote": "'"}, sep="\t")["escape"]
    "'"
    >>> "sep" in csv_options({"Delimiter": ";"}, sep="\t")
    False
    """
    given = {_SYNONYMS.get(name.lower(), name.lower()): value for name, value in options.items()}
    chosen = {**RFC_4180, **defaults}
    # Another quote is doubled likewise; without quotes nothing is escaped.
    if "quote" in given:
        chosen["escape"] = given["quote"] or "\0"
    return {**{name: value for name, value in chosen.items() if name.lower() not in given}, **options}


def read_csv(load: Callable[[dict[str, str]], DataFrame], options: dict[str, str], *, encoding: str) -> DataFrame:
    """Read CSV files in any encoding that leaves commas, quotes and line ends where ASCII has them, or in UTF-16.

    Parameters
    ----------
    load : callable
        From Spark's options to the documents.
    options : dict
        From `csv_options`.
    encoding : str
        Python's own name, from `require_encoding`.
    """
    charset = SPARK_CHARSETS.get(encoding)
    if charset is not None:
        return load({**options, "encoding": charset})
    if not is_ascii_based(encoding):
        raise DocumentsError(
            f"documents: CSV in {encoding} cannot be cut into fields. Convert the files to UTF-8 "
            f"(iconv -f {encoding} -t UTF-8)."
        )
    # Latin-1 has a character for each byte: Spark cuts the rows, and the fields are decoded afterwards. A partition
    # column comes from a folder's name and is text already.
    bytewise = {**options, "encoding": "ISO-8859-1"}
    in_files = set(load({**bytewise, "recursiveFileLookup": "true"}).columns)
    documents = load(bytewise)
    texts = [f.name for f in documents.schema if f.name in in_files and isinstance(f.dataType, T.StringType)]
    as_bytes = documents.select(
        [
            F.encode(column(name), "ISO-8859-1").alias(name) if name in texts else column(name)
            for name in documents.columns
        ]
    )
    names = [
        name.encode("latin-1").decode(encoding, "replace") if name in texts else name for name in documents.columns
    ]
    return with_decoded(as_bytes, texts, encoding=encoding).toDF(*names)
