"""A model may have any name and lie at a path of either kind: it is never looked up as a pattern."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import nbspark
from nbspark import NaiveBayes, Text, local
from nbspark.errors import PathError
from nbspark.files.hadoop import HadoopFiles
from nbspark.spec import Spec
from tests.builders import count_rows, documents, store_model

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPEC = Spec("label", (Text("body"),))
NAMES = {"[ab]": "a", "{a,b}": "b", "a[1]": "a1", "st*r": "star", "back\\slash": "backslash"}
# What a pattern would find as well: counts that say the opposite.
MODEL, NEIGHBOUR = (
    count_rows(SPEC, [documents(labels, ["win", "lunch"])]) for labels in (["spam", "ham"], ["ham", "spam"])
)


@pytest.fixture(params=NAMES)
def named(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a model with an odd name, beside one that the name would match as a pattern, and a name with a colon."""
    store_model(tmp_path / NAMES[request.param], SPEC, NEIGHBOUR, n_pairs=2)
    (tmp_path / "co:lon").mkdir()  # in a folder with such a name Hadoop fails at every pattern
    return Path(store_model(tmp_path / request.param, SPEC, MODEL, n_pairs=2).root)


def test_a_model_whose_name_is_a_pattern_is_read_by_that_name_in_both_plans(spark: SparkSession, named: Path) -> None:
    docs = spark.createDataFrame([("win",)], "body string")
    for path in (named, f"file:{named}"):
        counts = nbspark.load(path).counts.where("label = 'spam' and term is not null").collect()
        assert [(row["term"], row["n_tokens"]) for row in counts] == [("win", 1.0)]
    for plan in ("broadcast", "join"):
        [row] = nbspark.load(named).transform(docs, plan=plan).collect()
        # P(win | spam) : P(win | ham) with 2 terms
        assert (row["prediction"], row["probability"]) == ("spam", pytest.approx((1 + 1) / (1 + 2) / (2 / 3 + 1 / 3)))
    assert local.load(named).predict(["win"])["prediction"].to_pylist() == ["spam"]


@pytest.mark.parametrize("name", ["co:lon", "#1 ?x=%20", "{a,b}"])
def test_a_model_of_any_name_is_learned_and_scored_with_in_both_plans(
    spark: SparkSession, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = spark.createDataFrame([("spam", "win win"), ("ham", "lunch"), ("ham", None)], "label string, body string")
    learned = NaiveBayes("label", [Text("body")]).learn(docs, tmp_path / name)
    with monkeypatch.context() as patch:  # as where the disk is not this machine's own, and Spark writes the counts
        patch.setattr("nbspark.estimator.files_for", lambda path, session: HadoopFiles(session, "file:/"))
        patch.setattr("nbspark.model.files_for", lambda path, session: HadoopFiles(session, "file:/"))
        written = NaiveBayes("label", [Text("body")]).learn(docs, f"file:{tmp_path}/lake/{name}")
        written = nbspark.load(written.path)
    for model in (learned, written):
        for plan in ("broadcast", "join"):
            rows = model.transform(docs, plan=plan).orderBy("label", "body").collect()
            assert [row["prediction"] for row in rows] == ["ham", "ham", "spam"]


def test_paths_of_both_kinds_are_taken_wherever_a_model_is_named(spark: SparkSession, tmp_path: Path) -> None:
    file = tmp_path / "spec.toml"
    file.write_text('label = "label"\n[[features]]\nkind = "text"\ncolumn = "body"\n', encoding="utf-8")
    docs = spark.createDataFrame([("spam", "win"), ("ham", "lunch")], "label string, body string")
    for kind in (Path, str):
        spec = NaiveBayes.from_file(kind(file))
        learned = spec.learn(docs, kind(tmp_path / f"learned-{kind.__name__}"))
        saved = spec.fit(docs).save(kind(tmp_path / f"saved-{kind.__name__}"))
        for model in (learned, saved):
            assert nbspark.load(kind(model.path)).labels == local.load(kind(model.path)).labels == ["ham", "spam"]
    assert (tmp_path / "learned-Path" / "spec.json").read_bytes() == (tmp_path / "saved-str" / "spec.json").read_bytes()


def test_a_path_that_lost_a_slash_of_its_uri_or_is_none_is_refused(spark: SparkSession) -> None:
    for load in (nbspark.load, local.load):
        with pytest.raises(PathError, match=r"a pathlib.Path is for this machine's files only. Pass the URI as text"):
            load(Path("s3a://bucket/news"))
        for wrong in ("", b"models/news", "models/\0news"):
            with pytest.raises(PathError, match="is no path"):
                load(wrong)
