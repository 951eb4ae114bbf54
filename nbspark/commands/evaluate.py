"""Compare predictions with the true labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark.commands.common import add_documents, documents_of, source_of, write_json
from nbspark.documents import require_new
from nbspark.evaluation import render
from nbspark.evaluation.frame import evaluate
from nbspark.model import load

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import SparkSession


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_documents(parser, "--predictions")
    parser.add_argument("--label", required=True, metavar="COLUMN", help="the true label")
    parser.add_argument("--model", metavar="DIR", help="the model that scored: true labels that it never saw are told")
    parser.add_argument("--output", metavar="FILE", help="write the metrics as JSON to a new file")


def run(spark: SparkSession, args: argparse.Namespace) -> dict[str, Any]:
    """Evaluate, print the tables and return the report."""
    if args.output:
        require_new(args.output, what="output")
    known_labels = load(args.model, spark=spark).labels if args.model else None
    evaluation = evaluate(documents_of(spark, args), label=args.label, known_labels=known_labels)
    metrics = evaluation.to_dict()
    print(render(evaluation))
    if args.output:
        write_json(args.output, metrics)
    return {"command": "evaluate", "predictions": source_of(args), "metrics": metrics}
