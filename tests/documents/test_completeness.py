"""Files that would be passed over, or read as what they are not, are refused or named."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from nbspark.documents import read_documents
from nbspark.errors import DocumentsError

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

ROW = "text,label\nwin,spam\n"


def write(root: Path, *names: str, content: str = ROW) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a.csv", "2024/b.csv"], r"1 file \(2024/b\.csv\) of .* would not be read, in folders below it"),
        (["top.csv", "day=1/a.csv"], r"1 file \(top\.csv\) of .* would not be read, beside folders such as day=1"),
        (["a.csv", "a.CSV.bak", "b"], r"2 files \(a\.CSV\.bak, b\) of .* by the ending something else"),
        (["part-0", "part-0~"], r"1 file \(part-0~\) of"),
    ],
)
def test_files_that_nobody_means_or_reads_are_named(
    spark: SparkSession, tmp_path: Path, names: list[str], said: str
) -> None:
    with pytest.raises(DocumentsError, match=said):
        read_documents(spark, path=write(tmp_path, *names), format="csv")


@pytest.mark.parametrize(
    ("names", "options", "expected"),
    [
        (["a.csv", "2024/b.csv"], {"recursiveFileLookup": "true"}, 2),
        (["a.csv", "a.csv.bak"], {"pathGlobFilter": "*.csv"}, 1),
        (["2024/day=1/a.csv", "2024/day=2/b.csv"], {}, 2),
        (["day=1/x/a.csv", "day=2/b.csv", "_SUCCESS"], {}, 2),
        (["part-0", "part-1"], {}, 2),
        (["a.csv", "b.CSV", ".a.csv.crc"], {}, 2),
    ],
)
def test_what_is_meant_is_read(
    spark: SparkSession, tmp_path: Path, names: list[str], options: dict[str, str], expected: int
) -> None:
    documents = read_documents(spark, path=write(tmp_path, *names), format="csv", options=options)
    assert documents.select("text").count() == expected


def test_a_pattern_is_looked_through_too(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path, "in1/a.csv", "in2/a.csv", "in2/deep/b.csv")
    with pytest.raises(DocumentsError, match=r"1 file \(deep/b\.csv\) of"):
        read_documents(spark, path=f"{tmp_path}/in*", format="csv")
    assert read_documents(spark, path=f"{tmp_path}/*/*.csv").count() == 2
    write(tmp_path, "in1/_SUCCESS", content="")
    assert read_documents(spark, path=f"{tmp_path}/in1/*", format="csv").count() == 1


def test_a_parquet_file_without_a_byte_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["win", None]}), tmp_path / "a.parquet")
    write(tmp_path, "b.parquet", content="")
    for path in (tmp_path, f"{tmp_path}/*.parquet"):
        with pytest.raises(DocumentsError, match=r"1 file \(b\.parquet\) of .* without a byte"):
            read_documents(spark, path=path)


def test_hidden_documents_and_classes_are_named_in_a_warning(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="nbspark"):
        read_documents(spark, path=write(tmp_path / "csv", "a.csv", "_b.csv", "_SUCCESS"), format="csv")
        mails = write(tmp_path / "mails", "spam/1", "_promo/1", "_promo/2", ".secret/1", ".cache")
        documents = read_documents(spark, path=mails, format="folders")
    assert [row["label"] for row in documents.collect()] == ["spam"]
    assert "1 file (_b.csv) of" in caplog.messages[0]
    assert "not read as classes: .secret (1 file), _promo (2 files)" in caplog.messages[1]
    assert len(caplog.messages) == 2


@pytest.mark.parametrize(("folder", "kind"), [("_delta_log", "delta"), (".hoodie", "hudi"), ("metadata", "iceberg")])
def test_a_lake_table_is_not_read_as_its_files(spark: SparkSession, tmp_path: Path, folder: str, kind: str) -> None:
    table = tmp_path / "table"
    (table / "day=1").mkdir(parents=True)
    for file in ("day=1/0.parquet", "1.parquet"):
        pq.write_table(pa.table({"text": ["win"]}), table / file)
    write(table, f"{folder}/v1.metadata.json", content="{}")
    with pytest.raises(DocumentsError, match=f"is a table of {kind.title()}.*--format {kind} .*--table NAME"):
        read_documents(spark, path=table)
    if kind != "iceberg":
        with pytest.raises(DocumentsError, match=f"--format {kind}"):
            read_documents(spark, path=table / "day=1", format="parquet")
    assert read_documents(spark, path=f"{table}/*.parquet").count() == 1


@pytest.mark.parametrize("order", ["ab", "ba"])
@pytest.mark.parametrize("source", ["parquet", "orc"])
def test_files_that_lack_a_column_are_an_error_in_any_order(
    spark: SparkSession, tmp_path: Path, order: str, source: str
) -> None:
    tables = {"a": pa.table({"text": ["win"], "label": ["spam"]}), "b": pa.table({"Label": ["ham"]})}
    for name in "ab":
        file = tmp_path / f"{order.index(name)}.{source}"
        orc.write_table(tables[name], file) if source == "orc" else pq.write_table(tables[name], file)
    said = (
        rf"/1\.{source} has no column 'text', which" if order == "ab" else rf"/1\.{source} has a column 'text', which"
    )
    with pytest.raises(DocumentsError, match=said):
        read_documents(spark, path=tmp_path, format=source)
    merged = read_documents(spark, path=tmp_path, format=source, options={"mergeSchema": "true"})
    assert {tuple(row) for row in merged.select("text", "label").collect()} == {("win", "spam"), (None, "ham")}
