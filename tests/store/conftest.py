"""Everyone who reads a stored model, as one fixture."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

import nbspark
from nbspark import local
from nbspark.errors import StoreError
from nbspark.files.local import LocalFiles
from nbspark.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

READERS = ("local", "broadcast", "join", "verify")


@pytest.fixture(scope="session")
def documents(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([("win",), (None,)], "body string")


@pytest.fixture
def read_with(documents: DataFrame, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Path], Any]:
    """Return what reads a model in one of four ways, as far as it takes to score with it."""

    def read(how: str, path: Path) -> Any:
        if how == "local":
            return local.load(path)
        if how == "verify":
            store = Store.open(path, LocalFiles())
            store.read_spec()
            return store.verify(store.latest())
        with monkeypatch.context() as patch:
            if how == "join":
                patch.setattr("nbspark.model.BROADCAST_PAIRS", 0)
            return nbspark.load(path).transform(documents)

    return read


@pytest.fixture
def refused(read_with: Callable[[str, Path], Any]) -> Callable[..., None]:
    """Return what expects every reader to refuse a model in one line."""

    def check(path: Path, told: str, readers: Sequence[str] = READERS) -> None:
        for how in readers:
            with pytest.raises(StoreError) as caught:
                read_with(how, path)
            message = str(caught.value)
            assert re.search(told, message), (how, message)
            assert "\n" not in message
            assert len(message) < 1_000

    return check
