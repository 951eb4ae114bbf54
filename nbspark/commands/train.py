"""Learn a new model from labelled documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark.commands.arguments import add_documents, source_of
from nbspark.commands.common import counted, documents_of, each_of, print_facts, print_warnings, seconds_line
from nbspark.commands.learning import add_spec, share, spec_of
from nbspark.commands.pages import add_report_html, check_page, write_page
from nbspark.commands.reports import timed

if TYPE_CHECKING:
    import argparse
    from fractions import Fraction

    from pyspark.sql import DataFrame, SparkSession

    from nbspark.evaluation import Evaluation
    from nbspark.model import Model
    from nbspark.spec import Spec

PROBABILITIES_OF = 100  # classes: with more, their probabilities would take longer than all else that is evaluated
MANY_CLASSES = 1_000  # with so many and few documents each, the label is more likely an id than a class


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_documents(parser)
    add_spec(parser)
    parser.add_argument("--model", required=True, metavar="DIR", help="a new folder for the model")
    parser.add_argument("--batch", default="1", metavar="ID", help="your name for these documents, for example a date")
    parser.add_argument("--date", metavar="DAY", help="their day as YYYY-MM-DD, for windows and decay")
    parser.add_argument(
        "--test-share",
        type=share,
        metavar="SHARE",
        help="hold back about this share of the documents, for example 0.2, and evaluate the model on them; the "
        "content decides which, and equal documents stay together",
    )
    parser.add_argument(
        "--allow-undecodable",
        action="store_true",
        help="learn even if more than a tenth of the documents hold bytes that are not valid in the encoding",
    )
    add_report_html(parser)


def check(args: argparse.Namespace) -> None:
    """Raise what can be told before Spark starts."""
    from nbspark.commands.checks import check_apart, check_documents, check_new_model
    from nbspark.store.learned import require_date

    spec = spec_of(args)
    require_date(args.date)
    check_apart(args, outputs={"model": args.model})
    check_page(args.report_html, args)
    check_new_model(args.model, spec, args)
    check_documents(args, wanted=wanted_columns(spec), asked_by="the model")


def wanted_columns(spec: Spec) -> list[str]:
    """Return the columns that learning reads."""
    return [spec.label, *([] if spec.weight is None else [spec.weight]), *spec.columns()]


def run(spark: SparkSession, args: argparse.Namespace, seconds: dict[str, float]) -> dict[str, Any]:
    """Learn, publish, evaluate if asked to, print a summary and return the report."""
    from nbspark.commands.advice import MANY_UNDECODABLE, warnings_of_unspaced
    from nbspark.commands.samples import sample_terms
    from nbspark.estimator import NaiveBayes

    spec = NaiveBayes.from_dict(spec_of(args).to_dict())
    with timed(seconds, "read"):
        documents = documents_of(spark, args, wanted=wanted_columns(spec), asked_by="the model")
    learned, held_back = split_of(documents, spec, args.test_share)
    with timed(seconds, "learn"):
        limit = None if args.allow_undecodable else MANY_UNDECODABLE
        model = spec.learn(learned, args.model, batch=args.batch, date=args.date, max_undecodable=limit)
    report = {"documents": source_of(args), "model": args.model, "batch": args.batch}
    with timed(seconds, "describe"):
        report |= describe(model)
        report["warnings"] += warnings_of_unspaced(spec, sample_terms(model))
    evaluation = None
    if held_back is not None:
        with timed(seconds, "evaluate"):
            evaluation, n_rows = evaluation_of(model, held_back)
        add_test(report, evaluation, n_rows, args.test_share)
    print_summary(report | {"seconds": seconds}, evaluation)
    own = None if evaluation is None or held_back is None else (model, held_back)
    write_page(args, seconds, spark=spark, held_back=own, evaluation=evaluation)
    return report


def split_of(documents: DataFrame, spec: Spec, held_back: Fraction | None) -> tuple[DataFrame, DataFrame | None]:
    """Return the documents to learn from, and those to test on if any are asked for."""
    from nbspark.documents.split import split

    if held_back is None:
        return documents, None
    return split(documents, columns=spec.columns(), share=held_back)


def evaluation_of(model: Model, documents: DataFrame) -> tuple[Evaluation | None, int]:
    """Score documents that were held back; return their metrics, None if none of them has a label, and their number."""
    from nbspark.evaluation.frame import tallies
    from nbspark.evaluation.metrics import count_documents, measure

    label = model.spec.label
    probabilities = "array" if len(model.labels) <= PROBABILITIES_OF else False
    scored = model.transform(documents, truth=label, keep=[label], probabilities=probabilities)
    found = tallies(scored, label=label, known_labels=model.labels).toArrow()
    n_rows, n_labelled = count_documents(found)
    return (measure(found, known_labels=model.labels) if n_labelled else None), n_rows


def add_test(report: dict[str, Any], evaluation: Evaluation | None, n_rows: int, held_back: Fraction) -> None:
    """Add to a report what became of the documents that were held back."""
    report["rows"] |= {"read": report["rows"]["read"] + n_rows, "held_back": n_rows}
    report["test"] = {"share": float(held_back), "metrics": evaluation.to_dict() if evaluation else None}
    if evaluation is None:
        report["warnings"].append(
            f"none of the {counted(n_rows, 'row')} that were held back has a label, so nothing was evaluated."
        )


def describe(model: Model) -> dict[str, Any]:
    """Return what a model learned, as a report has it."""
    from nbspark.features import Categorical, Numeric

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
    from nbspark.commands.advice import warning_of_undecodable
    from nbspark.evaluation.labels import quoted, warning_of

    n_learned = rows.get("rows_read", 0) - rows.get("unlabelled", 0)
    found = [warning_of_undecodable(rows["undecodable"], n_learned), warning_of(classes)]
    single = [label for label, n in classes.items() if n == 1]
    if single and max(classes.values()) >= 10:
        shown = ", ".join(quoted(single[:5]).values()) + (", ..." if len(single) > 5 else "")
        found.append(
            f"{counted(len(single), 'class')} with a single document ({shown}). If this should not be a class, check "
            "the label column and how the file is quoted."
        )
    if len(classes) > MANY_CLASSES and sum(classes.values()) < 5 * len(classes):
        found.append(
            f"{len(classes):,} classes, fewer than five documents each on average. If the label column holds an id, "
            "name another one."
        )
    if len(classes) == 1:
        found.append(f"all documents have one label, {next(iter(classes))!r}: every prediction will be that.")
    return [one for one in found if one is not None]


def print_summary(report: dict[str, Any], evaluation: Evaluation | None = None) -> None:
    """Print the report for a person."""
    from nbspark.evaluation import render

    rows = report["rows"]
    facts = {
        "read": f"{counted(rows['read'], 'row')} from {report['documents']}",
        "learned": f"{counted(rows['learned'], 'document')} of {counted(len(report['classes']), 'class')}",
        "not learned": f"{counted(rows['unlabelled'], 'row')} without a label",
        "held back": f"{counted(rows['held_back'], 'row')} to evaluate on" if "held_back" in rows else "",
        "of the learned": f"{rows['without_terms']:,} without a term, {rows['undecodable']:,} with undecodable bytes",
        "without a value": each_of(rows["missing"]),
        "model": f"{report['model']}, version 1, batch {report['batch']}: "
        f"{sum(report['n_terms'].values()):,} terms, {report['n_pairs']:,} (label, term) pairs",
        "seconds": seconds_line(report["seconds"]),
    }
    print_facts(facts)
    if evaluation is not None:
        print(f"\nOn what was held back:\n\n{render(evaluation)}")
    print_warnings(report["warnings"])


def _whole(value: float) -> float:
    """Return a whole number as an int, so that a report shows 12 and not 12.0."""
    return int(value) if float(value).is_integer() else float(value)
