"""Compare predictions with the true labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbspark.commands.common import add_documents, documents_of, source_of
from nbspark.documents import require_new
from nbspark.evaluation import evaluate

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import SparkSession


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_documents(parser, "--predictions")
    parser.add_argument("--label", required=True, metavar="COLUMN", help="the true label")
    parser.add_argument("--output", metavar="FILE", help="write the metrics as JSON to a new file")


def run(spark: SparkSession, args: argparse.Namespace) -> dict[str, Any]:
    """Evaluate, print the tables and return the report."""
    if args.output:
        require_new(args.output, what="output")
    evaluation = evaluate(documents_of(spark, args), label=args.label)
    metrics = evaluation.to_dict()
    print(evaluation.render())
    if args.output:
        output = Path(args.output)
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(json.dumps(metrics, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return {"command": "evaluate", "predictions": source_of(args), "metrics": metrics}
