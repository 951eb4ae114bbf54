"""Batches and versions as JSON: what was written is read, and anything else is refused in one message."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nbspark.errors import StoreError
from nbspark.store import Batch, BatchFile, Version
from nbspark.store.plain import from_bytes, to_bytes

FILE = BatchFile("counts/part-0.parquet", 12, "0" * 64)
BATCH = Batch("2026-11-29", "batches/2026-11-29-1f", (FILE,), {"learned": 7, "unlabelled": 1, "n_pairs": 9}, 0.5)
VERSION = Version(2, 1, (BATCH,), "2026-11-29T06:00:00+00:00", "ana", "0.1.0", {"accuracy": 0.75, "why": "体育"})


def test_a_version_survives_its_json() -> None:
    assert Version.from_json(from_bytes(to_bytes(VERSION.to_json()), "v")) == VERSION


def test_a_first_version_has_no_parent() -> None:
    plain = VERSION.to_json() | {"version": 1, "parent": None}
    assert Version.from_json(plain).parent is None


def test_json_files_are_made_to_be_read() -> None:
    text = to_bytes(VERSION.to_json()).decode()
    assert text.endswith("\n}\n")
    assert '\n  "parent": 1,\n' in text
    assert "体育" in text


def test_every_wrong_key_is_listed_at_once() -> None:
    plain = VERSION.to_json() | {"parent": "1", "colour": "red", "version": True}
    del plain["by"]
    with pytest.raises(StoreError) as caught:
        Version.from_json(plain, "versions/00000002.json")
    for part in ("versions/00000002.json", "no key 'by'", "unknown key 'colour'", "version has the value True", "'1'"):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"folder": "../other"}, "not a path inside"),
        ({"folder": "/etc"}, "not a path inside"),
        ({"folder": "s3a://elsewhere"}, "not a path inside"),
        ({"rows": {"learned": 1.5, "n_pairs": 9}}, "learned has the value 1.5"),
        ({"weight": None}, "weight has the value None"),
        ({"files": [FILE.to_json() | {"name": "counts/../../x"}]}, r"files\[0\].*not a path inside"),
        ({"files": [FILE.to_json() | {"sha256": "abc"}]}, "64 hexadecimal digits"),
        ({"files": ["counts/part-0.parquet"]}, "wants an object"),
    ],
)
def test_a_batch_that_makes_no_sense_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(StoreError, match=message):
        Batch.from_json(BATCH.to_json() | change)


def test_a_whole_number_is_a_weight() -> None:
    assert Batch.from_json(BATCH.to_json() | {"weight": 1}).weight == 1.0


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b'{"version": 1,}'])
def test_a_file_that_is_no_json_is_named(data: bytes) -> None:
    with pytest.raises(StoreError, match=r"v\.json: not JSON"):
        from_bytes(data, "v.json")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object()])
def test_what_json_cannot_hold_is_refused_before_anything_is_written(value: object) -> None:
    with pytest.raises(StoreError, match="cannot be written as JSON"):
        to_bytes({"note": value})
    assert json.loads(to_bytes({"note": [1, 2.5, None]})) == {"note": [1, 2.5, None]}
