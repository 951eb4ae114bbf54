"""The model on Spark: what comes in comes out, both plans agree, nothing is lost on the way to disk and back."""

from __future__ import annotations

import pandas as pd
import pytest
from chispa import assert_df_equality
from pyspark.sql import functions as F
from pyspark.sql import types as T

import nbspark
from nbspark import NaiveBayes, Text, local
from nbspark.errors import DocumentsError, PathError, SpecError, StoreError

ROWS = [
    ("spam", "Win cash", 1),
    ("spam", "win a prize", 2),
    ("ham", "lunch at noon", 3),
    ("ham", None, 4),
    (None, "cash", 5),
    ("ham", "caf\u00e9 \u0939\u093f\u0928\u094d\u0926\u0940", 6),
]
NB = NaiveBayes(label="label", features=[Text("body", ngrams=(1, 2))])


@pytest.fixture(scope="module")
def docs(spark):
    return spark.createDataFrame(ROWS, "label string, body string, id int")


@pytest.fixture(scope="module")
def model(docs):
    return NB.fit(docs)


def test_every_row_read_is_learned_or_unlabelled(model):
    assert model.rows["rows_read"] == len(ROWS)
    assert model.rows["unlabelled"] == 1
    assert model.rows["without_terms"] == 1
    assert model.class_docs == {"ham": 3, "spam": 2}


def test_both_plans_add_the_same_columns_to_the_same_rows(docs, model):
    asked = {"probabilities": True, "top_k": 2, "truth": "label"}
    broadcast = model.transform(docs, plan="broadcast", **asked)
    join = model.transform(docs, plan="join", **asked)
    added = ["prediction", "probability", "n_terms", "n_known", "probabilities", "top_k", "log_loss"]
    assert broadcast.columns == join.columns == [*docs.columns, *added]
    ours, theirs = ({row["id"]: row.asDict() for row in frame.collect()} for frame in (broadcast, join))
    assert len(ours) == len(ROWS)
    for key, row in ours.items():
        for name, value in row.items():
            same = pytest.approx(value) if name in ("probability", "probabilities", "log_loss") else value
            assert theirs[key][name] == same or name == "top_k", (key, name)
        assert [one["label"] for one in row["top_k"]] == [one["label"] for one in theirs[key]["top_k"]]


def test_thresholds_costs_and_version_are_the_same_in_both_plans_and_without_spark(docs, model, tmp_path):
    stored = model.save(tmp_path / "decided")
    asked = {"min_known": 1, "min_evidence": 3, "min_probability": 0.5, "min_margin": 0.2, "with_version": True}
    asked |= {"costs": {"ham": {"spam": 1}, "spam": {"ham": 1.5}}}
    ours, theirs = (
        stored.transform(docs, plan=plan, keep=["id"], **asked).orderBy("id").toPandas()
        for plan in ("broadcast", "join")
    )
    assert list(ours.columns[1:]) == ["prediction", "probability", "n_terms", "n_known", "reason", "model_version"]
    pd.testing.assert_frame_equal(ours, theirs)
    alone = local.load(tmp_path / "decided").predict([row[1] for row in ROWS], **asked).to_pandas()
    pd.testing.assert_frame_equal(ours.drop(columns="id"), alone)
    assert set(ours["reason"]) == {None, "min_known", "min_evidence"}


def test_auto_is_broadcast_for_a_small_model_and_join_for_a_large_one(docs, model, monkeypatch):
    def is_join(frame):
        return "Join" in frame._jdf.queryExecution().analyzed().toString()

    assert not is_join(model.transform(docs))
    monkeypatch.setattr("nbspark.model.BROADCAST_PAIRS", 3)
    assert is_join(model.with_options(alpha=1.0).transform(docs))


def test_counts_and_predictions_are_the_same_for_any_partitioning(docs, model):
    for scattered in (docs.repartition(7), docs.repartition(1).orderBy(F.desc("id"))):
        again = NB.fit(scattered)
        assert_df_equality(again.counts, model.counts, ignore_row_order=True)


def test_ties_go_to_the_first_label_however_the_documents_lie(spark):
    docs = spark.createDataFrame([("foo", "they foo"), ("bar", "they bar")], "label string, body string")
    query = spark.createDataFrame([("they",), ("zzz",), ("",)], "body string")
    for scattered in (docs.repartition(1), docs.repartition(3), docs.orderBy("label")):
        tied = NB.fit(scattered)
        for plan in ("broadcast", "join"):
            rows = tied.transform(query.repartition(2), plan=plan).collect()
            assert [(row["prediction"], row["probability"]) for row in rows] == [("bar", 1 / 2)] * 3


def test_a_label_of_any_type_is_learned_as_one_text(spark):
    for kind, values in {"int": "1,2", "double": "1.0,2.0", "decimal(5,2)": "1.00,2.00", "string": "1,2"}.items():
        rows = spark.createDataFrame(
            [(value, f"w{value[0]}") for value in values.split(",")], "label string, body string"
        )
        assert NB.fit(rows.withColumn("label", F.col("label").cast(kind))).labels == ["1", "2"]
    flags = spark.createDataFrame([(True, "a"), (False, "b")], "label boolean, body string")
    assert NB.fit(flags).labels == ["false", "true"]


def test_column_names_with_dots_blanks_and_backticks_work(spark, docs, model):
    odd = docs.toDF("the.label", "the `body`", "i d")
    spec = NaiveBayes(label="the.label", features=[Text("the `body`", ngrams=(1, 2))])
    odd_model = spec.fit(odd)
    for plan in ("broadcast", "join"):
        scored = odd_model.transform(odd, plan=plan, truth="the.label")
        assert scored.columns[:3] == odd.columns
        expected = model.transform(docs, truth="label")
        assert_df_equality(scored.toDF(*expected.columns), expected, ignore_row_order=True)


def test_columns_of_any_type_pass_through_scoring(spark, model):
    row = spark.range(1).select(
        F.lit("win cash").alias("body"),
        F.array(F.lit(1), F.lit(None)).alias("list"),
        F.create_map(F.lit("k"), F.lit(1.5)).alias("map"),
        F.struct(F.lit("x").alias("a.b"), F.current_date().alias("d")).alias("nested"),
        F.timestamp_seconds(F.lit(0)).alias("at"),
        F.lit(b"\x00\xff").alias("raw"),
        F.lit(None).alias("nothing"),
    )
    before = row.collect()[0].asDict()
    for plan in ("broadcast", "join"):
        after = model.transform(row, plan=plan).collect()[0].asDict()
        assert {name: after[name] for name in before} == before


def test_a_text_column_that_is_all_null_is_a_column_of_documents_without_terms(spark, model):
    rows = spark.range(3).select(F.lit(None).alias("body"))
    for plan in ("broadcast", "join"):
        found = model.transform(rows, plan=plan).collect()
        assert [(row["prediction"], row["n_terms"]) for row in found] == [("ham", 0)] * 3


def test_a_saved_model_is_the_same_model(tmp_path, docs, model):
    path = str(tmp_path / "model")
    model.save(path, batch="2026-11-29")
    loaded = nbspark.load(path)
    assert (loaded.spec.to_dict(), loaded.labels, loaded.rows) == (model.spec.to_dict(), model.labels, model.rows)
    assert_df_equality(loaded.transform(docs), model.transform(docs), ignore_row_order=True)


def test_learning_straight_to_disk_and_scoring_without_spark_give_the_same_numbers(tmp_path, docs, model):
    path = str(tmp_path / "model")
    NB.learn(docs, path)
    by_id = {row["id"]: row for row in model.transform(docs, top_k=2).collect()}
    local_rows = local.load(path).predict([body for _, body, _ in ROWS], top_k=2).to_pylist()
    for (_, _, key), row in zip(ROWS, local_rows, strict=True):
        assert (row["prediction"], row["probability"]) == (by_id[key]["prediction"], by_id[key]["probability"])
        assert row["top_k"] == [one.asDict() for one in by_id[key]["top_k"]]


def test_a_model_is_never_overwritten(tmp_path, docs, model):
    model.save(str(tmp_path / "model"))
    with pytest.raises(PathError, match="never overwritten"):
        model.save(str(tmp_path / "model"))
    with pytest.raises(PathError, match="never overwritten"):
        NB.learn(docs, str(tmp_path / "model"))


def test_a_training_that_learns_nothing_leaves_no_model_behind(tmp_path, docs):
    path = str(tmp_path / "model")
    for nothing, told in [
        (docs.where("label is null"), "no row has a label"),
        (docs.where("id = 4"), "no term and no number in any"),
    ]:
        with pytest.raises(DocumentsError, match=told):
            NB.fit(nothing)
        with pytest.raises(DocumentsError, match=told):
            NB.learn(nothing, path)
    NB.learn(docs, path)
    assert nbspark.load(path).labels == ["ham", "spam"]


def test_wrong_columns_are_named_with_what_was_found(spark, docs, model):
    with pytest.raises(DocumentsError, match=r"no column 'topic', 'text' .*found \['label', 'body', 'id'\]"):
        NaiveBayes(label="topic", features=[Text("text")]).fit(docs)
    with pytest.raises(DocumentsError, match="column 'id' is int; a text feature wants text"):
        NaiveBayes(label="label", features=[Text("id")]).fit(docs)
    with pytest.raises(DocumentsError, match="the label column 'tags' is array<string>"):
        NaiveBayes(label="tags", features=[Text("body")]).fit(docs.withColumn("tags", F.array("body")))
    with pytest.raises(DocumentsError, match=r"no column 'body'"):
        model.transform(docs.drop("body"))
    with pytest.raises(DocumentsError, match=r"already \['Prediction'\]"):
        model.transform(docs.withColumn("Prediction", F.lit(1)))
    with pytest.raises(DocumentsError, match=r"no column 'truth'"):
        model.transform(docs, truth="truth")
    with pytest.raises(SpecError, match="plan='fast' is not one of"):
        model.transform(docs, plan="fast")


def test_load_says_what_is_wrong_with_a_path(tmp_path, spark):
    with pytest.raises(StoreError, match=r"is not a model: no spec\.json in it; found no such folder"):
        nbspark.load(str(tmp_path / "none"))


def test_the_schema_of_the_counts_is_the_stated_one(model):
    kinds = [(field.name, type(field.dataType)) for field in model.counts.schema]
    doubles = [(name, T.DoubleType) for name in ("n_tokens", "n_docs", "mean", "m2", "mean_rest", "m2_rest")]
    assert kinds == [*((name, T.StringType) for name in ("label", "feature", "term")), *doubles]


@pytest.fixture(scope="module")
def kept(spark):
    """Return documents with a column that no model reads, and a model of them."""
    rows = [(1, "a", "x y", 0.5), (2, "b", "z", 1.5), (3, "a", None, None)]
    docs = spark.createDataFrame(rows, "id int, label string, text string, other double")
    return docs, NaiveBayes(label="label", features=[Text("text")]).fit(docs)


@pytest.mark.parametrize("plan", ["broadcast", "join"])
def test_only_columns_that_are_kept_come_back_with_the_same_predictions(kept, plan):
    docs, model = kept
    everything = model.transform(docs, plan=plan, truth="label")
    few = model.transform(docs, plan=plan, truth="label", keep=["id"])
    assert few.columns == ["id", *everything.columns[4:]]
    expected = [tuple(row) for row in everything.select(few.columns).orderBy("id").collect()]
    assert [tuple(row) for row in few.orderBy("id").collect()] == expected
    assert model.transform(docs, plan=plan, keep=[]).columns == everything.columns[4:-1]
    with pytest.raises(DocumentsError, match=r"no column 'what' \(asked for by keep\)"):
        model.transform(docs, plan=plan, keep=["what"])


def test_auto_sends_a_small_model_to_the_workers_joins_a_large_one_and_says_why(docs, model, monkeypatch, caplog):
    caplog.set_level("INFO", logger="nbspark")
    n_pairs = model.rows["n_pairs"]
    for limit, plan in ((n_pairs, "broadcast"), (n_pairs - 1, "join")):
        monkeypatch.setattr("nbspark.model.BROADCAST_PAIRS", limit)
        assert model.with_options().choose_plan() == plan
        assert caplog.messages[-1] == f"plan {plan} (asked for: auto): {n_pairs} pairs, broadcast up to {limit}"


@pytest.mark.parametrize("limit", [0, 10_000_000])
def test_a_fitted_model_is_saved_as_it_was_learned_whatever_its_size(docs, tmp_path, monkeypatch, limit):
    monkeypatch.setattr("nbspark.model.BROADCAST_PAIRS", limit)
    fitted = NB.fit(docs)
    saved = fitted.save(tmp_path / "saved")
    learned = NB.learn(docs, tmp_path / "learned")
    assert (saved.version, saved.path, fitted.path) == (1, str(tmp_path / "saved"), None)
    assert saved.rows == learned.rows
    assert_df_equality(nbspark.load(tmp_path / "saved").counts, learned.counts, ignore_row_order=True)


def test_fit_leaves_nothing_in_the_cache_of_spark(spark, docs):
    before = set(spark.sparkContext._jsc.getPersistentRDDs().keySet())  # other tests keep frames of theirs
    NB.fit(docs).log_likelihoods().collect()
    assert set(spark.sparkContext._jsc.getPersistentRDDs().keySet()) <= before


def test_a_given_prior_that_does_not_fit_the_classes_leaves_no_model_behind(docs, tmp_path):
    wrong = NaiveBayes("label", [Text("body")], prior={"spam": 0.5, "eggs": 0.5})
    with pytest.raises(SpecError, match="the given prior lacks the classes"):
        wrong.learn(docs, tmp_path / "model")
    with pytest.raises(SpecError, match="the given prior lacks the classes"):
        wrong.fit(docs)
    assert not (tmp_path / "model" / "versions").exists()


def test_pandas_given_to_fit_is_said_to_be_pandas():
    with pytest.raises(DocumentsError, match=r"want a Spark DataFrame, found pandas.DataFrame. Pass spark.createData"):
        NB.fit(pd.DataFrame({"label": ["spam"], "body": ["win"]}))


def test_a_model_says_what_it_is(model):
    assert repr(model).startswith("<Model of 'label': ")
    assert repr(model).endswith("(label, term) pairs, not saved>")
