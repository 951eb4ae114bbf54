"""Compare predictions with the true labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark.commands.arguments import add_documents, source_of
from nbspark.commands.common import documents_of, print_warnings
from nbspark.commands.pages import add_report_html, check_page, write_page
from nbspark.commands.reports import require_local, timed, write_json

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import SparkSession

PREDICTION = "prediction"
ASKED_BY = "the evaluation, which reads what nbspark score wrote"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_documents(parser, "--predictions")
    parser.add_argument("--label", required=True, metavar="COLUMN", help="the true label")
    parser.add_argument("--model", metavar="DIR", help="the model that scored: labels that it does not know are listed")
    parser.add_argument("--weight", metavar="COLUMN", help="each document's weight; 1 if not given")
    parser.add_argument(
        "--normalize",
        choices=("label", "prediction", "all"),
        help="print the confusion table as shares of the true label, of the predicted one, or of all documents",
    )
    parser.add_argument(
        "--coverage",
        action="store_true",
        help="print what score's --min-probability, --min-margin and --min-known would buy: coverage and accuracy",
    )
    parser.add_argument("--output", metavar="FILE", help="write the metrics as JSON to a new file")
    add_report_html(parser)


def check(args: argparse.Namespace) -> None:
    """Raise what can be told before Spark starts."""
    from nbspark.commands.checks import check_apart, check_documents, check_model
    from nbspark.files.paths import require_new

    if args.output:
        require_local(args.output, what="output")
        require_new(args.output, what="output")
        check_apart(args, outputs={"output": args.output}, inputs={"model": args.model} if args.model else {})
    check_page(args.report_html, args)
    if args.model:
        check_model(args.model, args)
    check_documents(args, wanted=wanted_columns(args), asked_by=ASKED_BY)


def wanted_columns(args: argparse.Namespace) -> list[str]:
    """Return the columns that must be there."""
    return [args.label, PREDICTION, *([args.weight] if args.weight else [])]


def run(spark: SparkSession, args: argparse.Namespace, seconds: dict[str, float]) -> dict[str, Any]:
    """Evaluate, print the tables and return the report."""
    from nbspark.evaluation import render
    from nbspark.evaluation.frame import evaluate
    from nbspark.evaluation.labels import warning_of
    from nbspark.model import load

    with timed(seconds, "read"):
        known_labels = load(args.model, spark=spark).labels if args.model else None
        predictions = documents_of(spark, args, wanted=wanted_columns(args), asked_by=ASKED_BY)
    with timed(seconds, "evaluate"):
        evaluation = evaluate(predictions, label=args.label, weight=args.weight, known_labels=known_labels)
    metrics = evaluation.to_dict()
    alike = warning_of({one.label: one.support for one in evaluation.classes})
    warnings = [alike] if alike else []
    print(render(evaluation, normalize=args.normalize, coverage=args.coverage))
    print_warnings(warnings)
    if args.output:
        write_json(args.output, metrics)
    write_page(args, seconds, spark=spark, evaluation=evaluation)
    return {"predictions": source_of(args), "metrics": metrics, "warnings": warnings}
