"""Weigh the batches of a model by their age."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark.commands.changing import add_change, check_change, run_change

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_change(parser)
    parser.add_argument(
        "--half-life", type=float, required=True, metavar="DAYS", help="a batch counts half for so many days of age"
    )
    parser.add_argument("--as-of", metavar="DAY", help="the day that counts fully; if not given, the newest batch's")


def check(args: argparse.Namespace) -> None:
    """Raise if there is no such model."""
    check_change(args)


def needs_spark(args: argparse.Namespace) -> bool:  # noqa: ARG001 - one signature for all commands
    """Say that no document is read."""
    return False


def run(_spark: None, args: argparse.Namespace, seconds: dict[str, float]) -> dict[str, Any]:
    """Publish, print a summary and return the report."""
    return run_change(args, seconds, lambda store: store.decay(args.half_life, as_of=args.as_of, dry_run=args.dry_run))
