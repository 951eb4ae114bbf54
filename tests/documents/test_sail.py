"""On Sail documents are the same rows as on Spark, or refused."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nbspark import NaiveBayes, Text
from nbspark.documents import read_documents
from nbspark.errors import DocumentsError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.sail


@pytest.fixture(scope="module")
def sail() -> Iterator[SparkSession]:
    """Return a session of a Sail server in this process."""
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer()
    server.start()
    _, port = server.listening_address
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
    yield session
    session.stop()


def write(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def rows(documents: DataFrame) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in documents.collect()), key=repr)


def test_each_file_of_a_class_folder_is_one_row(sail: SparkSession, tmp_path: Path) -> None:
    for name, content in (("a/1", b"caf\xe9"), ("b/2", b"win"), ("b/3", b"")):
        write(tmp_path / name, content)
    for encoding, word in (("utf-8", "caf\ufffd"), ("cp1252", "café")):
        documents = read_documents(sail, path=tmp_path, format="folders", encoding=encoding)
        assert rows(documents.select("label", "text")) == [("a", word), ("b", ""), ("b", "win")]
    assert rows(documents.select("path"))[0] == (f"file:{tmp_path}/a/1",)


def test_csv_is_rfc_4180_and_mended(sail: SparkSession, tmp_path: Path) -> None:
    content = b'text,label\n"a ""b"", c",ham\n"C:\\dir\\",spam\n"two\nlines",caf\xe9\n,\n'
    assert rows(read_documents(sail, path=write(tmp_path / "a.csv", content))) == [
        ("C:\\dir\\", "spam"), ("a \"b\", c", "ham"), ("two\nlines", "caf\ufffd"), (None, None)
    ]  # fmt: skip
    with pytest.raises(Exception, match="incorrect number of fields"):
        read_documents(sail, path=write(tmp_path / "b.csv", b"text,label\nwin\n")).collect()


@pytest.mark.parametrize(("name", "content"), [("a.csv", b"text\ncaf\xe9\n"), ("a.txt", b"caf\xe9"), ("a.json", b"{}")])
def test_another_encoding_is_refused(sail: SparkSession, tmp_path: Path, name: str, content: bytes) -> None:
    with pytest.raises(DocumentsError, match="in UTF-8 only; found cp1252"):
        read_documents(sail, path=write(tmp_path / name, content), encoding="windows-1252")


def test_csv_files_need_one_header(sail: SparkSession, tmp_path: Path) -> None:
    write(tmp_path / "a.csv", b"text,label\nwin,spam\n")
    write(tmp_path / "b.csv", b"text,label\nlunch,ham\n")
    assert rows(read_documents(sail, path=tmp_path, format="csv")) == [("lunch", "ham"), ("win", "spam")]
    write(tmp_path / "b.csv", b"label,text\nham,lunch\n")
    with pytest.raises(DocumentsError, match=r"by the place of a column.*b\.csv is not surely that of .*a\.csv"):
        read_documents(sail, path=tmp_path, format="csv")


def test_json_keeps_digits_and_records(sail: SparkSession, tmp_path: Path) -> None:
    lines = b'\xef\xbb\xbf{"label": 12345678901234567, "text": "caf\xc3\xa9"}\n[{"label": 0.5}, {"label": null}]\n\n'
    documents = read_documents(sail, path=write(tmp_path / "a.json", lines))
    assert [(str(label), text) for label, text in rows(documents)] == [
        ("0.5", None), ("12345678901234567.0", "café"), ("None", None)
    ]  # fmt: skip
    with pytest.raises(DocumentsError, match="more than one value"):
        read_documents(sail, path=write(tmp_path / "b.json", b'{"a": 1}{"a": 2}\n'))


def test_a_byte_order_mark_is_no_text(sail: SparkSession, tmp_path: Path) -> None:
    assert rows(read_documents(sail, path=write(tmp_path / "a.txt", b"\xef\xbb\xbfwin\ncash"))) == [("cash",), ("win",)]


def test_names_of_folders_are_labels(sail: SparkSession, tmp_path: Path) -> None:
    for label in ("01", "1", "null"):
        (tmp_path / f"label={label}").mkdir()
        pq.write_table(pa.table({"text": ["x"]}), tmp_path / f"label={label}" / "0.parquet")
    assert rows(read_documents(sail, path=tmp_path).select("label")) == [("01",), ("1",), ("null",)]


def test_what_cannot_be_read_whole_is_an_error(sail: SparkSession, tmp_path: Path) -> None:
    whole = gzip.compress(b"text,label\n" + b"".join(b"win %d,spam\n" % (i * i) for i in range(20_000)))
    with pytest.raises(Exception, match="incomplete deflate stream"):
        read_documents(sail, path=write(tmp_path / "a.csv.gz", whole[: len(whole) // 2])).count()
    with pytest.raises(DocumentsError, match=r"Sail takes .* for a pattern"):
        read_documents(sail, path=write(tmp_path / "a[1].csv", b"text\nwin\n"))


@pytest.mark.parametrize("plan", ["broadcast", "join"])
def test_both_plans_score_as_on_spark(sail: SparkSession, plan: str) -> None:
    docs = sail.createDataFrame([("win cash", "spam"), ("lunch", "ham"), (None, "ham")], "text string, label string")
    scored = NaiveBayes("label", [Text("text")]).fit(docs).transform(docs, plan=plan)
    # win: spam 1/3 * (1 + 1) / (2 + 3), ham 2/3 * 1 / (1 + 3), and so for cash
    assert rows(scored.select("text", "prediction")) == [("lunch", "ham"), ("win cash", "spam"), (None, "ham")]
