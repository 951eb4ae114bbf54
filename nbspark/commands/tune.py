"""Try options by cross-validation: one pass over the documents counts, another one tries every setting."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from nbspark.commands.arguments import add_documents, key_value, source_of, whole_number
from nbspark.commands.common import counted, documents_of, print_facts, print_warnings, seconds_line
from nbspark.commands.learning import add_spec, specs_of
from nbspark.commands.pages import add_report_html, check_page, write_page
from nbspark.commands.reports import timed
from nbspark.errors import SpecError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from nbspark.commands.outputs import Folder
    from nbspark.selection.tuning import Plan
    from nbspark.tuned import Tuned

METRICS = ("accuracy", "macro_f1", "log_loss")  # those of nbspark.selection, which takes time to import
CHOICES = ("best", "simplest")
ASKED_BY = "the trials"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_documents(parser)
    add_spec(parser, several=True)
    group = parser.add_argument_group("what to try")
    group.add_argument(
        "--grid",
        action="append",
        type=key_value,
        default=[],
        metavar="OPTION=VALUE,...",
        help="values of alpha, event, norm, prior, prior_smoothing, class_weight, min_docs, max_docs, min_count, "
        "max_terms, drop_top or var_smoothing; may be repeated: every combination is tried",
    )
    group.add_argument("--folds", type=whole_number, default=10, metavar="N", help="10 if not given; by content")
    by = group.add_mutually_exclusive_group()
    by.add_argument("--group", metavar="COLUMN", help="keep documents with the same value in one fold")
    by.add_argument("--fold-column", metavar="COLUMN", help="the column that names each document's fold")
    group.add_argument("--metric", choices=METRICS, default="accuracy", help="what settings are compared by")
    group.add_argument(
        "--choose",
        choices=CHOICES,
        default="best",
        help="the best setting (if not given), or the simplest within one standard error: fewest terms, largest alpha",
    )
    group = parser.add_argument_group("what to do with the chosen setting")
    group.add_argument("--model", metavar="DIR", help="a new folder for its model, from the same counts")
    group.add_argument("--batch", default="1", metavar="ID", help="your name for these documents, for example a date")
    group.add_argument(
        "--calibrate", action="store_true", help="fit the model's temperature out of fold: three more passes to score"
    )
    group.add_argument("--predictions", metavar="PATH", help="a new folder for its predictions out of fold")
    group.add_argument(
        "--keep", action="append", metavar="COLUMN", help="a column to write beside them; may be repeated; else all"
    )
    add_report_html(parser)


def check(args: argparse.Namespace) -> None:
    """Raise what can be told before Spark starts."""
    from nbspark.commands.checks import check_apart, check_documents, is_local
    from nbspark.files.paths import require_new

    plan = plan_of(args)
    outputs = {name: path for name in ("model", "predictions") if (path := getattr(args, name))}
    check_apart(args, outputs=outputs)
    check_page(args.report_html, args)
    if args.model and is_local(args.model, args):
        require_new(args.model, what="model")
    if args.calibrate and not args.model:
        raise SpecError("--calibrate: for --model only, and it is not given.")
    if args.keep and not args.predictions:
        raise SpecError("--keep: for --predictions only, and it is not given.")
    if args.predictions and is_local(args.predictions, args):
        output_of(args).require_free()
    check_documents(args, wanted=wanted_columns(plan, args), asked_by=ASKED_BY)


def plan_of(args: argparse.Namespace) -> Plan:
    """Return what is to be tried."""
    from nbspark.selection.grid import grid_value
    from nbspark.selection.tuning import Plan

    names = [name for name, _ in args.grid]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SpecError(f"--grid: {twice} is given twice. Give all values at once: {twice[0]}=1,2.")
    grid = {name: [grid_value(name, one.strip()) for one in values.split(",")] for name, values in args.grid}
    specs = [spec.resolved() for spec in specs_of(args)]
    by = {"folds": args.folds, "group": args.group, "fold_column": args.fold_column}
    return Plan.of(specs, grid, metric=args.metric, **by)


def output_of(args: argparse.Namespace) -> Folder:
    """Return the place for predictions."""
    from nbspark.commands.outputs import Folder, format_of

    return Folder(args.predictions, format_of(args.predictions, None))


def wanted_columns(plan: Plan, args: argparse.Namespace) -> list[str]:
    """Return the columns that are read."""
    return [*plan.columns, plan.specs[0].label, *(args.keep or ())]


def run(spark: SparkSession, args: argparse.Namespace, seconds: dict[str, float]) -> dict[str, Any]:
    """Try, publish and write what was asked for, print the table and return the report."""
    from nbspark.model import Model
    from nbspark.tuned import tune

    plan = plan_of(args)
    with timed(seconds, "read"):
        documents = documents_of(spark, args, wanted=wanted_columns(plan, args), asked_by=ASKED_BY)
    with timed(seconds, "tune"):
        tuned = tune(documents, plan, choose=args.choose)
    report = {"documents": source_of(args), "rows": rows_of(tuned), **tuned.to_dict()}
    report |= {"specs": args.spec, "model": args.model, "predictions": args.predictions, "warnings": warnings_of(tuned)}
    if args.model:
        with timed(seconds, "publish"):
            model = tuned.model(calibrated=args.calibrate)
            assert isinstance(model, Model)  # the documents are Spark's
            model.save(args.model, batch=args.batch)
            report["temperature"] = model.spec.temperature
            if args.calibrate:
                report["calibration"] = tuned.calibration()
    if args.predictions:
        with timed(seconds, "predict"):
            output_of(args).write(tuned.predictions(keep=args.keep))
    print_summary(report | {"seconds": seconds}, tuned, args)
    write_page(args, seconds, spark=spark, tuning=report)
    return report


def calibrated_line(found: dict[str, dict[str, float]]) -> str:
    """Return what a calibration gave, out of fold.

    >>> calibrated_line({"log_loss": {"before": 0.75, "after": 0.5}})
    'log loss 0.7500 to 0.5000 (out of fold)'
    """
    parts = [f"{name.replace('_', ' ')} {one['before']:.4f} to {one['after']:.4f}" for name, one in found.items()]
    return f"{', '.join(parts)} (out of fold)"


def rows_of(tuned: Tuned) -> dict[str, int]:
    """Return what became of the rows."""
    rows = tuned.rows
    return {
        "read": rows["rows_read"],
        "learned": rows["rows_read"] - rows["unlabelled"],
        "unlabelled": rows["unlabelled"],
        "without_terms": rows["without_terms"],
        "undecodable": rows["undecodable"],
    }


def warnings_of(tuned: Tuned) -> list[str]:
    """Return what a person should look at: the best value of an option is at the end of those that were tried."""
    found = []
    best = tuned.best.setting.options
    for name, value in best.items():
        tried = {one.setting.options[name] for one in tuned.settings}
        if name != "alpha" or len(tried) < 2 or not all(isinstance(one, int | float) for one in tried):
            continue
        if value in (min(tried), max(tried)):
            more = "smaller" if value == min(tried) else "larger"
            found.append(f"the best {name}, {value}, is at the end of those that were tried. Try {more} ones, too.")
    return found


def print_summary(report: dict[str, Any], tuned: Tuned, args: argparse.Namespace) -> None:
    """Print the report for a person."""
    from nbspark.selection.render import shown

    rows = report["rows"]
    options = ", ".join(f"{name} {shown(value)}" for name, value in tuned.chosen.setting.options.items())
    if len(args.spec or ()) > 1:
        options = f"{args.spec[tuned.chosen.setting.base]}, {options}".rstrip(", ")
    print(tuned.table(args.spec if len(args.spec or ()) > 1 else ()))
    print()
    print_facts(
        {
            "read": f"{counted(rows['read'], 'row')} from {report['documents']}",
            "learned": f"{counted(rows['learned'], 'document')}, {counted(len(tuned.folds), 'fold')}",
            "not learned": f"{counted(rows['unlabelled'], 'row')} without a label" if rows["unlabelled"] else "",
            "chosen": options,
            "model": f"{args.model}, version 1, batch {args.batch}" if args.model else "",
            "temperature": f"{report['temperature']:.4g}" if args.calibrate else "",
            "calibrated": calibrated_line(report["calibration"]) if args.calibrate else "",
            "predictions": str(output_of(args)) if args.predictions else "",
            "seconds": seconds_line(report["seconds"]),
        }
    )
    print_warnings(report["warnings"])
