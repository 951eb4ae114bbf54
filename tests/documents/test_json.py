"""JSON: one bad byte costs neither the record nor the job."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nbspark import NaiveBayes, Text
from nbspark.documents import read_documents
from nbspark.errors import DocumentsError
from nbspark.features.values import as_text

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


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"text": "ok", "label": 1}\n{"text": "broken", "label":\n', r"a\.json, line 2: no JSON: Expecting value at"),
        (b'{"text": "a"}{"text": "b"}\n', r"line 1: more than one value: character 14 begins another"),
        (b'\n[\n {"text": "a"},\n {"text": "b"}\n]\n', r"a\.json, line 2: no JSON: .* multiLine=true"),
        (b'{"text": "a"}\nnull\n', r"line 2: no object, nor an array of objects: 'null'"),
        (b'{"text": "a", "Text": "b"}\n', r"the keys \['Text', 'text'\], to Spark the same"),
        (b"\n \n", "no JSON object"),
        (b"[]", "no JSON object"),
        (b'{"": 1}', "no JSON object"),
    ],
)
def test_a_record_that_is_none_is_shown_with_its_file_and_line(
    spark: SparkSession, tmp_path: Path, content: bytes, said: str
) -> None:
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(DocumentsError, match=said):
        read_documents(spark, path=tmp_path / "a.json")


def test_of_a_whole_file_not_only_the_first_record_is_read(spark: SparkSession, tmp_path: Path) -> None:
    content = b'{"text": "a", "label": 1}\n{"text": "b", "label": 2}\n'
    with pytest.raises(DocumentsError, match=r"more than one value.*for an object on each line leave it out"):
        read(spark, tmp_path / "a.json", content, multiLine="true")
    assert read(spark, tmp_path / "a.json", b'[{"text": "a"}, {"label": 2}]\n{"text": "b", "label": 2}') == {
        ("a", None), (None, 2), ("b", 2)
    }  # fmt: skip


def test_whole_numbers_keep_their_digits_beside_fractions(spark: SparkSession, tmp_path: Path) -> None:
    labels = ["12345678901234567", "12345678901234569", "0.5", "2.0", "null"]
    write = "".join(f'{{"label": {label}}}\n' for label in labels)
    (tmp_path / "a.json").write_text(write)
    found = as_text(read_documents(spark, path=tmp_path / "a.json").toArrow()["label"]).to_pylist()
    assert found == ["12345678901234567", "12345678901234569", "0.5", "2", None]


def test_a_number_that_is_too_large_is_no_class(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"label": 1e400, "text": "win"}\n{"label": 2, "text": "cash"}\n')
    documents = read_documents(spark, path=tmp_path / "a.json")
    assert {row["text"] for row in documents.select("text").collect()} == {"win", "cash"}
    with pytest.raises(Exception, match=r"'label' of .* holds a number beyond 1\.8e308"):
        documents.select("label").collect()


def test_an_object_is_no_label(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"text": "win", "label": {"name": "spam"}}\n')
    with pytest.raises(DocumentsError, match="label column 'label' is struct"):
        NaiveBayes("label", [Text("text")]).fit(read_documents(spark, path=tmp_path / "a.json"))


def test_columns_come_from_every_file_and_from_folders(spark: SparkSession, tmp_path: Path) -> None:
    for label, content in (("01", '{"a.b": [1, 2.5], "label": 7}'), ("null", '{"c": {"d": true}, "e": null}')):
        (tmp_path / f"label={label}").mkdir()
        (tmp_path / f"label={label}" / "x[1].json").write_text(content)
    found = read_documents(spark, path=tmp_path, format="json", options={"multiLine": "true"})
    assert sorted((row.asDict(recursive=True) for row in found.collect()), key=lambda row: row["label"]) == [
        {"a.b": [1, 2.5], "c": None, "e": None, "label": "01"},
        {"a.b": None, "c": {"d": True}, "e": None, "label": "null"},
    ]


def test_a_dialect_of_json_is_sparks_to_read(spark: SparkSession, tmp_path: Path) -> None:
    content = b"{'text': 'a', 'label': 1}\n{'text': \n"
    with pytest.raises(Exception, match="Malformed records are detected"):
        read(spark, tmp_path / "a.json", content, allowSingleQuotes="true")
    assert read(spark, tmp_path / "a.json", content, mode="PERMISSIVE") == {("a", 1), (None, None)}


def test_an_array_over_several_lines_needs_an_option(spark: SparkSession, tmp_path: Path) -> None:
    content = b'[\n {"text": "caf\xe9",\n "label": 1},\n {"text": null,\n "label": 2}\n]'
    assert read(spark, tmp_path / "a.json", content, multiLine="true") == {("caf\ufffd", 1), (None, 2)}


def test_a_byte_order_mark_is_no_text(spark: SparkSession, tmp_path: Path) -> None:
    content = b'\xef\xbb\xbf{"text": null, "label": 1}'
    assert read(spark, tmp_path / "a.json", content) == {(None, 1)}
    assert read(spark, tmp_path / "b.json", content, multiLine="true") == {(None, 1)}


@pytest.mark.parametrize("encoding", ["latin-1", "gb18030", "utf-16"])
def test_any_encoding_of_python_can_be_named(spark: SparkSession, tmp_path: Path, encoding: str) -> None:
    content = '{"text": "é", "label": 1}\n{"text": null, "label": 2}\n'.encode(encoding)
    assert read(spark, tmp_path / "a.json", content, encoding=encoding) == {("é", 1), (None, 2)}
