"""JSON Lines, or whole files of JSON, read so that one bad byte costs nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from nbspark.arrays.frame import column
from nbspark.documents.decoding import with_valid_text
from nbspark.documents.encodings import SPARK_CHARSETS
from nbspark.errors import DocumentsError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from nbspark.documents.load import Load

_CORRUPT = "_corrupt_record"  # Spark's column for a line that it could not read


def read_json(load: Load, options: dict[str, str], *, path: str, encoding: str) -> DataFrame:
    """Read JSON Lines, or whole files of JSON with the option ``multiLine``."""
    charset = SPARK_CHARSETS.get(encoding)
    if charset is None:
        raise DocumentsError(
            f"documents: JSON in {encoding} cannot be read. Convert the files to UTF-8 (iconv -f {encoding} -t UTF-8)."
        )
    given = {name.lower(): value for name, value in options.items()}
    whole_files = given.get("multiline", "false").lower() == "true"
    if whole_files:
        documents = load({"encoding": charset, **options})
        if documents.columns == [_CORRUPT] and charset == "UTF-8":
            # Told the encoding, Spark replaces bytes that are not valid but stumbles over a byte-order mark.
            documents = load(options)
    elif charset == "UTF-8":
        documents = _with_repaired_records(load(options))
    else:
        documents = load({"encoding": charset, "lineSep": "\n", **options})
    if documents.columns == [_CORRUPT]:
        hint = (
            "Is it JSON?" if whole_files else "An array or record over several lines needs the option multiLine=true."
        )
        raise DocumentsError(f"documents: {path} has no JSON object in {encoding}. {hint}")
    return with_valid_text(documents)


def _with_repaired_records(documents: DataFrame) -> DataFrame:
    """Parse JSON lines again that Spark gave up because of a byte that is not UTF-8; broken ones stay as they are."""
    if _CORRUPT not in documents.columns or documents.columns == [_CORRUPT]:
        return documents
    line = F.make_valid_utf8(column(_CORRUPT))
    again = F.from_json(line, documents.schema, {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": _CORRUPT})
    return documents.select(
        [
            (again[name] if name == _CORRUPT else F.coalesce(column(name), again[name])).alias(name)
            for name in documents.columns
        ]
    )
