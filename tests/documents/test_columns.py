"""The columns of local files, as their own header or footer has them, without Spark."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nbspark.documents.columns import columns_of
from nbspark.errors import DocumentsError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "content", "how", "expected"),
    [
        ("a.csv", b'\xef\xbb\xbf"te,xt",label\nwin,spam\n', {}, ["te,xt", "label"]),
        ("a.tsv", b"text\tlabel\r\n", {}, ["text", "label"]),
        ("a.csv", "größe,label\n".encode("latin-1"), {"encoding": "latin-1"}, ["größe", "label"]),
        ("a.csv", b"a;b\n", {"options": {"Sep": ";"}}, ["a", "b"]),
        ("a.csv", b"a,b\n", {"options": {"header": "false"}}, None),
        ("a.csv", b"a,,b\n", {}, None),  # Spark finds a name for the second
        ("a.csv", b"a,A\n", {}, None),
        ("a.csv", b"", {}, None),
        ("a.csv", b"a,b\n", {"options": {"comment": "#"}}, None),
        ("a.txt", b"win\n", {}, ["value"]),
        ("a.json", b"{}\n", {}, None),
        ("a.parquet", b"PAR1", {}, None),
        ("a.csv.gz", gzip.compress(b"text,label\n", mtime=0), {}, ["text", "label"]),
    ],
)
def test_the_header_tells_the_names_or_spark_has_to(
    tmp_path: Path, name: str, content: bytes, how: dict, expected: list[str] | None
) -> None:
    (tmp_path / name).write_bytes(content)
    assert columns_of(str(tmp_path / name), **how) == expected


def test_folders_add_columns_to_those_of_the_footer(tmp_path: Path) -> None:
    (tmp_path / "label=spam").mkdir()
    pq.write_table(pa.table({"text": ["win"]}), tmp_path / "label=spam" / "0.parquet")
    assert columns_of(str(tmp_path)) == ["text", "label"]
    (tmp_path / "_delta_log").mkdir()
    assert columns_of(str(tmp_path)) is None


def test_another_separator_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text;label\n")
    with pytest.raises(DocumentsError, match="--option 'sep=;'"):
        columns_of(str(tmp_path / "a.csv"))
