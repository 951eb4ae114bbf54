"""Subtract documents, or a whole batch, from a model: exactly, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark.commands.arguments import add_documents, source_of
from nbspark.commands.changing import check_change, documents_of_model, outcome_report, print_outcome
from nbspark.commands.reports import timed
from nbspark.errors import DocumentsError

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import SparkSession


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_documents(parser, required=False)
    parser.add_argument("--batch", metavar="ID", help="in place of documents: everything that this batch brought")
    parser.add_argument("--model", required=True, metavar="DIR", help="a model's folder")
    parser.add_argument(
        "--again", action="store_true", help="subtract them once more although the newest version did just that"
    )


def check(args: argparse.Namespace) -> None:
    """Raise what can be told before Spark starts."""
    if bool(args.documents or args.table) == bool(args.batch):
        raise DocumentsError("say what to forget: either --documents PATH (or --table NAME), or --batch ID.")
    check_change(args, documents=not args.batch)


def needs_spark(args: argparse.Namespace) -> bool:
    """Say whether there are documents to count."""
    return not args.batch


def run(spark: SparkSession | None, args: argparse.Namespace, seconds: dict[str, float]) -> dict[str, Any]:
    """Forget, publish, print a summary and return the report."""
    from nbspark.model_store import ModelStore

    store = ModelStore(args.model, spark=spark)
    if spark is None:
        with timed(seconds, "forget"):
            outcome = store.forget(batch=args.batch)
        report: dict[str, Any] = {"batch": args.batch}
    else:
        with timed(seconds, "read"):
            documents = documents_of_model(spark, args, store)
        with timed(seconds, "forget"):
            outcome = store.forget(documents, again=args.again)
        report = {"documents": source_of(args)}
    report |= outcome_report(args, outcome)
    print_outcome(report | {"seconds": seconds})
    if outcome.changed:
        print("older versions still hold what was forgotten: nbspark model vacuum removes those that no alias names")
    return report
