"""Load files of any Spark source, with the names of partition folders as text."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Protocol

from nbspark.errors import DocumentsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql import types as T

# Sources that read folders like `label=spam`; a given schema decides the types of such columns too.
FILE_SOURCES = frozenset({"parquet", "csv", "json", "text", "orc", "avro"})


# A truncated or missing file ends the run, whatever the session says: its rows would be left out in silence.
_STRICT = {"ignoreCorruptFiles": "false", "ignoreMissingFiles": "false"}


def strict(options: Mapping[str, str]) -> dict[str, str]:
    """Return the options of a reader with those that keep Spark from leaving out files that it cannot read.

    Raises
    ------
    DocumentsError
        They ask for the contrary.

    Examples
    --------
    >>> strict({"sep": ";"})
    {'sep': ';', 'ignoreCorruptFiles': 'false', 'ignoreMissingFiles': 'false'}
    """
    known = {name.lower(): name for name in _STRICT}
    asked = [name for name, value in options.items() if name.lower() in known and str(value).lower() == "true"]
    if asked:
        raise DocumentsError(
            f"documents: {', '.join(asked)}=true would leave out rows without a word. Remove the damaged files."
        )
    return {name: value for name, value in options.items() if name.lower() not in known} | _STRICT


class Load(Protocol):
    """Load the files of one path and source."""

    def __call__(self, options: Mapping[str, str], schema: T.StructType | None = None) -> DataFrame:
        """Return the rows; the schema is inferred where none is given."""


def load_files(
    spark: SparkSession, source: str, options: Mapping[str, str], schema: T.StructType | None = None, *, path: str
) -> DataFrame:
    """Load ``path`` with the names of partition folders as text, and the schema settled now."""
    if source not in FILE_SOURCES:
        return spark.read.format(source).options(**options).load(path)
    reader = spark.read.format(source).options(**strict(options))
    if schema is None:
        with _partition_values_as_text(spark):
            documents = reader.load(path)
            schema = documents.schema
        if not schema or not type(documents).__module__.startswith("pyspark.sql.connect"):
            return documents
        # Spark Connect analyses the plan again at an action, when the setting is back to what it was.
    return reader.schema(schema).load(path)


@contextlib.contextmanager
def _partition_values_as_text(spark: SparkSession) -> Iterator[None]:
    """Keep Spark from taking the folder ``label=01`` for a number, ``label=null`` for null, and so on."""
    key = "spark.sql.sources.partitionColumnTypeInference.enabled"
    before = spark.conf.get(key) or "true"
    spark.conf.set(key, "false")
    try:
        yield
    finally:
        spark.conf.set(key, before)
