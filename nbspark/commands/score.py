"""Score documents with a model and write the predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark.commands.arguments import add_documents, add_model, source_of, whole_number
from nbspark.commands.common import counted, documents_of, each_of, print_facts, print_warnings, seconds_line
from nbspark.commands.deciding import abstains, add_decision, decision_of
from nbspark.commands.outputs import FORMATS, Folder, output_of
from nbspark.commands.reports import timed

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import DataFrame, SparkSession

    from nbspark.commands.outputs import Output
    from nbspark.model import Model
    from nbspark.spec import Spec

PLANS = ("auto", "broadcast", "join")  # those of nbspark.model, which needs pyspark
ASKED_BY = "the model, --keep or --label"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_documents(parser)
    add_model(parser)
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--output", metavar="PATH", help="a new folder for the predictions; its ending names the format")
    place.add_argument("--output-table", metavar="NAME", help="a new table of the catalog for the predictions")
    parser.add_argument(
        "--output-format", choices=FORMATS, help="if not given, what the ending of the output says, or parquet"
    )
    parser.add_argument(
        "--overwrite-unfinished",
        action="store_true",
        help="write anew what a run left at --output that was stopped (a folder of predictions without _SUCCESS)",
    )
    parser.add_argument(
        "--top-k", type=whole_number, default=0, metavar="N", help="add the N best labels with their probabilities"
    )
    parser.add_argument(
        "--probabilities",
        nargs="?",
        const="map",
        choices=("map", "array"),
        help="add every label's probability: a map by label (if not said), or an array in string order of the labels",
    )
    parser.add_argument(
        "--keep",
        action="append",
        metavar="COLUMN",
        help="a column of the documents to write beside the prediction; may be repeated; all if not given",
    )
    parser.add_argument("--label", metavar="COLUMN", help="the true label: adds log_loss for evaluation")
    parser.add_argument(
        "--uncalibrated", action="store_true", help="give the raw probabilities, without temperature and class_bias"
    )
    parser.add_argument("--with-version", action="store_true", help="add model_version, the version that scored")
    add_decision(parser)
    parser.add_argument("--plan", default="auto", choices=PLANS, help="how the model reaches the documents")


def check(args: argparse.Namespace) -> None:
    """Raise what can be told before Spark starts."""
    from nbspark.commands.checks import check_apart, check_documents, check_model, is_local

    decision_of(args)
    output = output_of(args)
    check_apart(args, outputs={"output": args.output} if args.output else {}, inputs={"model": args.model})
    if isinstance(output, Folder) and is_local(output.path, args):
        output.require_free()
    check_documents(args, wanted=wanted_columns(check_model(args.model, args), args), asked_by=ASKED_BY)


def wanted_columns(spec: Spec | None, args: argparse.Namespace) -> list[str]:
    """Return the columns that scoring reads, as far as they are known."""
    return [*(spec.columns() if spec else ()), *(args.keep or ()), *([args.label] if args.label else ())]


def run(spark: SparkSession, args: argparse.Namespace, seconds: dict[str, float]) -> dict[str, Any]:
    """Score, write, print a summary and return the report."""
    from nbspark.commands.scored import count_rows
    from nbspark.model import load

    output = output_of(args)
    with timed(seconds, "load"):
        model = load(args.model, version=args.version, alias=args.alias, spark=spark)
    with timed(seconds, "read"):
        documents = documents_of(spark, args, wanted=wanted_columns(model.spec, args), asked_by=ASKED_BY)
    with timed(seconds, "score"):
        predictions = model.transform(
            documents,
            plan=args.plan,
            probabilities="array" if args.probabilities == "array" else args.probabilities is not None,
            top_k=args.top_k,
            truth=args.label,
            keep=args.keep,
            calibrated=not args.uncalibrated,
            with_version=args.with_version,
            **decision_of(args),
        )
        output.write(predictions)
    # Counted on what was written: a figure from inside the run would count a repeated task twice. What was read is
    # counted apart from it, or no row could be missed.
    with timed(seconds, "count"):
        found = count_rows(output.read(spark, predictions.schema), model, abstains=abstains(args))
        found["rows"] = {"read": documents.count(), **found["rows"]}
        warnings = warnings_of(model, documents, found)
    report = {"documents": source_of(args), "model": args.model}
    report |= {"output": args.output, "output_table": args.output_table, "output_format": output.format}
    report |= {"plan": f"{model.choose_plan(args.plan)}: {model.size}", "model_version": model.version, **found}
    report["warnings"] = warnings
    print_summary(report | {"seconds": seconds}, output)
    return report


def warnings_of(model: Model, documents: DataFrame, found: dict[str, Any]) -> list[str]:
    """Return what a person should look at."""
    from nbspark.commands.advice import warning_of_undecodable, warning_of_unknown, warnings_of_unspaced
    from nbspark.commands.samples import sample_texts

    rows, terms = found["rows"], found["terms"]
    unknown = warning_of_unknown(model.spec, terms["n_terms"], terms["n_known"])
    warnings = [unknown, warning_of_undecodable(rows.get("undecodable", 0), rows["scored"])]
    if unknown:
        warnings += warnings_of_unspaced(model.spec, sample_texts(documents, model.spec))
    if rows["read"] != rows["scored"]:
        warnings.append(
            f"{counted(rows['read'], 'row')} in the documents and {counted(rows['scored'], 'row')} in the output: the "
            "documents changed meanwhile. Score them again, into a new output."
        )
    if rows["impossible"]:
        warnings.append(
            f"{counted(rows['impossible'], 'row')} without a prediction: every class is impossible there (a feature "
            "without smoothing has a value that no class has seen)."
        )
    return [one for one in warnings if one is not None]


def print_summary(report: dict[str, Any], output: Output) -> None:
    """Print the report for a person."""
    from nbspark.evaluation.labels import display_names

    rows, terms = report["rows"], report["terms"]
    share = f", of which {terms['n_known'] / terms['n_terms']:.1%} known to the model" if terms["n_terms"] else ""
    most = sorted(report["predictions"].items(), key=lambda pair: (-pair[1], pair[0]))
    names = display_names(report["predictions"])
    shown = ", ".join(f"{names[label]} {n:,}" for label, n in most[:8]) + (", ..." if len(most) > 8 else "")
    facts = {
        "read": f"{counted(rows['read'], 'row')} from {report['documents']}",
        "scored": f"{counted(rows['scored'], 'row')} to {output}",
        "predicted": shown or "nothing",
        "plan": report["plan"],
        "of the scored": f"{rows['without_terms']:,} without a term, {rows['all_unknown']:,} with unknown terms only"
        + (f", {rows['undecodable']:,} with undecodable bytes" if "undecodable" in rows else ""),
        "withheld": each_of(rows.get("withheld", {})),
        "without a value": each_of(rows["missing"]),
        "unseen category": each_of(rows["unseen"]),
        "terms": f"{terms['n_terms']:,}{share}",
        "seconds": seconds_line(report["seconds"]),
    }
    print_facts(facts)
    print_warnings(report["warnings"])
