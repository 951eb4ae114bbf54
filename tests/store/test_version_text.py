"""A version's file: each batch on a line, and any other layout all the same."""

from __future__ import annotations

import json

import pytest

from nbspark.errors import StoreError
from nbspark.store.version_text import version_bytes, version_of
from nbspark.store.versions import Batch, BatchFile, Version

FILE = BatchFile("counts/part-00000.parquet", 9, "0" * 64)
BATCHES = tuple(Batch(one, f"batches/{one}-0", (FILE,), {"n_pairs": 1}) for one in "abc")
VERSION = Version(1, None, BATCHES, "2026-11-29T06:00:00+00:00", "ana", "0.1.0", {"batches": [1, 2]})
DATA = version_bytes(VERSION)


def test_each_batch_is_a_line_and_any_layout_is_read():
    assert [line[:16] for line in DATA.decode().splitlines() if line.startswith("    {")] == [
        f'    {{"batch": "{one}' for one in "abc"
    ]
    assert version_of(DATA, "x", 1) == version_of(json.dumps(json.loads(DATA), indent=2).encode(), "x", 1) == VERSION


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (b'"weight": 1.0', b'"weight": NaN', "the number nan"),
        (b'"batch": "b"', b'"batch": "b", "batch": "b"', "more than once in one object"),
        (b'"batch": "b", "folder": "batches/b-0"', b'"batch": "a", "folder": "batches/a-1"', "the batch a twice"),
        (b"\n  ]\n}\n", b'\n  ],\n  "batches": []\n}\n', "more than once in one object"),
        (b'\n  "batches": [\n', b'\n  "batches": [],\n  "batches": [\n', "more than once in one object"),
        (b'"n_pairs": 1}', b'"n_pairs": -1}', "rows.n_pairs is -1"),
        (b'"by": "ana"', b'"by": "\xff"', "not JSON as nbspark writes it"),
    ],
)
def test_what_is_wrong_in_a_line_is_told_as_in_any_layout(old, new, told):
    assert old in DATA
    with pytest.raises(StoreError, match=f"^x.*{told}"):
        version_of(DATA.replace(old, new), "x", 1)


def test_a_file_under_another_number_is_told():
    with pytest.raises(StoreError, match=r"says it is version 1\. The file was copied or renamed"):
        version_of(DATA, "x", 2)
