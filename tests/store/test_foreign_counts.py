"""Files and rows that a foreign writer made, and that cannot be counts, are refused by whoever reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nbspark import Text
from nbspark.files.local import LocalFiles
from nbspark.spec import Spec
from nbspark.store import Store
from tests.builders import counts_rows, store_model

if TYPE_CHECKING:
    from collections.abc import Callable

SPEC = Spec("label", (Text("body"),))
TERMS = [("spam", "body", "win", 2.0, 1.0), ("spam", "body", "cash", 1.0, 1.0), ("ham", "body", "lunch", 1.0, 1.0)]
TOTALS = [("spam", "body", None, 3.0, 2.0), ("ham", "body", None, 1.0, 1.0)]
CLASSES = [("spam", None, None, 0.0, 2.0), ("ham", None, None, 0.0, 1.0)]


def publish_raw(model: Path, *files: pa.Table, n_pairs: int) -> Path:
    """Write a model of a foreign writer, whose files have any schema."""
    store = Store.create(model, SPEC.to_dict(), LocalFiles())
    folder = store.new_batch_folder("1")
    for i, table in enumerate(files):
        Path(folder, "counts").mkdir(parents=True, exist_ok=True)
        pq.write_table(table, f"{folder}/counts/part-{i}.parquet")
    store.publish([store.describe_batch("1", folder, {"n_pairs": n_pairs})], note={})
    return model


GOOD = counts_rows(*TERMS, *TOTALS, *CLASSES)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (GOOD.drop_columns(["n_docs"]), "no column n_docs"),
        (GOOD.append_column("extra", pa.nulls(GOOD.num_rows)), "unknown column 'extra'"),
        (GOOD.set_column(3, "n_tokens", pa.array([1] * GOOD.num_rows)), "n_tokens is int64, not double"),
        (pa.Table.from_arrays([*GOOD.columns, GOOD["term"]], [*GOOD.column_names, "term"]), "column 'term' twice"),
    ],
)
def test_files_that_are_no_counts_are_found_out_by_everyone(
    tmp_path: Path, refused: Callable[..., None], table: pa.Table, told: str
) -> None:
    refused(publish_raw(tmp_path / "model", table, n_pairs=3), told)


def test_a_file_that_is_not_parquet_is_found_out_by_everyone(tmp_path: Path, refused: Callable[..., None]) -> None:
    store = Store.create(tmp_path / "model", SPEC.to_dict(), LocalFiles())
    folder = store.new_batch_folder("1")
    store.files.create(f"{folder}/counts/part-0.parquet", b"no Parquet at all")
    store.publish([store.describe_batch("1", folder, {"n_pairs": 0})], note={})
    refused(tmp_path / "model", "no Parquet file")


SCORERS = ("local", "broadcast", "join")  # they read the rows, `verify` only the ends of files


@pytest.mark.parametrize("n_rows", [1, 100, 100_000])
def test_counts_of_a_label_that_is_no_class_are_refused_with_the_label(
    tmp_path: Path, refused: Callable[..., None], n_rows: int
) -> None:
    many = counts_rows(("eggs", "body", "word", 1.0, 1.0))
    many = many.take(pa.array([0] * n_rows)).set_column(2, "term", pa.array([f"w{i}" for i in range(n_rows)]))
    store_model(tmp_path / "model", SPEC, GOOD, many, n_pairs=3 + n_rows)
    refused(tmp_path / "model", r"the labels \['eggs'\] have counts, but no row of their documents", SCORERS)


def test_a_part_file_that_was_removed_with_its_entry_is_noticed(tmp_path: Path, refused: Callable[..., None]) -> None:
    kept, removed = counts_rows(*TERMS, TOTALS[0], CLASSES[0]), counts_rows(*TOTALS[1:], *CLASSES[1:])
    store = store_model(tmp_path / "model", SPEC, kept, removed, n_pairs=3)
    [batch] = store.latest().batches
    file = tmp_path / "model" / "versions" / "00000001.json"
    version = json.loads(file.read_text(encoding="utf-8"))
    version["batches"][0]["files"].pop()
    file.write_text(json.dumps(version), encoding="utf-8")
    (tmp_path / "model" / batch.folder / batch.files[-1].name).unlink()
    refused(tmp_path / "model", r"the labels \['ham'\] have counts, but no row of their documents", SCORERS)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([("spam", "title", "win", 1.0, 1.0)], "title"),
        ([("spam", None, "win", 1.0, 1.0)], "no feature|None"),
        ([("spam", "body", "w", float("nan"), 1.0)], "nan"),
        ([("spam", "body", "w", float("inf"), 1.0)], "inf"),
        ([("spam", "body", "w", -9.0, 1.0)], r"-9\.0|-6\.0"),
    ],
)
def test_rows_that_cannot_be_counts_are_refused_by_who_reads_them(
    tmp_path: Path, refused: Callable[..., None], rows: list[Any], told: str
) -> None:
    store_model(tmp_path / "model", SPEC, GOOD, counts_rows(*rows), n_pairs=4)
    refused(tmp_path / "model", told, SCORERS)
