"""Text files in any encoding: lines, or whole files, as the column ``value``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as T

from nbspark.arrays.frame import column
from nbspark.documents.decoding import with_decoded, with_valid_text
from nbspark.documents.encodings import is_ascii_based
from nbspark.errors import DocumentsError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from nbspark.documents.load import Load

VALUE = "value"
_MARK = "\ufeff"  # the byte order mark, as text


def read_text(load: Load, options: dict[str, str], *, path: str, encoding: str) -> DataFrame:
    """Read lines, or whole files with the option ``wholetext``, as the column ``value``, without byte order marks."""
    documents = load(options)
    if not documents.inputFiles():
        raise nothing_in(path)
    whole_files = {name.lower(): value.lower() for name, value in options.items()}.get("wholetext") == "true"
    if encoding in ("utf-8", "utf-8-sig"):
        return _without_mark(with_valid_text(documents))
    if not is_ascii_based(encoding) and not whole_files:
        raise DocumentsError(
            f"documents: text in {encoding} cannot be cut into lines. Convert the files to UTF-8 "
            f"(iconv -f {encoding} -t UTF-8), or take each file as one document with the option wholetext=true."
        )
    as_bytes = [column(n).cast(T.BinaryType()) if n == VALUE else column(n) for n in documents.columns]
    return with_decoded(documents.select(as_bytes), [VALUE], encoding=encoding)


def _without_mark(documents: DataFrame) -> DataFrame:
    """Remove the byte order mark that begins a file; Spark does so itself only where it cuts lines."""
    text = column(VALUE)
    stripped = F.when(text.startswith(_MARK), F.substring(text, 2, 2**31 - 1)).otherwise(text)
    return documents.select([stripped.alias(VALUE) if name == VALUE else column(name) for name in documents.columns])


def nothing_in(path: str) -> DocumentsError:
    """Return the error for a folder without a file."""
    return DocumentsError(f"documents: no file in {path} (names that begin with . or _ are hidden).")
