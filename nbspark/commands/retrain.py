"""Learn a batch behind a gate: the model is made if there is none, and the champion moves if it is not worse."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from nbspark.commands.arguments import add_documents, source_of
from nbspark.commands.changing import add_batch, outcome_report, print_outcome, wanted
from nbspark.commands.common import documents_of, print_facts, print_warnings
from nbspark.commands.decisions import METRICS, decision_facts
from nbspark.commands.learning import add_spec, is_spec_given, share, spec_of
from nbspark.commands.pages import add_report_html, check_page, write_page
from nbspark.commands.reports import timed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from nbspark.model_store import ModelStore
    from nbspark.spec import Spec

KEPT = 3  # the exit code of a run that ended well and left the champion as it was


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_documents(parser)
    add_spec(parser)
    add_batch(parser)
    gate = parser.add_argument_group("gate")
    held_out = gate.add_mutually_exclusive_group()
    held_out.add_argument(
        "--holdout",
        type=share,
        metavar="SHARE",
        help="judge on about this share of the documents, by their content, and learn the rest; 0.1 if not given",
    )
    held_out.add_argument(
        "--holdout-documents", nargs="+", action="extend", metavar="PATH", help="judge on these, read as --documents"
    )
    gate.add_argument("--metric", choices=METRICS, default="accuracy", help="what must not be worse; accuracy")
    gate.add_argument("--level", type=_level, default=0.05, metavar="NUMBER", help="of the test; 0.05 if not given")
    gate.add_argument(
        "--minimum",
        type=_minimum,
        action="append",
        default=[],
        metavar="METRIC=NUMBER",
        help="what the new version must reach, for example accuracy=0.9 (of log_loss: not exceed); may be repeated",
    )
    add_report_html(parser)


def check(args: argparse.Namespace) -> None:
    """Raise what can be told before Spark starts."""
    from nbspark.commands.checks import check_apart, check_documents, check_model, check_new_model, is_local
    from nbspark.errors import PathError
    from nbspark.files.choose import files_for
    from nbspark.files.paths import local_matches
    from nbspark.lifecycle.retrain import open_or_new
    from nbspark.store.learned import require_date

    gate_of(args)
    require_date(args.date)
    check_apart(args, outputs={"model": args.model})
    check_page(args.report_html, args)
    spec = spec_of(args) if is_spec_given(args) else None
    if is_local(args.model, args):
        files = files_for(args.model)
        if files.names(f"{args.model}/versions"):
            known = check_model(args.model, args)
            if spec is not None:
                open_or_new(args.model, files, spec)
            spec = known
        else:
            spec = spec_of(args)
            check_new_model(args.model, spec, args)
    check_documents(args, wanted=wanted(spec) if spec else [], asked_by="the model")
    if args.holdout_documents:
        held_out = _holdout_arguments(args)
        check_apart(held_out, outputs={"model": args.model})
        check_documents(held_out, wanted=wanted(spec) if spec else [], asked_by="the model")
        learned, judged = (
            {str(match) for path in given if is_local(path, args) for match in local_matches(path) or [path]}
            for given in (args.documents or (), args.holdout_documents)
        )
        if both := sorted(learned & judged):
            raise PathError(f"--documents and --holdout-documents: {', '.join(both)} is in both, and would be learned.")


def gate_of(args: argparse.Namespace) -> Any:
    """Return the gate that the arguments describe."""
    from nbspark.errors import SpecError
    from nbspark.lifecycle.gate import Gate

    names = [name for name, _ in args.minimum]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise SpecError(f"--minimum {', '.join(twice)} is given twice.")
    return Gate(args.metric, args.level, dict(args.minimum))


def run(spark: SparkSession, args: argparse.Namespace, seconds: dict[str, float]) -> dict[str, Any]:
    """Learn, judge, publish, promote, print a summary and return the report."""
    from nbspark.commands.advice import MANY_UNDECODABLE
    from nbspark.model_store import ModelStore

    gate = gate_of(args)
    store = ModelStore(args.model, spec=_spec_if_wanted(spark, args), spark=spark)
    with timed(seconds, "read"):
        documents = documents_of(spark, args, wanted=wanted(store.spec), asked_by="the model")
        holdout = _holdout(spark, args, store)
    with timed(seconds, "retrain"):
        outcome = store.retrain(
            documents,
            batch=args.batch,
            date=args.date,
            holdout=holdout,
            metric=gate.metric,
            level=gate.level,
            minimum=gate.minimum,
            replace=args.replace,
            again=args.again,
            max_undecodable=None if args.allow_undecodable else MANY_UNDECODABLE,
        )
    assert outcome.decision is not None
    named = store.aliases().get("champion")
    report = {
        "documents": source_of(args),
        "batch": args.batch,
        **outcome_report(args, outcome),
        "gate": outcome.decision.to_json(),
        "champion": named.version if named else None,
    }
    report["warnings"] = _warnings(report)
    print_outcome(report | {"seconds": seconds})
    champion = "none" if report["champion"] is None else f"version {report['champion']}"
    print_facts(decision_facts(report["gate"]) | {"champion": champion})
    print_warnings(report["warnings"])
    write_page(args, seconds, spark=spark)
    return report


def exit_code(report: dict[str, Any]) -> int:
    """Return 0 for a version that was promoted, 3 for one that was not."""
    return 0 if report["gate"]["decision"] == "promoted" else KEPT


def _warnings(report: dict[str, Any]) -> list[str]:
    """Return what a person should do about a version that was not promoted."""
    if report["gate"]["decision"] == "promoted":
        return []
    if report["champion"] is None:
        return [f"no version is promoted, so scoring takes the newest, and that is {report['version']}."]
    forget = f"nbspark forget --batch {report['batch']} --model {report['model']}"
    return [f"the versions to come are made from this one. To leave its batch out of them: {forget}"]


def _spec_if_wanted(spark: SparkSession, args: argparse.Namespace) -> Spec | None:
    """Return the spec that is given, or must be because there is no model."""
    from nbspark.files.choose import files_for

    if is_spec_given(args) or not files_for(args.model, spark).names(f"{args.model}/versions"):
        return spec_of(args)
    return None


def _holdout(spark: SparkSession, args: argparse.Namespace, store: ModelStore) -> DataFrame | str:
    """Return the documents to judge on, or the share of the others."""
    if not args.holdout_documents:
        return str(args.holdout or "0.1")
    return documents_of(spark, _holdout_arguments(args), wanted=wanted(store.spec), asked_by="the model")


def _holdout_arguments(args: argparse.Namespace) -> argparse.Namespace:
    """Return the arguments as if the documents to judge on were the documents."""
    return argparse.Namespace(**{**vars(args), "documents": args.holdout_documents, "table": None})


def _level(text: str) -> float:
    """Return the level of a test.

    >>> _level("0.05")
    0.05
    """
    return _number(text, "a number between 0 and 1, for example 0.05", lambda found: 0 < found < 1)


def _minimum(text: str) -> tuple[str, float]:
    """Return a metric and what it must reach.

    >>> _minimum("accuracy=0.9")
    ('accuracy', 0.9)
    """
    from nbspark.errors import nearest

    name, equals, number = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"wants METRIC=NUMBER, for example accuracy=0.9, found {text!r}")
    if name not in METRICS:
        raise argparse.ArgumentTypeError(f"no metric {nearest(name, METRICS)}; known: {', '.join(METRICS)}")
    is_share = name != "log_loss"
    wanted = f"{name} from 0 to 1" if is_share else "log_loss of 0 or more"
    return name, _number(number, wanted, lambda found: 0 <= found <= (1 if is_share else float("inf")))


def _number(text: str, wanted: str, fits: Any) -> float:
    """Return a number that fits, or raise an error that says what is wanted."""
    try:
        found = float(text)
    except ValueError:
        found = float("nan")
    if not fits(found):
        raise argparse.ArgumentTypeError(f"wants {wanted}, found {text!r}")
    return found
