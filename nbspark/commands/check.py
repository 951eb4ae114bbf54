"""Say what is wrong with documents and labels before anything is learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark.commands.arguments import add_documents, source_of, whole_number
from nbspark.commands.common import counted, documents_of, print_facts, seconds_line
from nbspark.commands.learning import add_spec, spec_of
from nbspark.commands.reports import timed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession

    from nbspark.insight.verdicts import Finding
    from nbspark.selection.doubting import LabelDoubts
    from nbspark.spec import Spec

SERIOUS = 4  # the exit code with --strict
SIMILARITY = 0.8
SHOWN_LABELS = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_documents(parser)
    add_spec(parser)
    group = parser.add_argument_group("what to look for besides")
    group.add_argument(
        "--labels",
        action="store_true",
        help="labels that are probably wrong, by cross-validation: some five more passes",
    )
    group.add_argument("--folds", type=whole_number, default=10, metavar="N", help="for --labels; 10 if not given")
    group.add_argument(
        "--limit", type=whole_number, default=10, metavar="N", help="doubtful labels to show; 10 if not given"
    )
    group.add_argument(
        "--near-duplicates", action="store_true", help="texts that are nearly the same, by MinHash, which takes long"
    )
    parser.add_argument("--strict", action="store_true", help=f"end with {SERIOUS} if something serious is found")


def check(args: argparse.Namespace) -> None:
    """Raise what can be told before Spark starts."""
    from nbspark.commands.checks import check_documents
    from nbspark.commands.train import wanted_columns
    from nbspark.errors import SpecError
    from nbspark.features import Text
    from nbspark.selection.folds import Folds

    spec = spec_of(args)
    Folds((), args.folds)
    if args.near_duplicates and not any(isinstance(one, Text) for one in spec.features):
        raise SpecError("--near-duplicates: for texts, and none of the features is one.")
    check_documents(args, wanted=wanted_columns(spec), asked_by="the check")


def run(spark: SparkSession, args: argparse.Namespace, seconds: dict[str, float]) -> dict[str, Any]:
    """Look, print what was found and return the report."""
    from nbspark.commands.train import wanted_columns
    from nbspark.insight.frame import giveaways_of, near_duplicates_of, observe
    from nbspark.insight.verdicts import verdicts

    spec = spec_of(args).resolved()
    with timed(seconds, "read"):
        documents = documents_of(spark, args, wanted=wanted_columns(spec), asked_by="the check")
    with timed(seconds, "look"):
        observed = observe(documents, spec)
    with timed(seconds, "count"):
        giveaways = giveaways_of(documents, spec, observed.labels)
    near = None
    if args.near_duplicates:
        with timed(seconds, "compare"):
            near = near_duplicates_of(documents, spec, similarity=SIMILARITY)
    found = verdicts(observed, giveaways, near)
    doubts = None
    if args.labels:
        with timed(seconds, "doubt"):
            doubts = _doubts(documents, spec, args)
    rows = {"read": sum(observed.of("documents").values()), "unlabelled": observed.of("documents").get((None, None), 0)}
    report: dict[str, Any] = {"documents": source_of(args), "rows": rows, "classes": observed.labels}
    report |= {"findings": [one.to_dict() for one in found], "serious": any(one.is_serious for one in found)}
    report |= {"strict": args.strict, "label_errors": None if doubts is None else _plain(doubts)}
    _print(report, found, doubts, seconds)
    return report


def exit_code(report: dict[str, Any]) -> int:
    """Return the exit code: 4 if something serious was found and that was asked for."""
    return SERIOUS if report["strict"] and report["serious"] else 0


def _doubts(documents: DataFrame, spec: Spec, args: argparse.Namespace) -> LabelDoubts:
    """Return which labels are probably wrong."""
    from nbspark.estimator import NaiveBayes

    tuned = NaiveBayes.from_dict(spec.to_dict()).cross_validate(documents, folds=args.folds)
    return tuned.doubtful_labels(n=args.limit)


def _plain(doubts: LabelDoubts) -> dict[str, Any]:
    """Return doubts for JSON."""
    return {"n_docs": doubts.n_docs, "n_doubtful": doubts.n_doubtful, "noise": doubts.noise, "worst": doubts.worst}


def _print(
    report: dict[str, Any], found: Sequence[Finding], doubts: LabelDoubts | None, seconds: dict[str, float]
) -> None:
    """Print the report for a person."""
    from nbspark.evaluation.labels import display_names

    n, names = report["rows"]["read"], display_names(report["classes"])
    largest = sorted(report["classes"].items(), key=lambda one: -one[1])
    classes = ", ".join(f"{names[label]} {count:,}" for label, count in largest[:SHOWN_LABELS])
    more = f", and {len(largest) - SHOWN_LABELS:,} more" if len(largest) > SHOWN_LABELS else ""
    facts = {"read": f"{counted(n, 'row')} from {report['documents']}", "classes": f"{classes}{more}"}
    print_facts(facts | {"seconds": seconds_line(seconds)})
    for one in found:
        print(("! " if one.is_serious else "  ") + _line(one))
        for example in one.examples:
            print(f"      {example}")
    if doubts is not None:
        print(f"{doubts.n_doubtful:,} of {doubts.n_docs:,} labels are doubtful; the most doubtful first")
        for row in doubts.worst:
            told = f"{row['label']!r} (probability {row['probability']:.4f}), probably {row['prediction']!r}"
            print(f"      {told}: {row['text']!r}")
    n_serious = sum(one.is_serious for one in found)
    print("nothing serious" if not n_serious else f"{counted(n_serious, 'serious finding')}, marked with !")


def _line(one: Finding) -> str:
    """Return a finding in a line."""
    where = "" if one.column is None else f"{one.column}: "
    counts = "" if one.name != "scripts" else f" ({', '.join(f'{key} {n:,}' for key, n in one.counts.items())})"
    share = f"{one.share:.1%}" if one.share >= 0.001 else "less than 0.1%"
    return f"{where}{counted(one.n_docs, 'document')} ({share}) {one.told}{counts}"
