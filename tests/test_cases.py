"""What public bug reports of other tools tell, end to end: files in, a model, predictions, metrics.

The readers, the tokenizer and the kernels have the same facts as tests of their own.
"""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark import TaskContext
from pyspark.sql import functions as F

from nbspark import NaiveBayes, Text, local
from nbspark.cli import main
from nbspark.commands.scored import count_rows
from nbspark.evaluation.frame import evaluate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("compiled")

# 2 is never right and 10 always is, so a label that changes its text changes the confusion table.
LABELS = [1, 1, 2, 10, 10, None]
TEXTS = ["win cash", "win", "lunch", "lunch noon", "lunch noon", "win"]
PAIRS = [("1", "1", 2), ("10", "10", 2), ("2", "10", 1)]


def run(*argv: Any) -> None:
    assert main([str(one) for one in argv]) == 0


def train(documents: Path, model: Path, *more: Any) -> local.LocalModel:
    """Train by the command on ``label`` and ``text``; return the model without Spark."""
    run("train", "--documents", documents, "--label", "label", "--text", "text", "--model", model, *more)
    return local.load(str(model))


def evaluated(documents: Path, model: Path, out: Path, *more: Any) -> dict[str, Any]:
    """Score and evaluate by the commands; return the metrics."""
    run("score", "--documents", documents, "--model", model, "--label", "label", "--output", out, *more)
    run("evaluate", "--predictions", out, "--label", "label", "--output", f"{out}.json")
    return json.loads(out.with_name(f"{out.name}.json").read_text(encoding="utf-8"))


def pairs(metrics: dict[str, Any]) -> list[tuple[str, str, int]]:
    return [(pair["label"], pair["prediction"], pair["n_docs"]) for pair in metrics["pairs"]]


def write_csv(path: Path, labels: list[Any], texts: list[str | None] = TEXTS) -> Path:
    """Write rows without quotes, null as the empty field."""
    rows = [f"{'' if label is None else label},{text or ''}" for label, text in zip(labels, texts, strict=True)]
    path.write_text("\n".join(["label,text", *rows, ""]), encoding="utf-8")
    return path


def write_json(path: Path, labels: list[Any], texts: list[str | None]) -> Path:
    rows = [json.dumps({"label": label, "text": text}) for label, text in zip(labels, texts, strict=True)]
    path.write_text("\n".join([*rows, ""]), encoding="utf-8")
    return path


def write_parquet(path: Path, labels: list[Any], kind: pa.DataType) -> Path:
    pq.write_table(pa.table({"label": pa.array(labels, kind), "text": TEXTS}), path)
    return path


def test_folder_names_are_the_labels(spark, tmp_path):
    names = ["01", "1", "2", "1e3", "1d", "1.0", "-0", "2024-01-01", "00:30:00", "null", "spam%20ham"]
    for name in names:
        folder = tmp_path / "in" / f"label={name}"
        folder.mkdir(parents=True)
        (folder / "a.csv").write_text("text\nwin\n", encoding="utf-8")
    model = train(tmp_path / "in", tmp_path / "model", "--format", "csv")
    assert model.labels == sorted([*names[:-1], "spam ham"])


def test_codes_stay_text_as_labels_and_as_categories(spark, tmp_path):
    codes = ["000123", "123", "NA", "true", "1.10", "1.1"]
    file = tmp_path / "docs.csv"
    file.write_text("label,code\n" + "".join(f"{code},{code}\n" for code in codes) + "NA,\n", encoding="utf-8")
    spec, model, report = (tmp_path / name for name in ("spec.toml", "model", "report.json"))
    spec.write_text("label = 'label'\n[[features]]\nkind = 'categorical'\ncolumn = 'code'\n", encoding="utf-8")
    run("train", "--documents", file, "--spec", spec, "--model", model, "--report", report)
    found = json.loads(report.read_text(encoding="utf-8"))
    assert found["classes"] == dict.fromkeys(codes, 1) | {"NA": 2}
    assert found["n_terms"] == {"code": 6}
    assert found["rows"]["missing"] == {"code": 1}


@pytest.fixture(scope="module")
def numbered(spark, tmp_path_factory) -> Path:
    """Train on labels that CSV has as text."""
    folder = tmp_path_factory.mktemp("numbered")
    train(write_csv(folder / "docs.csv", LABELS), folder / "model")
    return folder / "model"


@pytest.mark.parametrize("kind", ["csv", "int", "double", "decimal", "json"])
def test_what_was_learned_from_csv_is_evaluated_alike_in_every_format(tmp_path, numbered, kind):
    if kind == "csv":
        documents = write_csv(tmp_path / "docs.csv", LABELS)
    elif kind == "json":
        documents = write_json(tmp_path / "docs.json", [1, 1.0, 2, 10.0, 10, None], TEXTS)
    else:
        types = {"int": pa.int32(), "double": pa.float64(), "decimal": pa.decimal128(5, 2)}
        labels = [label if label is None or kind != "decimal" else Decimal(label) for label in LABELS]
        documents = write_parquet(tmp_path / "docs.parquet", labels, types[kind])
    metrics = evaluated(documents, numbered, tmp_path / "out")
    assert (pairs(metrics), metrics["n_unlabelled"]) == (PAIRS, 1)
    assert metrics["n_log_loss"] == 5  # every label is one that the model knows


def test_what_was_learned_from_doubles_and_booleans_is_evaluated_alike_in_csv(spark, tmp_path):
    model = train(write_parquet(tmp_path / "a.parquet", LABELS, pa.float64()), tmp_path / "numbers")
    assert model.labels == ["1", "10", "2"]
    assert pairs(evaluated(write_csv(tmp_path / "a.csv", LABELS), tmp_path / "numbers", tmp_path / "out-a")) == PAIRS

    flags = [True, True, False, False, False, None]
    model = train(write_parquet(tmp_path / "b.parquet", flags, pa.bool_()), tmp_path / "flags")
    assert model.labels == ["false", "true"]
    as_text = write_csv(tmp_path / "b.csv", ["true", "true", "false", "false", "false", None])
    metrics = evaluated(as_text, tmp_path / "flags", tmp_path / "out-b")
    assert pairs(metrics) == [("false", "false", 3), ("true", "true", 2)]


@pytest.fixture(scope="module")
def few_terms(spark, tmp_path_factory) -> Path:
    """Train on documents of which most have no term."""
    folder = tmp_path_factory.mktemp("few")
    learned = write_json(
        folder / "docs.json",
        ["spam", "spam", "spam", "spam", "ham"],
        ["win cash", "", None, "  !!! ", "lunch noon"],
    )
    train(learned, folder / "model")
    return folder / "model"


@pytest.mark.parametrize("plan", ["broadcast", "join"])
def test_documents_without_terms_count_for_the_prior_and_come_back(spark, tmp_path, few_terms, plan):
    asked = write_json(tmp_path / "new.json", list("abcd"), ["", None, "???", "cash lunch"])
    run("score", "--documents", asked, "--model", few_terms, "--output", tmp_path / "out", "--plan", plan)
    rows = spark.read.parquet(str(tmp_path / "out")).orderBy("label").collect()
    # Each class has one of the two words and two tokens, so the prior decides: 4/5.
    assert [(row["text"], row["prediction"], row["n_terms"], row["n_known"]) for row in rows] == [
        ("", "spam", 0, 0),
        (None, "spam", 0, 0),
        ("???", "spam", 0, 0),
        ("cash lunch", "spam", 2, 2),
    ]
    assert [row["probability"] for row in rows] == pytest.approx([4 / 5] * 4, abs=1e-15)


def test_long_documents_are_neither_certain_nor_capped(spark, tmp_path):
    train(write_csv(tmp_path / "a.csv", ["spam", "ham"], ["win win cash", "lunch noon lunch"]), tmp_path / "model")
    texts = ["win " * 2501 + "lunch " * 2500, "win " * 1000]
    metrics = evaluated(write_csv(tmp_path / "b.csv", ["spam", "ham"], texts), tmp_path / "model", tmp_path / "out")
    assert pairs(metrics) == [("ham", "spam", 1), ("spam", "spam", 1)]
    # "win" has (2 + 1) / (3 + 4) in spam and 1 / (3 + 4) in ham: one "win" more than "lunch" makes 3 to 1, and
    # ln P(ham) = -ln(1 + 3^1000), to more digits than a double has -1000 ln 3.
    assert metrics["log_loss"] == pytest.approx((math.log(4 / 3) + 1000 * math.log(3)) / 2, abs=1e-6)
    assert metrics["log_loss"] == pytest.approx((0.287682 + 1098.612289) / 2, abs=1e-6)


def facts_of(documents: Any) -> dict[str, Any]:
    """Return every figure that learning, scoring by both plans and evaluating report, and every row."""
    nb = NaiveBayes(label="label", features=[Text("text", ngrams=(1, 2))])
    model = nb.fit(documents)
    counts = model.counts.toArrow().sort_by([(name, "ascending") for name in ("feature", "term", "label")])
    facts: dict[str, Any] = {"rows": model.rows, "classes": model.class_docs, "counts": counts}
    for plan in ("broadcast", "join"):
        predictions = model.transform(documents, plan=plan, top_k=2, truth="label").persist()
        facts[plan] = predictions.toArrow().sort_by("id")
        facts[f"{plan} report"] = count_rows(predictions, model)
        facts[f"{plan} metrics"] = evaluate(predictions, label="label").to_dict()
        predictions.unpersist()
    return facts


@pytest.fixture
def larger_batches(spark) -> Iterator[None]:
    """Let 10,000 rows be a few batches a task, not thousands."""
    key = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = spark.conf.get(key)
    spark.conf.set(key, 500)
    yield
    spark.conf.set(key, before)


def test_tasks_that_run_twice_change_no_bit(spark, tmp_path, larger_batches):
    # 10,000 rows: labels of unequal size, null labels, null texts, words that repeat.
    number = F.col("id")
    documents = spark.range(0, 10_000, 1, 7).select(
        "id",
        F.when(number % 11 != 0, F.concat(F.lit("c"), (number % 3).cast("string"))).alias("label"),
        F.when(
            number % 13 != 0,
            F.concat_ws(" ", *((number * k % m).cast("string") for k, m in ((1, 3), (7, 101), (31, 499), (1, 7)))),
        ).alias("text"),
    )

    def fail_once(batches):
        """Pass the batches on, but let the first attempt of one task die on the way; its worker starts anew."""
        task = TaskContext.get()
        for i, batch in enumerate(batches):
            yield batch
            if i == 1 and task.partitionId() == 3 and task.attemptNumber() == 0:
                (tmp_path / str(task.taskAttemptId())).touch()
                raise RuntimeError("the first attempt dies")

    clean = facts_of(documents)
    again = facts_of(documents.mapInArrow(fail_once, documents.schema))
    assert len(list(tmp_path.iterdir())) == 3  # while learning and in both plans
    assert clean["rows"]["rows_read"] == 10_000
    assert clean["broadcast report"]["rows"]["scored"] == 10_000
    assert sorted(clean) == sorted(again)
    for name, fact in clean.items():
        assert again[name] == fact, name
