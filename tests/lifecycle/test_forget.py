"""Forgetting documents that came in several batches: each from a batch that holds it, all of them or none."""

from __future__ import annotations

import pytest

from nbspark import Numeric, Spec, Text, local
from nbspark.errors import StoreError
from nbspark.lifecycle import forget as forgetting
from nbspark.model_store import ModelStore
from tests.lifecycle.test_histories import counts_of

SPEC = Spec("y", (Text("t"),))


def mails(*texts: str | None, label: str | None = "spam") -> dict[str, list]:
    return {"y": [label] * len(texts), "t": list(texts)}


def store_of(path, *batches: dict[str, list], spec: Spec = SPEC) -> ModelStore:
    local.train(spec, batches[0], path, batch="0")
    for i, batch in enumerate(batches[1:], 1):
        local.learn(path, batch, batch=str(i), again=True)
    return ModelStore(path)


def assert_batches(model: ModelStore, *batches: dict[str, list]) -> None:
    """Assert that the batches of a model have the counts of documents, by what a window leaves of both."""
    anew = store_of(f"{model.store.root}-anew", *batches)
    for last in range(len(batches), 0, -1):
        for store in (model, anew):
            store.window(last=last)
        assert counts_of(model) == counts_of(anew)


def test_each_document_comes_from_its_own_batch(tmp_path):
    model = store_of(tmp_path / "m", mails("win cash", "rare"), mails("noon", "call"), mails("other"))
    found = model.forget(mails("call", "rare"))
    assert found.version.version == 4
    assert [one.batch for one in found.version.batches] == ["0", "1", "2"]
    assert_batches(model, mails("win cash"), mails("noon"), mails("other"))


def test_a_batch_of_which_nothing_is_left_goes(tmp_path):
    model = store_of(tmp_path / "m", mails("win cash", "rare"), mails("noon"))
    model.forget(mails("noon", "rare"))
    assert_batches(model, mails("win cash"))


def test_a_document_that_only_one_batch_can_give_back_comes_before_one_that_two_can(tmp_path):
    # "a c" could be of the newer batch by its counts: then "a b" would be in none.
    model = store_of(tmp_path / "m", mails("a c", "old"), mails("a b", "c d"))
    model.forget(mails("a c", "a b"))
    assert_batches(model, mails("old"), mails("c d"))


def test_no_batch_is_left_with_a_term_in_more_documents_than_there_are(tmp_path):
    # Without "a b" the newer batch would have two documents with "t" of one.
    model = store_of(tmp_path / "m", mails("a b", "old"), mails("t a", "t b"))
    model.forget(mails("a b"))
    assert_batches(model, mails("old"), mails("t a", "t b"))


def test_no_batch_gives_back_a_number_that_cannot_have_been_in_it(tmp_path):
    spec = Spec("y", (Numeric("x"),))
    old, new = {"y": ["a", "a"], "x": [7.0, 900.0]}, {"y": ["a", "a"], "x": [1.0, 2.0]}
    model = store_of(tmp_path / "m", old, new, spec=spec)
    # Either batch has as many documents, but {7, 900} without 900 and 1 would be numbers with a square and no count.
    model.forget({"y": ["a", "a"], "x": [900.0, 1.0]})
    assert counts_of(model)["a", "x", None][:4] == (0.0, 2.0, 4.5, 12.5)  # 7 and 2
    model.window(last=1)
    assert counts_of(model)["a", "x", None][:4] == (0.0, 1.0, 2.0, 0.0)


def test_relabelled_documents_stay_in_their_batch_and_one_without_a_label_joins_the_newest(tmp_path):
    model = store_of(tmp_path / "m", mails("win cash", "rare"), mails("noon", "call"))
    moved = {"y": ["spam", "spam", None], "right": ["ham"] * 3, "t": ["rare", "call", "new one"]}
    model.relabel(moved, old="y", new="right")
    ham, late = mails("rare", label="ham"), mails("call", "new one", label="ham")
    joined = [
        {key: one[key] + other[key] for key in one} for one, other in ((mails("win cash"), ham), (mails("noon"), late))
    ]
    assert_batches(model, *joined)


def test_a_request_is_refused_as_a_whole(tmp_path, monkeypatch):
    model = store_of(tmp_path / "m", mails("win cash", "rare"), mails("noon"), mails("a b", label="ham"))
    for documents, told in (
        (mails("rare", "noon", "noon xylophone"), "'noon' in 'spam', 'xylophone' in 'spam' would fall below zero"),
        (mails("rare", "noon", "a", "b", label="ham"), "'a' in 'ham'|'rare' in 'ham'"),
        (mails("win noon"), r"1 of 1 documents are in no batch as a whole.*nbspark model compact"),
    ):
        with pytest.raises(StoreError, match=f"{told}.*Nothing was changed"):
            model.forget(documents)
    monkeypatch.setattr(forgetting, "MOST_DOCUMENTS", 1)
    with pytest.raises(
        StoreError, match="no single batch holds these 2 documents, and up to 1 are looked for one by one"
    ):
        model.forget(mails("rare", "noon"))
    assert model.store.versions() == [1, 2, 3]
    assert len(model.store.files.names(f"{model.store.root}/batches")) == 3
    assert model.forget(mails("rare", label=None)).why == "no document has a label"


def test_documents_of_spark_come_from_several_batches_too(spark, tmp_path):
    of_spark = "y string, right string, t string"
    batches = mails("win cash", "rare", "left"), mails("noon", "call", "over")
    one, other = (store_of(tmp_path / name, *batches) for name in ("one", "other"))
    gone = spark.createDataFrame([("spam", None, "call"), ("spam", None, "rare"), (None, None, "x")], of_spark)
    moved = spark.createDataFrame([("spam", "ham", "noon"), ("spam", "ham", "win cash")], of_spark)
    assert one.forget(gone).changed
    assert one.relabel(moved, old="y", new="right").changed
    other.forget(mails("call", "rare"))
    other.relabel(mails("noon", "win cash") | {"right": ["ham"] * 2}, old="y", new="right")
    assert [batch.holds[0].batch for batch in one.version().batches] == ["0", "1"]
    for store in (one, other, one, other):
        if store.version().version > 4:
            store.window(last=1)
    assert counts_of(one) == counts_of(other)
