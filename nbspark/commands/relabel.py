"""Take documents from one label to another, in one version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark.commands.arguments import add_documents, source_of
from nbspark.commands.changing import check_change, documents_of_model, outcome_report, print_outcome
from nbspark.commands.reports import timed

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import SparkSession


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_documents(parser)
    parser.add_argument("--model", required=True, metavar="DIR", help="a model's folder")
    parser.add_argument("--from", dest="old", required=True, metavar="COLUMN", help="the label that was learned")
    parser.add_argument("--to", dest="new", required=True, metavar="COLUMN", help="the label that is right")
    parser.add_argument(
        "--again", action="store_true", help="do it once more although the newest version was made by just that"
    )


def check(args: argparse.Namespace) -> None:
    """Raise what can be told before Spark starts."""
    check_change(args, documents=True, labels=[args.old, args.new])


def run(spark: SparkSession, args: argparse.Namespace, seconds: dict[str, float]) -> dict[str, Any]:
    """Relabel, publish, print a summary and return the report."""
    from nbspark.model_store import ModelStore

    store = ModelStore(args.model, spark=spark)
    with timed(seconds, "read"):
        documents = documents_of_model(spark, args, store, labels=[args.old, args.new])
    with timed(seconds, "relabel"):
        outcome = store.relabel(documents, old=args.old, new=args.new, again=args.again)
    report = {"documents": source_of(args)} | outcome_report(args, outcome)
    print_outcome(report | {"seconds": seconds})
    return report
