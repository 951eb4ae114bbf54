"""Say for each document which terms decided, and for how much."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark.commands.arguments import add_documents, add_model, source_of, whole_number
from nbspark.commands.common import counted, documents_of, print_facts, seconds_line
from nbspark.commands.outputs import FORMATS, Folder, format_of
from nbspark.commands.reports import timed

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import SparkSession

    from nbspark.model import Model
    from nbspark.spec import Spec

PLANS = ("auto", "broadcast", "join")  # those of nbspark.model, which needs pyspark
ASKED_BY = "the model, --keep or --label"
N_SHOWN = 10
N_CHARACTERS = 400  # of a text that is shown


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_documents(parser)
    add_model(parser)
    parser.add_argument("--label", metavar="COLUMN", help="the true label: errors are compared with it")
    parser.add_argument("--errors-only", action="store_true", help="only documents that did not get their label")
    parser.add_argument("--against", metavar="LABEL", help="the class to compare with; the runner-up if not given")
    parser.add_argument(
        "--top", type=whole_number, default=10, metavar="N", help="terms of a document; 10 if not given"
    )
    parser.add_argument("--output", metavar="PATH", help="a new folder for the explanations; printed if not given")
    parser.add_argument(
        "--output-format",
        choices=[one for one in FORMATS if one != "csv"],
        help="if not given, what the ending of the output says, or parquet",
    )
    parser.add_argument(
        "--overwrite-unfinished", action="store_true", help="write anew what a run left at --output that was stopped"
    )
    parser.add_argument(
        "--limit", type=whole_number, metavar="N", help=f"documents that are printed; {N_SHOWN} if not given"
    )
    parser.add_argument(
        "--keep",
        action="append",
        metavar="COLUMN",
        help="a column of the documents to write or print beside; may be repeated; if not given all are written",
    )
    parser.add_argument("--plan", default="auto", choices=PLANS, help="how the model reaches the documents")


def check(args: argparse.Namespace) -> None:
    """Raise what can be told before Spark starts."""
    from nbspark.commands.checks import check_apart, check_documents, check_model, is_local
    from nbspark.errors import PathError, SpecError

    if args.errors_only and args.label is None:
        raise SpecError("--errors-only wants --label COLUMN, the column with the true label.")
    if args.output is not None and args.limit is not None:
        raise SpecError("--limit is of what is printed; with --output every document is written. Leave one out.")
    if args.output is None and (args.output_format or args.overwrite_unfinished):
        raise PathError("--output-format and --overwrite-unfinished want --output PATH.")
    check_apart(args, outputs={"output": args.output} if args.output else {}, inputs={"model": args.model})
    if args.output is not None and is_local(args.output, args):
        _folder(args).require_free()
    check_documents(args, wanted=_wanted(check_model(args.model, args), args), asked_by=ASKED_BY)


def _folder(args: argparse.Namespace) -> Folder:
    """Return where explanations are written."""
    from nbspark.errors import DocumentsError

    found = format_of(args.output, args.output_format)
    if found == "csv":
        raise DocumentsError("output: CSV cannot hold explanations, which are nested. Write json or parquet.")
    return Folder(args.output, found, args.overwrite_unfinished)


def _wanted(spec: Spec | None, args: argparse.Namespace) -> list[str]:
    """Return the columns that are read, as far as they are known."""
    return [*(spec.columns() if spec else ()), *(args.keep or ()), *([args.label] if args.label else ())]


def run(spark: SparkSession, args: argparse.Namespace, seconds: dict[str, float]) -> dict[str, Any]:
    """Explain, write or print, and return the report."""
    from nbspark.model import load

    with timed(seconds, "load"):
        model = load(args.model, version=args.version, alias=args.alias, spark=spark)
    with timed(seconds, "read"):
        documents = documents_of(spark, args, wanted=_wanted(model.spec, args), asked_by=ASKED_BY)
    asked = {"top": args.top, "against": args.against, "truth": args.label, "errors_only": args.errors_only}
    report = {"documents": source_of(args), "model": args.model, "version": model.version, **asked}
    if args.output is not None:
        output = _folder(args)
        with timed(seconds, "explain"):
            explained = model.explain(documents, plan=args.plan, keep=args.keep, **asked)
            output.write(explained)
        n = output.read(spark, explained.schema).count()
        print_facts({"explained": f"{counted(n, 'document')} to {output}", "seconds": seconds_line(seconds)})
        return report | {"output": args.output, "output_format": output.format, "rows": {"explained": n}}
    with timed(seconds, "explain"):
        n = _print(model, documents, args, asked)
    return report | {"rows": {"printed": n}}


def _print(model: Model, documents: Any, args: argparse.Namespace, asked: dict[str, Any]) -> int:
    """Print some documents, of errors those that were surest; return how many."""
    from pyspark.sql import functions as F

    from nbspark.features import Text
    from nbspark.insight.show import explanation_lines

    shown = [*(args.keep or ()), *([args.label] if args.label else ())]
    texts = {str(one.name): one.column for one in model.spec.features if isinstance(one, Text)}
    keep = list(dict.fromkeys([*shown, *texts.values()]))
    explained = model.explain(documents, plan=args.plan, keep=keep, **asked)
    if args.errors_only:
        explained = explained.orderBy(F.col("explanation.difference").desc())
    rows = explained.limit(N_SHOWN if args.limit is None else args.limit).toArrow().to_pylist()
    for number, row in enumerate(rows, 1):
        about = {name: row[name] for name in shown}
        beginnings = {name: str(row[column] or "")[:N_CHARACTERS] for name, column in texts.items()}
        print("\n".join(explanation_lines(row, number=number, about=about, texts=beginnings)))
    if not rows:
        print("no document" + (" that did not get its label" if args.errors_only else ""))
    return len(rows)
