"""Columns of a frame to valid text, whatever bytes they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql import types as T

from nbspark.arrays.frame import column
from nbspark.documents.encodings import decode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pyspark.sql import Column, DataFrame


def with_decoded(documents: DataFrame, names: Collection[str], *, encoding: str) -> DataFrame:
    """Replace the binary columns ``names`` by the text they are in ``encoding``; the other columns stay."""
    fields = [T.StructField(f.name, T.StringType()) if f.name in names else f for f in documents.schema]
    decoded = frozenset(names)

    def decode_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            arrays = [
                _decode_array(values, encoding) if name in decoded else values
                for name, values in zip(batch.schema.names, batch.columns, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)

    return documents.mapInArrow(decode_batches, T.StructType(fields))


def _decode_array(values: pa.Array, encoding: str) -> pa.StringArray:
    """Return binary ``values`` as text, null where there is none."""
    return pa.array(
        [None if content is None else decode(content, encoding) for content in values.to_pylist()], pa.string()
    )


def with_valid_text(documents: DataFrame) -> DataFrame:
    """Make text valid UTF-8, also inside arrays, maps and structs: files and tables can hold any bytes as a string."""
    return documents.select(
        [_valid(column(field.name), field.dataType).alias(field.name) for field in documents.schema]
    )


def _valid(values: Column, kind: T.DataType) -> Column:
    """Return values of a type with U+FFFD for bytes that are not UTF-8; what holds no text stays as it is."""
    if not _holds_text(kind):
        return values
    if isinstance(kind, T.ArrayType):
        inner = kind.elementType
        return F.transform(values, lambda one: _valid(one, inner))
    if isinstance(kind, T.MapType):
        if _holds_text(kind.valueType):
            of_values = kind.valueType
            values = F.transform_values(values, lambda _, one: _valid(one, of_values))
        if not _holds_text(kind.keyType):
            return values
        of_keys = kind.keyType  # two keys that become one are an error of Spark's, not a lost count
        return F.transform_keys(values, lambda one, _: _valid(one, of_keys))
    if isinstance(kind, T.StructType):
        fields = [_valid(values[field.name], field.dataType).alias(field.name) for field in kind]
        return F.when(values.isNotNull(), F.struct(*fields))
    return F.make_valid_utf8(values)


def _holds_text(kind: T.DataType) -> bool:
    """Say whether values of a type are text or have text in them."""
    if isinstance(kind, T.ArrayType):
        return _holds_text(kind.elementType)
    if isinstance(kind, T.MapType):
        return _holds_text(kind.keyType) or _holds_text(kind.valueType)
    if isinstance(kind, T.StructType):
        return any(_holds_text(field.dataType) for field in kind)
    return isinstance(kind, T.StringType)
