"""Keep the newest batches of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark.commands.arguments import whole_number
from nbspark.commands.changing import add_change, check_change, run_change

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_change(parser)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--last", type=whole_number, metavar="N", help="the last N batches")
    what.add_argument("--since", metavar="DAY", help="the batches of this day, YYYY-MM-DD, and of those after it")


def check(args: argparse.Namespace) -> None:
    """Raise if there is no such model."""
    check_change(args)


def needs_spark(args: argparse.Namespace) -> bool:  # noqa: ARG001 - one signature for all commands
    """Say that no document is read."""
    return False


def run(_spark: None, args: argparse.Namespace, seconds: dict[str, float]) -> dict[str, Any]:
    """Publish, print a summary and return the report."""
    return run_change(args, seconds, lambda store: store.window(last=args.last, since=args.since, dry_run=args.dry_run))
