"""Fit a model's temperature to labelled documents that it has not learned: a new version of the same batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark.commands.arguments import add_documents, source_of
from nbspark.commands.changing import check_change, documents_of_model, outcome_report, print_outcome
from nbspark.commands.common import print_facts
from nbspark.commands.reports import timed

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import SparkSession


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_documents(parser)
    parser.add_argument(
        "--model", required=True, metavar="DIR", help="a model's folder; its newest version is calibrated"
    )


def check(args: argparse.Namespace) -> None:
    """Raise what can be told before Spark starts."""
    check_change(args, documents=True)


def run(spark: SparkSession, args: argparse.Namespace, seconds: dict[str, float]) -> dict[str, Any]:
    """Fit, publish, print a summary and return the report."""
    from nbspark.model_store import ModelStore

    store = ModelStore(args.model, spark=spark)
    with timed(seconds, "read"):
        documents = documents_of_model(spark, args, store)
    with timed(seconds, "calibrate"):
        outcome, fitted = store.calibrate(documents)
    report = {"documents": source_of(args), **outcome_report(args, outcome), **fitted.options}
    report["calibration"] = {"log_loss": {"before": fitted.log_loss_before, "after": fitted.log_loss}}
    print_outcome(report | {"seconds": seconds})
    print_facts(
        {
            "temperature": f"{fitted.value:.4g} x length^{fitted.exponent:g}",
            "log loss": f"{fitted.log_loss_before:.4f} to {fitted.log_loss:.4f} on these documents",
        }
    )
    return report
