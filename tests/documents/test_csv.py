"""CSV follows RFC 4180 and goes by the names of the header, or says which file does not fit."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import pytest

from nbspark.documents import read_documents
from nbspark.errors import DocumentsError
from nbspark.runtime.failures import explain_failure

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession


def write(folder: Path, **files: bytes) -> str:
    """Write ``name=content`` as ``name.csv`` and return the folder."""
    for name, content in files.items():
        (folder / f"{name}.csv").write_bytes(content)
    return str(folder)


def rows(documents: DataFrame) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in documents.collect()), key=repr)


def failure(spark: SparkSession, path: str, **how: Any) -> str:
    """Return what the user is told when the documents are read."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 - Spark's own, of several classes
        read_documents(spark, path=path, format="csv", **how).select("label").collect()
    message = explain_failure(caught.value)
    assert message is not None
    return message


def test_quotes_are_doubled_and_a_backslash_is_a_character(spark: SparkSession, tmp_path: Path) -> None:
    content = (
        b'id,text,label\n1,"say ""free, now"" today",spam\n2,"a ""b"" c, d",ham\n'
        b'3,"C:\\dir\\",spam\n4,"line one\nline two",ham\n5,say "hi" now,\n'
    )
    assert rows(read_documents(spark, path=write(tmp_path, a=content), format="csv")) == [
        ("1", 'say "free, now" today', "spam"),
        ("2", 'a "b" c, d', "ham"),
        ("3", "C:\\dir\\", "spam"),
        ("4", "line one\nline two", "ham"),
        ("5", 'say "hi" now', None),
    ]


def test_text_stays_text_and_only_the_unquoted_empty_field_is_null(spark: SparkSession, tmp_path: Path) -> None:
    content = b'code,label\n000123,NA\n1.10,true\n2024-01-01,null\n"",1e3\n,\n  x ,""\n'
    assert rows(read_documents(spark, path=write(tmp_path, a=content), format="csv")) == [
        ("  x ", ""),
        ("", "1e3"),
        ("000123", "NA"),
        ("1.10", "true"),
        ("2024-01-01", "null"),
        (None, None),
    ]


def test_a_byte_order_mark_and_windows_line_ends_are_no_text(spark: SparkSession, tmp_path: Path) -> None:
    path = write(
        tmp_path,
        a=b'\xef\xbb\xbftext,label\r\n"win\ncash",spam\r\nnull,\r\n',
        b=b'text,label\r\n"win\r\nprize",spam\r\n',
        c=b"text,label\rlunch,ham\r",
    )
    assert rows(read_documents(spark, path=path, format="csv")) == [
        ("lunch", "ham"),
        ("null", None),
        ("win\ncash", "spam"),
        ("win\nprize", "spam"),
    ]


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (b"label,text\nspam,win\n", "[label, text]"),
        (b"win prize,spam\nnoon,ham\n", "[win prize, spam]"),
        (b"text,label,extra\nwin,spam,x\n", "[3 columns]"),
        (b"text\nwin\n", "[1 columns]"),
    ],
    ids=["other order", "no header", "one more", "one fewer"],
)
def test_a_file_with_another_header_is_named(spark: SparkSession, tmp_path: Path, other: bytes, said: str) -> None:
    path = write(tmp_path, a=b"text,label\nlunch,ham\n", b=other)
    # Spark compares with the file that it looked at first, so either may be "the other".
    message = failure(spark, path)
    assert "/a.csv: the header is [" in message or f"/b.csv: the header is {said}" in message


def test_files_with_the_same_header_are_read_together_empty_ones_too(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path, a=b"text,label\nwin,spam\n", b=b"text,label\n,ham\n", c=b"text,label\n", d=b"")
    assert rows(read_documents(spark, path=path, format="csv")) == [("win", "spam"), (None, "ham")]


@pytest.mark.parametrize(
    ("content", "record"),
    [
        (b"text,label\nwin, cash,spam\n", "win, cash,spam"),
        (b"text,label\nwin\n", "win"),
        (b'text,label\n"win cash,spam\nlunch,ham\n', '"win cash,spam'),
    ],
    ids=["a comma too many", "a field too few", "an open quote"],
)
def test_a_record_that_does_not_fit_is_an_error_and_no_label(
    spark: SparkSession, tmp_path: Path, content: bytes, record: str
) -> None:
    message = failure(spark, write(tmp_path, a=content))
    assert "/a.csv: a record has more or fewer fields than the header" in message
    assert record in message


def test_every_choice_can_be_overridden(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path, a=b'ham\tsay "hi\nspam\t"win\nham\n')
    options = {"SEP": "\\t", "header": "false", "quote": "", "MODE": "PERMISSIVE"}
    assert rows(read_documents(spark, path=path, format="csv", options=options)) == [
        ("ham", 'say "hi'),
        ("ham", None),
        ("spam", '"win'),
    ]


def test_the_ending_decides_on_tabs_and_compression(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "with a blank.tsv.gz"
    path.write_bytes(gzip.compress(b"text\tlabel\nwin, cash\tspam\n\tham\n"))
    assert rows(read_documents(spark, path=str(path))) == [("win, cash", "spam"), (None, "ham")]


def test_a_column_without_a_name_is_called_by_its_place(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path, a=b",text\n0,win\n", b=b",text\n1,lunch\n2,\n")
    several = read_documents(spark, path=path, format="csv")
    assert several.columns == ["_c0", "text"]
    assert rows(several) == [("0", "win"), ("1", "lunch"), ("2", None)]
    one = read_documents(spark, path=f"{path}/a.csv")
    assert (one.columns, rows(one)) == (["_c0", "text"], [("0", "win")])


def test_columns_that_are_really_called_c0_are_read_too(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path, a=b"_c0,_c1\n0,win\n", b=b"_c0,_c1\n1,\n")
    assert rows(read_documents(spark, path=path, format="csv")) == [("0", "win"), ("1", None)]


def test_a_file_that_is_empty_altogether_is_an_error(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(DocumentsError, match="no column: its csv files are empty"):
        read_documents(spark, path=write(tmp_path, a=b""), format="csv")


def test_bytes_that_are_not_utf_8_become_the_replacement_character(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path, a=b"text,label\ncaf\xe9,spam\nok,\n")
    assert rows(read_documents(spark, path=path, format="csv")) == [("caf\ufffd", "spam"), ("ok", None)]


@pytest.mark.parametrize("encoding", ["latin-1", "windows-1252", "GBK", "shift_jis", "utf-16"])
def test_an_encoding_holds_for_values_and_names_but_not_for_folders(
    spark: SparkSession, tmp_path: Path, encoding: str
) -> None:
    word = {"GBK": "中文", "shift_jis": "日本", "utf-16": "中文"}.get(encoding, "café")
    folder = tmp_path / "label=é"
    folder.mkdir()
    write(folder, a=f'{word},n\n"{word}, 1\n""2""",7\n,8\n'.encode(encoding))
    documents = read_documents(spark, path=str(tmp_path), format="csv", encoding=encoding)
    assert documents.columns == [word, "n", "label"]
    assert rows(documents) == [(f'{word}, 1\n"2"', "7", "é"), (None, "8", "é")]
