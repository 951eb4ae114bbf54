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

    from pyspark.sql import DataFrame


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
    """Make every text column valid UTF-8: Parquet files, tables and text files can hold any bytes as a string."""
    return documents.select(
        [
            F.make_valid_utf8(column(field.name)).alias(field.name)
            if isinstance(field.dataType, T.StringType)
            else column(field.name)
            for field in documents.schema
        ]
    )
