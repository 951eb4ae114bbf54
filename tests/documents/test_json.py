"""JSON: one bad byte costs neither the record nor the job."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nbspark.documents import read_documents
from nbspark.errors import DocumentsError

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def read(
    spark: SparkSession, path: Path, content: bytes, *, encoding: str | None = None, **options: str
) -> set[tuple[str | None, float | None]]:
    """Return (text, label) of each record."""
    path.write_bytes(content)
    documents = read_documents(spark, path=str(path), options=options, encoding=encoding)
    return {(row["text"], row["label"]) for row in documents.select("text", "label").collect()}


def test_a_line_with_a_bad_byte_keeps_its_record(spark: SparkSession, tmp_path: Path) -> None:
    content = b'{"text": "caf\xe9", "label": 1}\n{"text": "ok", "label": 2}\n{"text": null, "label": null}\n'
    assert read(spark, tmp_path / "a.jsonl", content) == {("caf\ufffd", 1), ("ok", 2), (None, None)}


def test_a_line_that_is_no_json_is_a_row_without_label(spark: SparkSession, tmp_path: Path) -> None:
    content = b'{"text": "ok", "label": 1}\n{"text": "broken", "label":\n'
    assert read(spark, tmp_path / "a.json", content) == {("ok", 1), (None, None)}


def test_an_array_over_several_lines_needs_an_option(spark: SparkSession, tmp_path: Path) -> None:
    content = b'[\n {"text": "caf\xe9",\n "label": 1},\n {"text": null,\n "label": 2}\n]'
    assert read(spark, tmp_path / "a.json", content, multiLine="true") == {("caf\ufffd", 1), (None, 2)}
    (tmp_path / "b.json").write_bytes(b'{\n"text":\n"win"\n}')
    with pytest.raises(DocumentsError, match="multiLine=true"):
        read_documents(spark, path=str(tmp_path / "b.json"))


def test_a_byte_order_mark_is_no_text(spark: SparkSession, tmp_path: Path) -> None:
    content = b'\xef\xbb\xbf{"text": null, "label": 1}'
    assert read(spark, tmp_path / "a.json", content) == {(None, 1)}
    assert read(spark, tmp_path / "b.json", content, multiLine="true") == {(None, 1)}


def test_other_encodings_of_spark_can_be_named(spark: SparkSession, tmp_path: Path) -> None:
    content = '{"text": "café", "label": 1}\n{"text": null, "label": 2}\n'.encode("latin-1")
    assert read(spark, tmp_path / "a.json", content, encoding="latin-1") == {("café", 1), (None, 2)}
