"""Load files of any Spark source, with the names of partition folders as text."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql import types as T

# Sources that read folders like `label=spam`; a given schema decides the types of such columns too.
_FILE_SOURCES = frozenset({"parquet", "csv", "json", "text", "orc", "avro"})


class Load(Protocol):
    """Load the files of one path and source."""

    def __call__(self, options: Mapping[str, str], schema: T.StructType | None = None) -> DataFrame:
        """Return the rows; the schema is inferred where none is given."""


def load_files(
    spark: SparkSession, source: str, path: str, options: Mapping[str, str], schema: T.StructType | None = None
) -> DataFrame:
    """Load ``path`` with the names of partition folders as text, and the schema settled now."""
    reader = spark.read.format(source).options(**options)
    if source not in _FILE_SOURCES:
        return reader.load(path)
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
