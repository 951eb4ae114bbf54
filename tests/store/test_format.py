"""docs/format.md is enough to read a model: json and pyarrow, no nbspark on the reading side."""

from __future__ import annotations

import json
import re
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nbspark import NaiveBayes, Text, schemas
from nbspark.counting.facts import ROW_FACTS
from nbspark.files.local import LocalFiles
from nbspark.store import Batch, Store, Version
from nbspark.store.plain import require_shape
from tests.pages import ROOT, code_blocks

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGE = ROOT / "docs" / "format.md"

# The page's example: ("win win cash", spam), ("cash", spam), ("lunch", ham).
COUNTS = [
    ("spam", "body", "win", 2.0, 1.0),
    ("spam", "body", "cash", 2.0, 2.0),
    ("ham", "body", "lunch", 1.0, 1.0),
    ("spam", "body", None, 4.0, 2.0),
    ("ham", "body", None, 1.0, 1.0),
    ("spam", None, None, 0.0, 2.0),
    ("ham", None, None, 0.0, 1.0),
    (None, "rows_read", None, 0.0, 3.0),
]


def blocks(language: str) -> list[str]:
    """Return the page's code blocks of one language."""
    return code_blocks("docs/format.md", language)


def write_batch(store: Store, batch: str) -> Batch:
    """Write the example as two files of one batch."""
    folder = store.new_batch_folder(batch)
    Path(folder, "counts").mkdir(parents=True)
    for i, rows in enumerate((COUNTS[:3], COUNTS[3:])):
        # No numeric feature here: the last columns are null.
        table = pa.Table.from_pylist(
            [dict(zip(schemas.COUNTS.names, row, strict=False)) for row in rows], schemas.COUNTS
        )
        pq.write_table(table, f"{folder}/counts/part-{i:05d}.parquet")
    return store.describe_batch(
        batch, folder, {"rows_read": 3, "unlabelled": 0, "without_terms": 0, "undecodable": 0, "n_pairs": 3}
    )


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Return an unpublished model at the page's own path."""
    monkeypatch.chdir(tmp_path)
    spec = json.loads(blocks("json")[0])["spec"]
    return Store.create("models/news", spec, LocalFiles())


def read_as_the_page_says() -> dict[tuple[str | None, ...], tuple[float, float]]:
    """Run the page's Python; the counts by their key."""
    names: dict[str, pa.Table] = {}
    [code] = blocks("python")
    exec(code, names)  # the documentation is the code under test
    rows = names["counts"].select(schemas.COUNTS.names[:5]).to_pylist()
    return {(r["label"], r["feature"], r["term"]): (r["n_tokens"], r["n_docs"]) for r in rows}


def test_the_pages_python_reads_a_model_without_nbspark(model: Store) -> None:
    model.publish([write_batch(model, "2026-11-29")], note={})
    assert read_as_the_page_says() == {row[:3]: row[3:] for row in COUNTS}


def test_batches_add_up_by_weight_and_the_newest_version_counts(model: Store) -> None:
    first, second = write_batch(model, "a"), write_batch(model, "b")
    one = model.publish([first], note={})
    half = Batch(second.batch, second.folder, second.files, second.rows, weight=0.5)
    model.publish([first, half], note={}, parent=one)
    assert read_as_the_page_says() == {row[:3]: (1.5 * row[3], 1.5 * row[4]) for row in COUNTS}


def test_the_pages_likelihood_follows_from_the_counts(model: Store) -> None:
    model.publish([write_batch(model, "a")], note={})
    counts = read_as_the_page_says()
    n_terms = len({term for _, _, term in counts if term is not None})
    n_tokens, total = counts["spam", "body", "cash"][0], counts["spam", "body", None][0]
    assert log((n_tokens + 1) / (total + n_terms)) == log((2 + 1) / (4 + 3))


def test_the_pages_json_is_what_is_on_disk(model: Store) -> None:
    spec_example, version_example = (json.loads(block) for block in blocks("json"))
    published = model.publish([write_batch(model, "2026-11-29")], note={})
    assert json.loads(Path("models/news/spec.json").read_text(encoding="utf-8")) == spec_example
    on_disk = json.loads(Path("models/news/versions/00000001.json").read_text(encoding="utf-8"))
    assert Version.from_json(version_example).to_json() == version_example
    assert list(on_disk) == list(version_example)
    require_shape(on_disk["batches"][0], dict.fromkeys(version_example["batches"][0], object), "batch")
    assert on_disk["batches"][0]["rows"] == version_example["batches"][0]["rows"]
    assert Version.from_json(on_disk) == published


def test_the_page_lists_every_column_of_the_counts() -> None:
    table = PAGE.read_text(encoding="utf-8").split("\n## counts\n")[1].split("\nTotals")[0]
    listed = re.findall(r"^\| `(\w+)` \| (\w+) \|", table, re.MULTILINE)
    assert listed == [(field.name, str(field.type)) for field in schemas.COUNTS]
    assert all(f"`{fact}`" in PAGE.read_text(encoding="utf-8") for fact in ROW_FACTS)


def sql_as_the_page_says() -> tuple[list[Any], ...]:
    """Run the page's SQL as it stands, and return the counts and what its queries say."""
    with duckdb.connect() as database:
        found = [database.sql(code) for code in blocks("sql")]
        _, likelihoods, scores = ([] if one is None else one.fetchall() for one in found)
        counts = database.sql("SELECT * FROM counts WHERE term IS NOT NULL ORDER BY label, term").fetchall()
    return counts, likelihoods, scores


def test_the_pages_sql_reads_and_scores_with_a_trained_model(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [("spam", "win win cash"), ("spam", "cash"), ("ham", "lunch"), (None, "win")]
    NaiveBayes("topic", [Text("body")]).learn(spark.createDataFrame(rows, "topic string, body string"), "models/news")
    counts, likelihoods, scores = sql_as_the_page_says()
    assert counts == [
        ("ham", "body", "lunch", 1.0, 1.0),
        ("spam", "body", "cash", 1.0 + 1.0, 2.0),
        ("spam", "body", "win", 2.0, 1.0),
    ]
    assert likelihoods == [
        ("ham", "lunch", 1.0, pytest.approx(log((1 + 1) / (1 + 3)))),
        ("ham", "cash", 0.0, pytest.approx(log((0 + 1) / (1 + 3)))),
        ("ham", "win", 0.0, pytest.approx(log((0 + 1) / (1 + 3)))),
        ("spam", "cash", 2.0, pytest.approx(log((2 + 1) / (4 + 3)))),
        ("spam", "win", 2.0, pytest.approx(log((2 + 1) / (4 + 3)))),
        ("spam", "lunch", 0.0, pytest.approx(log((0 + 1) / (4 + 3)))),
    ]
    assert scores == [
        ("ham", pytest.approx(log(1 / 3) + log(1 / 4) + 2 * log(2 / 4))),
        ("spam", pytest.approx(log(2 / 3) + log(3 / 7) + 2 * log(1 / 7))),
    ]


def test_the_pages_sql_reads_the_newest_version_and_its_weights(model: Store) -> None:
    first, second = write_batch(model, "a"), write_batch(model, "b")
    write_batch(model, "of-nobody")
    one = model.publish([first], note={"accuracy": 0.75})
    half = Batch(second.batch, second.folder, second.files, second.rows, weight=0.5)
    model.publish([first, half], note={}, parent=one)
    counts, _, _ = sql_as_the_page_says()
    assert counts == [
        ("ham", "body", "lunch", 1.5 * 1.0, 1.5 * 1.0),
        ("spam", "body", "cash", 1.5 * 2.0, 1.5 * 2.0),
        ("spam", "body", "win", 1.5 * 2.0, 1.5 * 1.0),
    ]
