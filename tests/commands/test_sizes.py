"""Whether a command surely reads little is told by the local disk, before Spark starts."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import pytest

from nbspark.commands import sizes

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with 30 bytes of documents and 70 of a model, where 100 bytes are little."""
    monkeypatch.setattr(sizes, "SHORT_BYTES", 100)
    monkeypatch.setattr(sizes, "is_local", lambda path, args: "://" not in path)
    for name, n_bytes in {"docs/a.csv": 10, "docs/deeper/b.csv": 20, "model/spec.json": 70, "one-more.csv": 1}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x" * n_bytes)
    return tmp_path


def arguments(folder: Path, *documents: str, **others: Any) -> argparse.Namespace:
    """Return the arguments of a command on these documents and the model."""
    paths = [path if "://" in path else str(folder / path) for path in documents]
    return argparse.Namespace(documents=paths, model=str(folder / "model"), format=None, **others)


def test_documents_and_model_count_together(folder: Path) -> None:
    assert sizes.is_short(arguments(folder, "docs"))
    assert not sizes.is_short(arguments(folder, "docs", "one-more.csv"))


def test_what_a_pattern_matches_counts(folder: Path) -> None:
    assert sizes.is_short(arguments(folder, "docs/{a,z}.csv", "docs/*/b.csv"))
    assert not sizes.is_short(arguments(folder, "docs/*", "one*"))


def test_a_model_that_is_not_there_yet_is_no_bytes(folder: Path) -> None:
    args = arguments(folder, "docs", "one-more.csv")
    args.model = str(folder / "new")
    assert sizes.is_short(args)


@pytest.mark.parametrize("elsewhere", ["s3a://lake/docs", "hdfs://name/docs"])
def test_what_is_not_on_the_local_disk_can_be_large(folder: Path, elsewhere: str) -> None:
    assert not sizes.is_short(arguments(folder, "docs", elsewhere))


def test_a_table_and_a_foreign_source_can_be_large(folder: Path) -> None:
    table = argparse.Namespace(documents=None, table="db.docs", model=str(folder / "model"), format=None)
    assert not sizes.is_short(table)
    args = arguments(folder, "docs")
    args.format = "csv"
    assert sizes.is_short(args)
    args.format = "com.example.source"
    assert not sizes.is_short(args)


def test_many_files_are_not_looked_at_one_by_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "SHORT_FILES", 2)
    assert not sizes.is_short(arguments(folder, "docs"))  # two files, and one of the model


def test_a_link_to_nothing_is_no_bytes(folder: Path) -> None:
    (folder / "docs" / "gone.csv").symlink_to(folder / "nothing")
    assert sizes.is_short(arguments(folder, "docs"))
