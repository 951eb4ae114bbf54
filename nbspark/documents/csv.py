"""CSV files in any encoding that can be cut into fields, all with one header."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pyspark.sql import functions as F
from pyspark.sql import types as T

from nbspark.arrays.frame import column
from nbspark.documents.decoding import with_decoded
from nbspark.documents.encodings import SPARK_CHARSETS, is_ascii_based
from nbspark.errors import DocumentsError
from nbspark.files.patterns import literal

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from nbspark.documents.load import Load


def read_csv(load: Load, options: dict[str, str], *, encoding: str) -> DataFrame:
    """Read CSV files in any encoding that leaves commas, quotes and line ends where ASCII has them, or in UTF-16.

    Parameters
    ----------
    load : Load
        Of the source ``csv`` and a path.
    options : dict
        From `nbspark.documents.dialect.csv_options`.
    encoding : str
        Python's own name, from `require_encoding`.
    """
    charset = SPARK_CHARSETS.get(encoding)
    if charset is not None:
        return _load_named(load, {**options, "encoding": charset})
    if not is_ascii_based(encoding):
        raise DocumentsError(
            f"documents: CSV in {encoding} cannot be cut into fields. Convert the files to UTF-8 "
            f"(iconv -f {encoding} -t UTF-8)."
        )
    # Latin-1 has a character for each byte: Spark cuts the rows, and the fields are decoded afterwards. A partition
    # column comes from a folder's name and is text already.
    bytewise = {**options, "encoding": "ISO-8859-1"}
    in_files = set(load({**bytewise, "recursiveFileLookup": "true"}).columns)
    documents = _load_named(load, bytewise)
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


def _load_named(load: Load, options: dict[str, str]) -> DataFrame:
    """Load CSV files whose header may leave a column without a name, as pandas does with its row numbers.

    Spark calls such a column ``_c0``, by its place, and then finds that the files' own header says otherwise.
    """
    documents = _load_listed(load, options)
    if options["header"].lower() != "true" or options["enforceSchema"].lower() != "false":
        return documents
    if len(documents.inputFiles()) < 2:  # no other header to agree with
        return load({**options, "enforceSchema": "true"}, documents.schema)
    names = documents.columns
    if not any(re.fullmatch(r"_c\d+", name) for name in names):
        return documents
    header = load({**options, "header": "false", "mode": "PERMISSIVE"}).first() or ()
    unnamed = [place for place, name in enumerate(header[: len(names)]) if name is None]
    if len(unnamed) != 1:
        return documents
    # What the header says is compared with the names of the schema: so let the schema say what reads as nothing.
    fields = list(documents.schema)
    fields[unnamed[0]] = T.StructField(options["nullValue"], fields[unnamed[0]].dataType)
    return load(options, T.StructType(fields)).toDF(*names)


def _load_listed(load: Load, options: dict[str, str]) -> DataFrame:
    """Load CSV files, also with a colon in a folder's name, such as ``hour=00:30:00``, or a bracket in a file's.

    To read a header over several lines Spark uses an older listing of Hadoop's, which cannot take the colon, and which
    takes the header of ``a1.csv`` for that of ``a[1].csv``.
    """
    try:
        documents = load(options)
        files = map(unquote, documents.inputFiles())
        if all(literal(file) == file for file in files):
            return documents
    except Exception as error:
        if "Relative path in absolute URI" not in str(error):
            raise
    return load(options, load({**options, "multiLine": "false"}).schema)
