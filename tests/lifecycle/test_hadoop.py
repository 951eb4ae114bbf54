"""A model's life through the session's Hadoop file system: here viewfs, whose mount is a local folder."""

from __future__ import annotations

import pytest

import nbspark
from nbspark import NaiveBayes, Text
from nbspark.cli import main
from nbspark.errors import StoreError
from nbspark.files.hadoop import HadoopFiles
from nbspark.model_store import ModelStore

MODEL = "viewfs://lake/models/m"


@pytest.fixture
def lake(spark, tmp_path):
    """Return the folder behind ``viewfs://lake/``."""
    settings = {"fs.viewfs.mounttable.lake.link./models": tmp_path.as_uri(), "fs.viewfs.impl.disable.cache": "true"}
    for key, value in settings.items():
        spark.conf.set(key, value)
    yield tmp_path
    for key in settings:
        spark.conf.unset(key)


def test_a_model_lives_on_a_hadoop_file_system_as_on_a_disk(spark, lake, tmp_path):
    mails = [("spam", "win cash now"), ("spam", "cash prize"), ("ham", "lunch at noon")]
    monday = spark.createDataFrame(mails, "y string, t string")
    tuesday = spark.createDataFrame([("ham", "noon call"), (None, "no label")], "y string, t string")
    NaiveBayes("y", [Text("t")]).learn(monday, MODEL, batch="mon", date="2026-11-23")
    store = ModelStore(MODEL, spark=spark)
    assert isinstance(store.store.files, HadoopFiles)
    assert store.learn(tuesday, batch="tue", date="2026-11-24").changed
    assert store.learn({"y": ["ham"], "t": ["prize giving"]}, batch="wed", date="2026-11-25").changed  # in memory
    assert not store.learn(tuesday, batch="tue").changed
    assert store.forget(monday.where("t = 'cash prize'")).changed
    wrong = spark.createDataFrame([("ham", "spam", "prize giving")], "y string, right string, t string")
    assert store.relabel(wrong, old="y", new="right").changed
    with pytest.raises(StoreError, match="in no batch as a whole"):
        store.forget(monday.where("t = 'cash prize'"), again=True)
    store.promote(4)
    store.promote(5)
    assert store.rollback().version == 4
    store.promote(5)
    assert store.verify() == [1, 2, 3, 4, 5]
    assert {term for _, _, term, *_ in store.diff(4, 5).moved[:4]} == {"prize", "giving"}

    left = [("spam", "win cash now"), ("ham", "lunch at noon"), ("ham", "noon call"), ("spam", "prize giving")]
    expected = NaiveBayes("y", [Text("t")]).fit(spark.createDataFrame(left, "y string, t string"))
    texts = spark.createDataFrame([("cash at noon",), (None,), ("prize",)], "t string")
    rows = expected.transform(texts).collect()
    assert nbspark.load(MODEL, spark=spark).transform(texts).collect() == rows
    there = store.load().predict([row["t"] for row in rows]).to_pylist()
    assert there == [{name: row[name] for name in one} for row, one in zip(rows, there, strict=True)]

    (tmp_path / "thu.csv").write_text("y,t\nham,late lunch\n")
    learn = ["learn", "--documents", str(tmp_path / "thu.csv"), "--model", MODEL, "--batch", "thu"]
    assert main([*learn, "--date", "2026-11-26"]) == 0
    assert store.forget(batch="thu").changed
    store.promote(7)
    assert store.compact().changed
    assert store.vacuum(min_age=0).versions == (1, 2, 3, 4, 5, 6)
    store.verify()
    assert sorted(path.name for path in (lake / "m" / "versions").glob("*.json")) == ["00000007.json", "00000008.json"]
