"""Arguments of how scores become a prediction: thresholds that it must reach, costs of errors. No pyspark in it."""

from __future__ import annotations

import argparse
from typing import Any

from nbspark.commands.arguments import whole_number

THRESHOLDS = ("min_probability", "min_margin", "min_known", "min_evidence")


def add_decision(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    group = parser.add_argument_group("when to give no prediction, and which one else; reason says what was missed")
    group.add_argument("--min-probability", type=number, metavar="P", help="of the predicted label, at least")
    group.add_argument("--min-margin", type=number, metavar="P", help="between the two highest probabilities, at least")
    group.add_argument("--min-known", type=whole_number, metavar="N", help="known terms of the document, at least")
    group.add_argument(
        "--min-evidence", type=number, metavar="N", help="documents of the predicted label in training, at least"
    )
    group.add_argument(
        "--costs",
        metavar="FILE",
        help="TOML or JSON, {true label: {predicted label: cost}}: predict the label of least expected cost",
    )


def decision_of(args: argparse.Namespace) -> dict[str, Any]:
    """Return what was asked for, by the names of ``Model.transform``.

    Raises
    ------
    SpecError
        A threshold is out of range, or the file of costs cannot be read.
    """
    from nbspark.scoring.costs import read_costs
    from nbspark.scoring.thresholds import Thresholds

    found: dict[str, Any] = {name: getattr(args, name) for name in THRESHOLDS}
    Thresholds(**found)
    return found | {"costs": None if args.costs is None else read_costs(args.costs)}


def abstains(args: argparse.Namespace) -> bool:
    """Say whether predictions may be withheld."""
    return any(getattr(args, name) is not None for name in THRESHOLDS)


def number(text: str) -> float:
    """Return a number.

    >>> number("0.9")
    0.9
    """
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"wants a number, found {text!r}") from None
