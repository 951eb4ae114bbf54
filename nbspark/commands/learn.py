"""Add a batch of labelled documents to a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark.commands.arguments import add_documents, source_of
from nbspark.commands.changing import add_batch, check_change, documents_of_model, outcome_report, print_outcome
from nbspark.commands.common import print_warnings
from nbspark.commands.reports import timed

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import SparkSession


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_documents(parser)
    add_batch(parser)


def check(args: argparse.Namespace) -> None:
    """Raise what can be told before Spark starts."""
    from nbspark.store.learned import require_date

    require_date(args.date)
    check_change(args, documents=True)


def run(spark: SparkSession, args: argparse.Namespace, seconds: dict[str, float]) -> dict[str, Any]:
    """Learn, publish, print a summary and return the report."""
    from nbspark.commands.advice import MANY_UNDECODABLE
    from nbspark.model_store import ModelStore

    store = ModelStore(args.model, spark=spark)
    with timed(seconds, "read"):
        documents = documents_of_model(spark, args, store)
    with timed(seconds, "learn"):
        outcome = store.learn(
            documents,
            batch=args.batch,
            date=args.date,
            replace=args.replace,
            again=args.again,
            max_undecodable=None if args.allow_undecodable else MANY_UNDECODABLE,
        )
    report = {"documents": source_of(args), "batch": args.batch} | outcome_report(args, outcome)
    print_outcome(report | {"seconds": seconds})
    print_warnings(report["warnings"])
    return report
