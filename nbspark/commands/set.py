"""Read the counts of a model under other options: a new version of the same batches."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from nbspark.commands.changing import check_change, run_change

if TYPE_CHECKING:
    from collections.abc import Sequence

TABLES = ("prior", "class_weight", "class_bias")  # options with a number for each class


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--model", required=True, metavar="DIR", help="a model's folder")
    parser.add_argument("--feature", metavar="NAME", help="set it for this feature; every one if not given")
    add_options(parser)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what works on counts: see ``Model.with_options``."""
    group = parser.add_argument_group("options, one or more")
    for name, metavar, about in (
        ("alpha", "NUMBER", "pseudo-count of every term; maximum_likelihood for none at all"),
        ("event", "NAME", "multinomial, binary, bernoulli or complement"),
        ("norm", "BOOL", "true or false: divide complement weights by their sum"),
        ("prior-smoothing", "NUMBER", "pseudo-count of every class"),
        ("var-smoothing", "NUMBER", "of numeric features"),
        ("temperature", "NUMBER", "divides the scores, so that probabilities are calibrated"),
        ("temperature-exponent", "NUMBER", "how the temperature grows with the terms of a document"),
        ("min-docs", "N", "documents that have a term, at least; with a point, a share of all"),
        ("max-docs", "N", "the same at most"),
        ("min-count", "N", "occurrences of a term, at least"),
        ("max-terms", "N", "keep the most frequent terms only"),
        ("drop-top", "N", "drop the most frequent terms"),
    ):
        group.add_argument(f"--{name}", type=value_of, metavar=metavar, help=about)
    for name, about in (
        ("prior", "documents, tokens, uniform or none; or a share for each class, as spam=0.3 ham=0.7"),
        ("class-weight", "balanced; or a weight for each class, as spam=2 ham=1"),
        ("class-bias", "what is added to the calibrated score of each class, as spam=0.1 ham=0"),
    ):
        group.add_argument(f"--{name}", nargs="+", metavar="NAME", help=about)


def check(args: argparse.Namespace) -> None:
    """Raise if there is no such model, or nothing to set."""
    from nbspark.errors import SpecError

    if not options_of(args):
        raise SpecError("nbspark set wants an option or more, for example --alpha 0.1.")
    check_change(args)


def needs_spark(args: argparse.Namespace) -> bool:  # noqa: ARG001 - one signature for all commands
    """Say that no document is read."""
    return False


def run(_spark: None, args: argparse.Namespace, seconds: dict[str, float]) -> dict[str, Any]:
    """Publish, print a summary and return the report."""
    report = run_change(args, seconds, lambda store: store.set_options(feature=args.feature, **options_of(args)))
    return report | {"options": options_of(args)}


def options_of(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options that are given, by the names of ``Model.with_options``."""
    from nbspark.spec import READ_TIME_OPTIONS

    given = {name: getattr(args, name) for name in READ_TIME_OPTIONS}
    tables = {name: table_of(given[name], name) for name in TABLES if given[name] is not None}
    return {name: value for name, value in (given | tables).items() if value is not None}


def value_of(text: str) -> Any:
    """Return an option as what it looks like: a whole number, a number, true or false, or a name.

    >>> [value_of(text) for text in ("2", "0.01", "true", "complement")]
    [2, 0.01, True, 'complement']
    """
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def table_of(words: Sequence[str], name: str) -> str | dict[str, float]:
    """Return a name, or a number for each class.

    >>> table_of(["uniform"], "prior"), table_of(["a=b=0.25", "ham=0.75"], "prior")
    ('uniform', {'a=b': 0.25, 'ham': 0.75})
    """
    from nbspark.errors import SpecError

    if len(words) == 1 and "=" not in words[0]:
        return words[0]
    pairs = [word.rpartition("=") for word in words]
    found = {label: value_of(number) for label, _, number in pairs}
    wrong = [
        word for word, (_label, _, number) in zip(words, pairs, strict=True) if isinstance(value_of(number), str | bool)
    ]
    if wrong or len(found) < len(words):
        raise SpecError(f"{name} wants one name, or CLASS=NUMBER once for each class, found {' '.join(words)}.")
    return found
