"""Timestamps under the one zone name that Spark expects of a group's result; the instants stay."""

from __future__ import annotations

import pyarrow as pa


def in_utc(table: pa.Table) -> pa.Table:
    """Return the same table, timestamps with a zone as timestamps in UTC, also inside lists, maps and structs.

    Spark hands out timestamps in the session's zone, and takes a group's result only in UTC.

    Examples
    --------
    >>> in_utc(pa.table({"at": pa.array([0], pa.timestamp("us", "Europe/Berlin"))})).schema.field("at").type
    TimestampType(timestamp[us, tz=UTC])
    """
    wanted = pa.schema([field.with_type(_type_in_utc(field.type)) for field in table.schema])
    return table if wanted.equals(table.schema) else table.cast(wanted)


def _type_in_utc(kind: pa.DataType) -> pa.DataType:
    """Return a type with UTC as the zone of every timestamp that has one."""
    if pa.types.is_timestamp(kind) and kind.tz:
        return pa.timestamp(kind.unit, "UTC")
    if pa.types.is_map(kind):
        item = kind.item_field
        return pa.map_(_type_in_utc(kind.key_type), item.with_type(_type_in_utc(item.type)))
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_type_in_utc(kind.value_type)))
    if pa.types.is_struct(kind):
        fields = [kind.field(i) for i in range(kind.num_fields)]
        return pa.struct([field.with_type(_type_in_utc(field.type)) for field in fields])
    return kind
