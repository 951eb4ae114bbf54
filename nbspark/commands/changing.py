"""What the commands that change a model share: their checks, and how they say what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark.commands.common import counted, documents_of, print_facts, seconds_line
from nbspark.commands.reports import timed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from nbspark.lifecycle.apply import Outcome
    from nbspark.model_store import ModelStore
    from nbspark.spec import Spec


def add_change(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a change that needs no documents."""
    parser.add_argument("--model", required=True, metavar="DIR", help="a model's folder")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")


def add_batch(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a batch that a model learns."""
    parser.add_argument("--model", required=True, metavar="DIR", help="a model's folder")
    parser.add_argument("--batch", required=True, metavar="ID", help="your name for these documents, such as a date")
    parser.add_argument("--date", metavar="DAY", help="their day as YYYY-MM-DD, for windows and decay")
    parser.add_argument("--replace", action="store_true", help="put them in the place of other documents with this id")
    parser.add_argument(
        "--again", action="store_true", help="count them once more although they were learned under another id"
    )
    parser.add_argument(
        "--allow-undecodable",
        action="store_true",
        help="learn even if more than a tenth of the documents hold bytes that are not valid in the encoding",
    )


def check_change(args: argparse.Namespace, *, documents: bool = False, labels: Sequence[str] | None = None) -> None:
    """Raise if a local model is missing or damaged, or its documents lack a column."""
    from nbspark.commands.checks import check_apart, check_documents, check_model

    spec = check_model(args.model, args)
    if documents:
        check_apart(args, outputs={"model": args.model})
        check_documents(args, wanted=wanted(spec, labels) if spec else [], asked_by="the model")


def wanted(spec: Spec, labels: Sequence[str] | None = None) -> list[str]:
    """Return the columns that a change reads."""
    return [*(labels or [spec.label]), *([] if spec.weight is None else [spec.weight]), *spec.columns()]


def documents_of_model(
    spark: SparkSession, args: argparse.Namespace, store: ModelStore, labels: Sequence[str] | None = None
) -> DataFrame:
    """Return the documents that the arguments name, with the columns that the model reads."""
    return documents_of(spark, args, wanted=wanted(store.spec, labels), asked_by="the model")


def run_change(
    args: argparse.Namespace, seconds: dict[str, float], change: Callable[[ModelStore], Outcome]
) -> dict[str, Any]:
    """Change a model without documents, print a summary and return the report."""
    from nbspark.model_store import ModelStore

    with timed(seconds, args.command):
        outcome = change(ModelStore(args.model))
    report = outcome_report(args, outcome)
    print_outcome(report | {"seconds": seconds})
    return report


def outcome_report(args: argparse.Namespace, outcome: Outcome) -> dict[str, Any]:
    """Return what became of a change, as a report has it."""
    version = outcome.version
    return {
        "model": args.model,
        "changed": outcome.changed,
        "why": outcome.why,
        "version": version.version,
        "batches": [held.batch for one in version.batches for held in one.holds],
        "rows": version.rows,
        "change": dict(version.change),
        "warnings": [],
    }


def print_outcome(report: dict[str, Any]) -> None:
    """Print what became of a change for a person."""
    done = f"version {report['version']}"
    print_facts(
        {
            "model": f"{report['model']}: {done}" if report["changed"] else f"{report['model']}: {done}, unchanged",
            "why": report["why"],
            "batches": counted(len(report["batches"]), "batch"),
            "documents": f"{report['rows'].get('rows_read', 0) - report['rows'].get('unlabelled', 0):,}",
            "pairs": f"{report['rows']['n_pairs']:,} (label, term) rows",
            "seconds": seconds_line(report["seconds"]),
        }
    )
