"""A model's life by ``nbspark.local``: the counts of Spark, whatever holds the documents, and nothing half done."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

from nbspark import Categorical, NaiveBayes, Numeric, Spec, Terms, Text, local
from nbspark.errors import DocumentsError, PathError, SpecError, StoreError
from nbspark.model_store import ModelStore
from tests.lifecycle.test_histories import counts_of

SPEC = Spec("y", (Text("t"),))
MAILS = {"y": ["spam", "ham", None], "t": ["win cash now", "lunch at noon", "not labelled"]}
ROWS = [dict(zip(MAILS, row, strict=True)) for row in zip(*MAILS.values(), strict=True)]
EVERY_KIND = [MAILS, ROWS, pa.table(MAILS), pd.DataFrame(MAILS)]


@pytest.fixture
def path(tmp_path) -> str:
    local.train(SPEC, MAILS, tmp_path / "m", batch="mon", date="2026-11-23")
    return str(tmp_path / "m")


def test_counts_are_those_of_spark_bit_for_bit_and_either_goes_on(spark, tmp_path):
    texts = Text("t", ngrams=(1, 2), stop_words="en")
    spec = NaiveBayes("y", [texts, Categorical("c"), Numeric("x"), Terms("n")], weight="w")
    mails = {
        "y": ["spam", "ham", "spam", None, "ham"],
        "t": ["win the cash now", "lunch at noon, LUNCH", "", "not labelled", None],
        "c": [1.0, None, 2.5, 1.0, 1.0],
        "x": [0.1, 0.2, float("nan"), 4.0, 0.3],
        "n": [{"a": 0.1, "b": 2.0}, None, {"a": 0.2}, {"c": 1.0}, {}],
        "w": [0.1, 0.2, 1.0, 3.0, 0.7],
    }
    of_spark = "y string, t string, c double, x double, n map<string, double>, w double"
    rows = [tuple(row) for row in zip(*mails.values(), strict=True)]
    spec.learn(spark.createDataFrame(rows, of_spark).coalesce(1), tmp_path / "spark", batch="1")
    local.train(spec, mails, tmp_path / "local", batch="1")
    one, other = ModelStore(tmp_path / "spark"), ModelStore(tmp_path / "local")
    assert one.spec == other.spec
    assert counts_of(one) == counts_of(other)
    assert one.version().rows == other.version().rows
    assert one.version().batches[0].holds == other.version().batches[0].holds  # the fingerprint, too
    # A model that Spark began goes on without it.
    assert not local.learn(tmp_path / "spark", mails, batch="1").changed
    assert local.learn(tmp_path / "spark", mails, batch="2", again=True).changed
    assert local.forget(tmp_path / "spark", mails).changed
    assert counts_of(one) == counts_of(other)


@pytest.mark.parametrize("documents", EVERY_KIND, ids=lambda one: type(one).__name__)
def test_documents_are_the_same_whatever_holds_them(path, documents):
    again = local.learn(path, documents, batch="mon")
    assert (again.changed, again.why) == (False, "batch 'mon' is already learned")
    first = counts_of(ModelStore(path))
    assert local.learn(path, documents, batch="tue", again=True).version.version == 2
    assert local.forget(path, documents).version.version == 3
    assert counts_of(ModelStore(path)) == first


def test_a_corrected_mail_moves_between_labels(path):
    wrong = [{"y": "spam", "right": "ham", "t": "win cash now"}]
    assert local.relabel(path, wrong, old="y", new="right").version.change["kind"] == "relabel"
    assert local.load(path).labels == ["ham"]
    assert local.load(path).predict(ROWS)["prediction"].to_pylist() == ["ham"] * 3


def test_what_cannot_be_a_model_leaves_nothing(tmp_path):
    path = tmp_path / "m"
    for documents, spec, error, told in (
        (["cash"], SPEC, DocumentsError, "a list of mappings, an Arrow table or a pandas frame, found builtins.list"),
        ([], SPEC, DocumentsError, "found builtins.list"),
        ([{"t": "cash"}], SPEC, DocumentsError, r"no column \['y'\]; found \['t'\]"),
        ({"y": ["a"], "t": [1]}, SPEC, DocumentsError, "column 't' is int64; a text feature wants text"),
        ({"y": ["a"], "t": ["b", "c"]}, SPEC, DocumentsError, "no table can be made of the columns"),
        ({"y": ["a", 1], "t": ["b", "c"]}, SPEC, DocumentsError, "no table can be made of the columns"),
        ({"y": [None], "t": ["b"]}, SPEC, DocumentsError, "no row has a label"),
        (
            {"y": ["a"], "x": ["1"], "c": [[1]], "n": [1], "w": [1]},
            Spec("y", [Numeric("x"), Categorical("c"), Terms("n")]),
            DocumentsError,
            "'x' is string; a numeric .*'c' is list<.*>; a categorical .*'n' is int64; a terms feature wants an array",
        ),
        (
            {"y": ["a"], "t": ["b"], "w": ["1"]},
            Spec("y", [Text("t")], weight="w"),
            DocumentsError,
            "weight is a number",
        ),
        (MAILS, Spec("y", [Text("t")], prior={"spam": 1.0}), SpecError, "ham"),
    ):
        with pytest.raises(error, match=told):
            local.train(spec, documents, path)
        assert not path.exists()
    with pytest.raises(StoreError, match="batch id 'a b'"):
        local.train(SPEC, MAILS, path, batch="a b")
    with pytest.raises(StoreError, match="date 'monday'"):
        local.train(SPEC, MAILS, path, date="monday")
    with pytest.raises(StoreError, match="is not a model"):
        local.learn(path, MAILS, batch="tue")
    assert not path.exists()
    local.train(SPEC, MAILS, path)
    with pytest.raises(PathError, match="never overwritten"):
        local.train(SPEC, MAILS, path)


def test_text_may_come_as_codes(path):
    coded = pa.table({"y": ["ham"], "t": pa.array(["noon call"]).dictionary_encode()})
    local.learn(path, coded, batch="tue")
    assert not local.learn(path, {"y": ["ham"], "t": pa.array(["noon call"], pa.large_string())}, batch="tue").changed
