"""Write a page to look at: figures, confusion, calibration, mistakes and why, terms, tuning, drift, versions."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbspark.commands.arguments import add_documents, add_model, source_of
from nbspark.commands.common import counted, documents_of, print_facts, seconds_line
from nbspark.commands.pages import check_page, of_model, read_report
from nbspark.commands.reports import timed

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import DataFrame, SparkSession

    from nbspark.evaluation import Evaluation
    from nbspark.model import Model
    from nbspark.report.content import Mistake
    from nbspark.spec import Spec

ASKED_BY = "the report"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_model(parser)
    add_documents(parser, required=False)
    parser.add_argument(
        "--predictions",
        nargs="+",
        action="extend",
        metavar="PATH",
        help="what nbspark score wrote, read as --documents, in their place: evaluated as it is",
    )
    parser.add_argument("--label", metavar="COLUMN", help="the true label; the spec's own if not given")
    parser.add_argument("--tuning", metavar="FILE", help="the --report of nbspark tune, to be shown")
    parser.add_argument("--drift", metavar="FILE", help="the --report of nbspark drift, to be shown")
    parser.add_argument("--title", metavar="TEXT", help="of the page; the model's name if not given")
    parser.add_argument(
        "--output", required=True, metavar="FILE", help="the page, for example report.html; an older one is replaced"
    )


def check(args: argparse.Namespace) -> None:
    """Raise what can be told before Spark starts."""
    from nbspark.commands.checks import check_documents, check_model
    from nbspark.errors import SpecError

    if args.predictions and (args.documents or args.table):
        raise SpecError("report wants either --predictions, which are scored, or --documents (or --table); not both.")
    if args.label and not needs_spark(args):
        raise SpecError("--label is the column of --documents or --predictions: name one of them.")
    for path, command in ((args.tuning, "tune"), (args.drift, "drift")):
        read_report(path, command=command)
    source = _source(args)
    check_page(args.output, source, what="output")
    spec = check_model(args.model, args)
    if needs_spark(args):
        check_documents(source, wanted=_wanted(spec, args), asked_by=ASKED_BY)


def needs_spark(args: argparse.Namespace) -> bool:
    """Say whether documents are read."""
    return bool(args.documents or args.table or args.predictions)


def run(spark: SparkSession | None, args: argparse.Namespace, seconds: dict[str, float]) -> dict[str, Any]:
    """Look at the model and the documents, write the page and return the report."""
    from nbspark.report.content import Content
    from nbspark.report.page import write

    known: dict[str, Any] = {}
    about = {"model": args.model}
    if spark is not None:
        from nbspark.model import load

        with timed(seconds, "load"):
            model = load(args.model, version=args.version, alias=args.alias, spark=spark)
        source = _source(args)
        with timed(seconds, "read"):
            documents = documents_of(spark, source, wanted=_wanted(model.spec, args), asked_by=ASKED_BY)
        known = look_at(model, documents, seconds, label=args.label or model.spec.label, scored=bool(args.predictions))
        about |= {"version": str(model.version), "documents": source_of(source)}
    with timed(seconds, "describe"):
        known |= of_model(args.model, version=args.version, alias=args.alias, spark=spark)
    reports = {
        name: read_report(getattr(args, key), command=name) for name, key in (("tune", "tuning"), ("drift", "drift"))
    }
    with timed(seconds, "write"):
        title = args.title or f"Report on {Path(args.model).name or args.model}"
        write(args.output, Content(title, about, tuning=reports["tune"], drift=reports["drift"], **known))
    n_mistakes = len(known.get("mistakes", ()))
    print_facts(
        {
            "report": args.output,
            "shows": f"{counted(n_mistakes, 'mistake')} with what decided them" if spark is not None else "",
            "seconds": seconds_line(seconds),
        }
    )
    evaluation = known.get("evaluation")
    return {
        "model": args.model,
        "output": args.output,
        "mistakes": n_mistakes,
        "metrics": evaluation.to_dict() if evaluation else None,
    }


def look_at(
    model: Model, documents: DataFrame, seconds: dict[str, float], *, label: str, scored: bool = False
) -> dict[str, Any]:
    """Run documents: return their evaluation, the one without calibration, and mistakes.

    Parameters
    ----------
    label : str
        The column with the true label.
    scored : bool
        Whether they are predictions, to be evaluated as they are.
    """
    from nbspark.report.frame import mistakes

    found: dict[str, Any] = {}
    with timed(seconds, "evaluate"):
        if scored:
            from nbspark.evaluation.frame import evaluate

            found["evaluation"] = evaluate(documents, label=label, known_labels=model.labels)
        else:
            found["evaluation"] = _evaluate(model, documents, label)
            if is_calibrated(model.spec):
                found["raw"] = _evaluate(model, documents, label, calibrated=False)
    if set(model.spec.columns()) <= set(documents.columns):
        with timed(seconds, "explain"):
            own: list[Mistake] = mistakes(model, documents, label=label)
            found["mistakes"] = own
    return found


def is_calibrated(spec: Spec) -> bool:
    """Say whether the probabilities of a model are other than its scores alone would give."""
    return spec.temperature != 1.0 or spec.temperature_exponent != 0.0 or bool(spec.class_bias)


def _evaluate(model: Model, documents: DataFrame, label: str, *, calibrated: bool = True) -> Evaluation:
    """Score documents and evaluate them."""
    from nbspark.commands.train import PROBABILITIES_OF
    from nbspark.evaluation.frame import evaluate

    probabilities = "array" if len(model.labels) <= PROBABILITIES_OF else False
    scored = model.transform(documents, truth=label, keep=[label], probabilities=probabilities, calibrated=calibrated)
    return evaluate(scored, label=label, known_labels=model.labels)


def _source(args: argparse.Namespace) -> Namespace:
    """Return the arguments with the predictions, if any, as the documents that are read."""
    return Namespace(**vars(args) | ({"documents": args.predictions} if args.predictions else {}))


def _wanted(spec: Spec | None, args: argparse.Namespace) -> list[str]:
    """Return the columns that are read, as far as they are known."""
    own = spec.columns() if spec and not args.predictions else []
    label = args.label or (spec.label if spec else None)
    return list(dict.fromkeys([*own, *([label] if label else []), *(["prediction"] if args.predictions else [])]))
