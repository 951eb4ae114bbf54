"""Any source, by path or by name: labels keep their text, nothing is lost, and what is missing is said."""

from __future__ import annotations

import datetime
import decimal
import gzip
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nbspark.documents import read_documents
from nbspark.errors import DocumentsError, PathError
from nbspark.features.values import as_text
from nbspark.runtime.failures import explain_failure

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

INFERENCE = "spark.sql.sources.partitionColumnTypeInference.enabled"
FOLDERS = {  # the name of a folder -> the label
    "01": "01",
    "1": "1",
    "1e3": "1e3",
    "1d": "1d",
    "1.0": "1.0",
    "-0": "-0",
    "2024-01-01": "2024-01-01",
    "00:30:00": "00:30:00",
    "null": "null",
    "true": "true",
    "spam%20ham": "spam ham",
    "中文": "中文",
}


def rows(documents: DataFrame) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in documents.collect()), key=repr)


def write(path: Path, content: bytes) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return str(path)


@pytest.mark.parametrize(
    ("format_", "content"), [("json", b'{"text": "x"}\n'), ("csv", b"text\nx\n"), ("text", b"x\n")]
)
def test_the_label_is_the_text_of_the_folder(spark: SparkSession, tmp_path: Path, format_: str, content: bytes) -> None:
    for folder in FOLDERS:
        write(tmp_path / f"label={folder}" / "a", content)
    documents = read_documents(spark, path=str(tmp_path), format=format_)
    assert rows(documents.select("label")) == sorted([(label,) for label in FOLDERS.values()], key=repr)


def test_a_new_folder_renames_no_class(spark: SparkSession, tmp_path: Path) -> None:
    for label in ("01", "1", "AA"):
        (tmp_path / f"label={label}").mkdir()
        pq.write_table(pa.table({"text": ["x", None]}), tmp_path / f"label={label}" / "part-0.parquet")
    expected = [("x", "01"), ("x", "1"), ("x", "AA"), (None, "01"), (None, "1"), (None, "AA")]
    assert rows(read_documents(spark, path=str(tmp_path))) == sorted(expected, key=repr)


@pytest.mark.parametrize("before", ["true", "false"])
def test_the_sessions_own_setting_comes_back(spark: SparkSession, tmp_path: Path, before: str) -> None:
    spark.conf.set(INFERENCE, before)
    try:
        read_documents(spark, path=write(tmp_path / "a.txt", b"x\n"))
        assert spark.conf.get(INFERENCE) == before
        with pytest.raises(PathError):
            read_documents(spark, path=str(tmp_path / "b.txt"))
        assert spark.conf.get(INFERENCE) == before
    finally:
        spark.conf.unset(INFERENCE)


def test_labels_are_the_same_text_in_every_format(spark: SparkSession, tmp_path: Path) -> None:
    numbers = [1, 2, 10, None]
    columns = {
        "int": pa.array(numbers, pa.int32()),
        "double": pa.array(numbers, pa.float64()),
        "decimal": pa.array([None if n is None else decimal.Decimal(n) for n in numbers], pa.decimal128(5, 2)),
    }
    paths = [write(tmp_path / "a.csv", b"label,text\n1,x\n2,x\n10,x\n,x\n")]
    paths += [write(tmp_path / "a.json", b'{"label": 1}\n{"label": 2.0}\n{"label": 10}\n{"label": null}\n')]
    for name, labels in columns.items():
        pq.write_table(pa.table({"label": labels}), tmp_path / f"{name}.parquet")
        paths.append(str(tmp_path / f"{name}.parquet"))
    for path in paths:
        labels = read_documents(spark, path=path).select("label").toArrow().column(0)
        assert sorted(as_text(labels).to_pylist(), key=repr) == ["1", "10", "2", None], path


def test_booleans_and_dates_are_the_text_that_csv_would_hold(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"yes": [True, None], "day": [datetime.date(2024, 1, 1), None]}), path)
    table = read_documents(spark, path=str(path)).toArrow()
    assert as_text(table.column("yes")).to_pylist() == ["true", None]
    assert as_text(table.column("day")).to_pylist() == ["2024-01-01", None]


def test_text_files_give_a_row_for_each_line(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path / "a b.txt", b"\xef\xbb\xbfwin cash\r\n\r\ncaf\xe9\n")
    assert rows(read_documents(spark, path=path)) == [("",), ("caf\ufffd",), ("win cash",)]
    assert rows(read_documents(spark, path=path, encoding="latin-1")) == [("",), ("café",), ("win cash",)]


def test_strings_of_a_parquet_file_are_valid_utf_8_afterwards(spark: SparkSession, tmp_path: Path) -> None:
    raw = pa.array([b"caf\xe9", b"ok", None], pa.binary())
    table = pa.table({"my.text": pa.StringArray.from_buffers(3, *raw.buffers()[1:], raw.buffers()[0]), "n": [1, 2, 3]})
    pq.write_table(table, tmp_path / "a.parquet")
    documents = read_documents(spark, path=str(tmp_path))
    assert rows(documents) == [("caf\ufffd", 1), ("ok", 2), (None, 3)]
    assert documents.toArrow().column("my.text").cast(pa.binary()).to_pylist()[0] == b"caf\xef\xbf\xbd"


def test_bytes_that_are_not_utf_8_are_mended_inside_arrays_maps_and_structs(
    spark: SparkSession, tmp_path: Path
) -> None:
    bad = pa.array([b"caf\xe9"]).view(pa.string())
    one = pa.array([0, 1], pa.int32())
    columns = {
        "list": pa.ListArray.from_arrays(one, bad),
        "map": pa.MapArray.from_arrays(one, bad, bad),
        "struct": pa.StructArray.from_arrays([bad, pa.array([1])], names=["a.b", "n"]),
        "numbers": pa.array([[1]]),
    }
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    [row] = read_documents(spark, path=tmp_path).collect()
    assert row.asDict(recursive=True) == {
        "list": ["caf\ufffd"],
        "map": {"caf\ufffd": "caf\ufffd"},
        "struct": {"a.b": "caf\ufffd", "n": 1},
        "numbers": [1],
    }


def test_half_a_compressed_file_is_an_error_whatever_the_session_says(spark: SparkSession, tmp_path: Path) -> None:
    whole = gzip.compress("".join(f"win {i * i},spam\n" for i in range(20_000)).encode())
    path = write(tmp_path / "a.csv.gz", gzip.compress(b"text,label\n") + whole[: len(whole) // 2])
    spark.conf.set("spark.sql.files.ignoreCorruptFiles", "true")
    spark.sql(f"CREATE TABLE half USING csv OPTIONS (header true) LOCATION '{tmp_path}'")
    try:
        for how in ({"path": path}, {"table": "half"}):
            with pytest.raises(Exception) as caught:  # noqa: PT011 - Spark's own, of several classes
                read_documents(spark, **how).count()
            assert "a.csv.gz" in str(explain_failure(caught.value))
        with pytest.raises(DocumentsError, match=r"IgnoreCorruptFiles=true would leave out rows"):
            read_documents(spark, path=path, options={"IgnoreCorruptFiles": "true"})
    finally:
        spark.conf.unset("spark.sql.files.ignoreCorruptFiles")
        spark.sql("DROP TABLE half")


def test_tables_and_views_are_found_by_name(spark: SparkSession) -> None:
    spark.createDataFrame([("x", "spam"), (None, None)], "text string, label string").createOrReplaceTempView("mails")
    try:
        assert rows(read_documents(spark, table="mails")) == [("x", "spam"), (None, None)]
    finally:
        spark.catalog.dropTempView("mails")
    with pytest.raises(DocumentsError, match=r"no table or view 'nowhere\.mails'"):
        read_documents(spark, table="nowhere.mails")


def test_a_path_that_is_not_there_is_named_with_what_is(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path / "train.csv", b"text,label\n")
    with pytest.raises(PathError, match=r"nothing at .*/trian\.csv\. .* has: train\.csv\."):
        read_documents(spark, path=str(tmp_path / "trian.csv"))
    with pytest.raises(PathError, match=r"nothing at .*/\*\.json"):
        read_documents(spark, path=f"{tmp_path}/*.json")


@pytest.mark.parametrize("format_", ["parquet", "csv", "json", "text", "orc", "folders"])
def test_an_empty_folder_is_an_error(spark: SparkSession, tmp_path: Path, format_: str) -> None:
    write(tmp_path / "_SUCCESS", b"")
    with pytest.raises(DocumentsError, match="no file"):
        read_documents(spark, path=str(tmp_path), format=format_)


def test_a_format_that_spark_lacks_is_said_with_the_usual_ones(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(DocumentsError, match=r"no format 'parket'.*parquet, csv, json"):
        read_documents(spark, path=str(tmp_path), format="parket")


def test_files_of_another_format_are_named(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path / "a.csv", b"text,label\nwin,spam\n")
    with pytest.raises(DocumentsError, match=r"/a\.csv cannot be read.*taken for parquet, for want of an ending"):
        read_documents(spark, path=str(tmp_path))


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({}, "either a path or a table"),
        ({"path": "x", "table": "y"}, "either a path or a table"),
        ({"table": "y", "format": "csv"}, "a table has its own format"),
        ({"path": "x.parquet", "encoding": "gbk"}, "parquet has no encoding"),
        ({"path": "x.csv", "encoding": "utf-9"}, "no text encoding is called 'utf-9'"),
        ({"path": "x.csv", "encoding": "hex"}, "no text encoding is called 'hex'"),
        ({"path": "x.csv", "encoding": "iso2022_jp"}, "cannot be cut into fields"),
        ({"path": "x.json", "encoding": "gbk", "options": {"allowComments": "true"}}, "JSON in gbk cannot be read"),
    ],
)
def test_questions_that_make_no_sense_are_refused(spark: SparkSession, how: dict[str, str], said: str) -> None:
    with pytest.raises(DocumentsError, match=said):
        read_documents(spark, **how)  # type: ignore[arg-type]


def test_text_that_cannot_be_cut_into_lines_is_read_whole(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "win\ncash".encode("utf-16"))
    with pytest.raises(DocumentsError, match="wholetext=true"):
        read_documents(spark, path=path, encoding="utf-16")
    options = {"wholetext": "true"}
    assert rows(read_documents(spark, path=path, encoding="utf-16", options=options)) == [("win\ncash",)]
    path = write(tmp_path / "b.txt", b"\xef\xbb\xbfwin\ncaf\xe9")
    assert rows(read_documents(spark, path=path, options=options)) == [("win\ncaf\ufffd",)]
