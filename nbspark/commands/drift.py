"""Say how far documents, or a later version, have moved from what a model learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark.commands.arguments import add_documents, source_of, whole_number
from nbspark.commands.common import documents_of
from nbspark.commands.reports import timed

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import SparkSession

    from nbspark.counting.table import CountTable
    from nbspark.insight.drift import Drift
    from nbspark.spec import Spec

MOVED = 4  # the exit code above the threshold


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_documents(parser, required=False)
    parser.add_argument("--model", required=True, metavar="DIR", help="a model's folder")
    parser.add_argument(
        "--from", dest="before", type=whole_number, metavar="N", help="a version; the champion, or newest, if not given"
    )
    parser.add_argument("--to", dest="after", type=whole_number, metavar="N", help="a later version, without documents")
    parser.add_argument("--label", metavar="COLUMN", help="the documents' label; what the model predicts if not given")
    parser.add_argument(
        "--threshold",
        type=float,
        metavar="BITS",
        help=f"end with {MOVED} if a divergence is beyond chance, and by more than this; 0 for any",
    )
    parser.add_argument(
        "--term-threshold",
        type=float,
        metavar="BITS",
        help=f"end with {MOVED} if one term adds more to a divergence than any does by chance, and by more than this",
    )
    parser.add_argument("--top", type=whole_number, default=10, metavar="N", help="terms of each kind; 10 if not given")


def check(args: argparse.Namespace) -> None:
    """Raise what can be told before Spark starts."""
    from nbspark.commands.checks import check_documents, check_model
    from nbspark.errors import SpecError

    has_documents = bool(args.documents or args.table)
    if has_documents == (args.after is not None):
        raise SpecError("drift wants either --documents (or --table), or --to N, a later version; not both.")
    for name, value in (("--threshold", args.threshold), ("--term-threshold", args.term_threshold)):
        if value is not None and not value >= 0:
            raise SpecError(f"{name} wants a number of bits >= 0, found {value}.")
    spec = check_model(args.model, args)
    if has_documents:
        wanted = [*(spec.columns() if spec else ()), *([args.label] if args.label else ())]
        check_documents(args, wanted=wanted, asked_by="the model or --label")


def needs_spark(args: argparse.Namespace) -> bool:
    """Say whether documents are read."""
    return bool(args.documents or args.table)


def run(spark: SparkSession | None, args: argparse.Namespace, seconds: dict[str, float]) -> dict[str, Any]:
    """Compare, print what has moved and return the report."""
    from nbspark.insight.drift import drift
    from nbspark.local import read_counts
    from nbspark.model_store import ModelStore

    store = ModelStore(args.model, spark=spark)
    version = store.version(args.before)
    with timed(seconds, "read"):
        before = read_counts(store.store, version)
    with timed(seconds, "count"):
        if spark is None:
            after = read_counts(store.store, store.version(args.after))
        else:
            after = _counts_of_documents(spark, args, store.spec, version.version)
    with timed(seconds, "compare"):
        from nbspark.store.options import under_options

        found = drift(under_options(store.spec, version.options), before, after, top=args.top)
    print("\n".join(_lines(found, args.top)))
    compared = source_of(args) if spark is not None else f"version {args.after}"
    limits = (found.excess, args.threshold), (found.term_excess, args.term_threshold)
    moved = any(limit is not None and value > limit for value, limit in limits)
    print(f"{compared} beside version {version.version}, beyond chance at most: {_told(*limits[0])}")
    print(f"one term, beyond chance at most: {_told(*limits[1])}")
    report = {"model": args.model, "from": version.version, "to": compared}
    report |= {"threshold": args.threshold, "term_threshold": args.term_threshold}
    return report | {"drift": found.to_dict(), "moved": moved}


def exit_code(report: dict[str, Any]) -> int:
    """Return the exit code: 4 above the threshold."""
    return MOVED if report["moved"] else 0


def _counts_of_documents(spark: SparkSession, args: argparse.Namespace, spec: Spec, version: int) -> CountTable:
    """Return the counts of the documents, by their label or by what the model makes of them."""
    from dataclasses import replace

    from nbspark.counting.table import CountTable
    from nbspark.lifecycle.batches import rows_of
    from nbspark.lifecycle.frame import count_documents
    from nbspark.model import load

    wanted = [*spec.columns(), *([args.label] if args.label else ())]
    documents = documents_of(spark, args, wanted=wanted, asked_by="the model or --label")
    if args.label is None:
        keep = list(dict.fromkeys(spec.columns()))
        documents = load(args.model, version=version, spark=spark).transform(documents, keep=keep)
    # Weights are of training; documents that come in count once each.
    files = count_documents(documents, replace(spec, weight=None), label=args.label or "prediction")
    return CountTable.from_arrow(rows_of(files))


def _told(bits: float, threshold: float | None) -> str:
    """Return a number of bits, and what it says beside a threshold."""
    verdict = "" if threshold is None else f", threshold {threshold:g}: {'moved' if bits > threshold else 'as before'}"
    return f"{bits:.4f} bits{verdict}"


def _lines(found: Drift, top: int) -> list[str]:
    """Return what has moved, for a person."""
    from nbspark.commands.insights import shown

    shares = sorted(found.classes.items(), key=lambda pair: -abs(pair[1][1] - pair[1][0]))
    lines = ["share of documents   before   after"]
    lines += [f"  {label:<18}  {was:6.1%}  {now:6.1%}" for label, (was, now) in shares[: max(top, 1)]]
    lines += [f"unknown terms of {name}: {now:.1%} (expected {was:.1%})" for name, (now, was) in found.unknown.items()]
    lines.append("divergence in bits    jsd  expected by chance   limit")
    for one in found.divergences:
        name = "class shares" if one.label is None else f"{one.label}, {one.feature}"
        beyond = "  beyond chance" if one.excess else ""
        lines.append(f"  {name:<18}  {one.jsd:.4f}              {one.expected:.4f}  {one.limit:.4f}{beyond}")
        kinds = {"moved": one.moved, "gone": one.gone, "new": one.new} if one.excess and one.label is not None else {}
        if one.label is not None and not one.excess and one.outliers:
            kinds = {"each beyond chance": one.outliers}
        for kind, terms in kinds.items():
            told = (f"{shown(each.term)} {each.docs_before:,.6g} -> {each.docs_after:,.6g}" for each in terms)
            lines += [f"    {kind}: {', '.join(told)}"] if terms else []
    return lines
