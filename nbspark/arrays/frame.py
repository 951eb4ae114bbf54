"""Small things about DataFrames that every Spark module needs: names, types, schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql import types as T

from nbspark.arrays.names import require_names
from nbspark.errors import DocumentsError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import Column, DataFrame

_SPARK_TYPES: dict[pa.DataType, T.DataType] = {
    pa.string(): T.StringType(),
    pa.binary(): T.BinaryType(),
    pa.float64(): T.DoubleType(),
    pa.int64(): T.LongType(),
    pa.int32(): T.IntegerType(),
    pa.bool_(): T.BooleanType(),
}


def column(name: str) -> Column:
    """Return the top-level column called ``name``, whatever characters the name has.

    >>> column("my.text")  # doctest: +SKIP
    """
    return F.col("`" + name.replace("`", "``") + "`")


def positional(documents: DataFrame) -> DataFrame:
    """Return the same columns as ``column_0``, ``column_1``, ...: pyspark's own mapInArrow trips over odd names."""
    return documents.toDF(*(f"column_{i}" for i in range(len(documents.columns))))


def require_frame(documents: Any) -> DataFrame:
    """Return ``documents``, or raise an error if they are no DataFrame of Spark's."""
    if hasattr(documents, "mapInArrow"):
        return documents
    kind = type(documents)
    raise DocumentsError(
        f"documents: want a Spark DataFrame, found {kind.__module__.partition('.')[0]}.{kind.__name__}. "
        "Pass spark.createDataFrame(documents); to score without Spark use nbspark.local."
    )


def require_columns(documents: DataFrame, names: Iterable[str], *, asked_by: str = "the model") -> DataFrame:
    """Return ``documents``, or raise one error that lists every column that is not there, or there twice."""
    names = list(names)
    require_names(names, documents.columns, asked_by=asked_by)
    return _require_once(documents, names)


def _require_once(documents: DataFrame, names: Iterable[str]) -> DataFrame:
    """Return ``documents``, or raise an error if a name can be any of two columns; to Spark, case is the same."""
    spelled = {name: [one for one in documents.columns if one.lower() == name.lower()] for name in names}
    twice = {name: found for name, found in spelled.items() if len(found) > 1}
    if twice and documents.sparkSession.conf.get("spark.sql.caseSensitive", "false") == "true":
        twice = {name: found for name, found in twice.items() if found.count(name) > 1}
    if twice:
        listed = "; ".join(f"{name!r} can be any of the columns {found}" for name, found in twice.items())
        raise DocumentsError(f"documents: {listed}. Rename or drop all but one.")
    return documents


NO_SCALAR = (T.ArrayType, T.MapType, T.StructType, T.BinaryType, T.VariantType)


def require_scalar(documents: DataFrame, name: str, *, role: str) -> DataFrame:
    """Return ``documents``, or raise an error when a label column holds more than one value a row."""
    found = documents.schema[name].dataType
    if isinstance(found, NO_SCALAR):
        raise DocumentsError(
            f"documents: the {role} column {name!r} is {found.simpleString()}; it must hold one value a row. "
            "Select or cast the value that is meant."
        )
    return documents


def spark_type(kind: pa.DataType) -> T.DataType:
    """Return the Spark type of an Arrow type that occurs in ``nbspark.schemas``."""
    if pa.types.is_map(kind):
        return T.MapType(spark_type(kind.key_type), spark_type(kind.item_type))
    if pa.types.is_list(kind):
        return T.ArrayType(spark_type(kind.value_type))
    if pa.types.is_struct(kind):
        return T.StructType([spark_field(kind.field(i)) for i in range(kind.num_fields)])
    return _SPARK_TYPES[kind]


def spark_field(field: pa.Field) -> T.StructField:
    """Return the Spark field of an Arrow field."""
    return T.StructField(field.name, spark_type(field.type))


def spark_schema(schema: pa.Schema) -> T.StructType:
    """Return the Spark schema of one of the tables of ``nbspark.schemas``."""
    return T.StructType([spark_field(field) for field in schema])
