"""Learn a new model from labelled documents."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from nbspark.commands.common import add_documents, counted, documents_of, each_of, print_facts, source_of, timed
from nbspark.documents import require_apart
from nbspark.errors import SpecError
from nbspark.estimator import NaiveBayes
from nbspark.features import Categorical, Numeric, Text

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import SparkSession

    from nbspark.model import Model

MANY_CLASSES = 1_000  # with so many and few documents each, the label is more likely an id than a class


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_documents(parser)
    parser.add_argument("--spec", metavar="FILE", help="what to learn, as TOML or JSON; see conf/models")
    parser.add_argument("--label", metavar="COLUMN", help="the class, where no spec is given")
    parser.add_argument(
        "--text", action="append", metavar="COLUMN", help="the text, where no spec is given; repeatable"
    )
    parser.add_argument("--model", required=True, metavar="DIR", help="a new folder for the model")
    parser.add_argument("--batch", default="1", metavar="ID", help="your name for these documents, for example a date")


def run(spark: SparkSession, args: argparse.Namespace) -> dict[str, Any]:
    """Learn, publish, print a summary and return the report."""
    spec = spec_of(args)
    if args.documents:
        require_apart(outputs={"model": args.model}, inputs={"documents": args.documents})
    seconds: dict[str, float] = {}
    documents = documents_of(spark, args)
    with timed(seconds, "learn"):
        model = spec.learn(documents, args.model, batch=args.batch)
    report = {"command": "train", "documents": source_of(args), "model": args.model, "batch": args.batch}
    report |= describe(model) | {"seconds": seconds}
    print_summary(report)
    return report


def spec_of(args: argparse.Namespace) -> NaiveBayes:
    """Return the spec that the arguments give, by a file or by columns."""
    by_columns = bool(args.label or args.text)
    if bool(args.spec) == by_columns or (by_columns and not (args.label and args.text)):
        raise SpecError("say what to learn: either --spec FILE, or both --label COLUMN and --text COLUMN.")
    if args.spec:
        return NaiveBayes.from_file(args.spec)
    return NaiveBayes(label=args.label, features=tuple(Text(column) for column in args.text))


def describe(model: Model) -> dict[str, Any]:
    """Return what a model learned, as a report has it."""
    rows = model.rows
    can_miss = [str(one.name) for one in model.spec.features if isinstance(one, Categorical | Numeric)]
    classes = {label: _whole(n) for label, n in model.class_docs.items()}
    return {
        "rows": {
            "read": rows["rows_read"],
            "learned": rows["rows_read"] - rows["unlabelled"],
            "unlabelled": rows["unlabelled"],
            "without_terms": rows["without_terms"],
            "undecodable": rows["undecodable"],
            "missing": {name: rows.get(f"missing.{name}", 0) for name in can_miss},
        },
        "classes": classes,
        "n_terms": model.n_terms,
        "n_pairs": rows["n_pairs"],
        "warnings": warnings_of(classes, rows),
    }


def warnings_of(classes: dict[str, float], rows: dict[str, int]) -> list[str]:
    """Return what a person should look at."""
    found = []
    if rows["undecodable"]:
        found.append(
            f"{counted(rows['undecodable'], 'document')} with U+FFFD: bytes that are not valid "
            "in the encoding, or text that was damaged before. Learned all the same; see --encoding."
        )
    single = [label for label, n in classes.items() if n == 1]
    if single and max(classes.values()) >= 10:
        shown = ", ".join(repr(label) for label in single[:5]) + (", ..." if len(single) > 5 else "")
        found.append(
            f"{counted(len(single), 'class')} with a single document ({shown}). If these are no labels, "
            "check the label column and how the file is quoted."
        )
    if len(classes) > MANY_CLASSES and sum(classes.values()) < 5 * len(classes):
        found.append(
            f"{len(classes):,} classes, fewer than five documents each on average. If the label column holds an id, "
            "name another one."
        )
    if len(classes) == 1:
        found.append(f"all documents have one label, {next(iter(classes))!r}: every prediction will be that.")
    return found


def print_summary(report: dict[str, Any]) -> None:
    """Print the report for a person."""
    rows = report["rows"]
    facts = {
        "read": f"{counted(rows['read'], 'row')} from {report['documents']}",
        "learned": f"{counted(rows['learned'], 'document')} of {counted(len(report['classes']), 'class')}",
        "not learned": f"{counted(rows['unlabelled'], 'row')} without a label",
        "of the learned": f"{rows['without_terms']:,} without a term, {rows['undecodable']:,} with undecodable bytes",
        "without a value": each_of(rows["missing"]),
        "model": f"{report['model']}, version 1, batch {report['batch']}: "
        f"{sum(report['n_terms'].values()):,} terms, {report['n_pairs']:,} (label, term) pairs",
        "seconds": f"{report['seconds']['learn']:.1f}",
    }
    print_facts({name: value for name, value in facts.items() if value})
    for warning in report["warnings"]:
        print(f"warning: {warning}", file=sys.stderr)


def _whole(value: float) -> float:
    """Return a whole number as an int, so that a report shows 12 and not 12.0."""
    return int(value) if float(value).is_integer() else float(value)
