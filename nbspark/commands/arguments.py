"""Arguments that several commands share, and a parser that names the nearest option. No pyspark in it."""

from __future__ import annotations

import argparse
import re
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from nbspark.errors import nearest

if TYPE_CHECKING:
    from collections.abc import Sequence


class WrongArguments(SystemExit):
    """The end of a process that was called with wrong arguments, its code 2.

    Parameters
    ----------
    message : str
        What is wrong, in one line; it was printed.
    """

    def __init__(self, message: str) -> None:
        super().__init__(2)
        self.message = message


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line and name the nearest option or choice.

    Examples
    --------
    >>> parser = Parser(prog="nbspark train")
    >>> argument = parser.add_argument("--model", required=True)
    >>> parser.told("the following arguments are required: --model", ["--modle", "m"])
    "no option '--modle' (did you mean '--model'?)"
    >>> parser.told("the following arguments are required: --model", ["--target", "m"])
    "no option '--target'; known: --help, --model"
    >>> parser.told("argument COMMAND: invalid choice: 'trian' (choose from 'train', 'score')", ["trian"])
    "argument COMMAND: invalid choice: 'trian' (did you mean 'train'?); known: train, score"
    """

    _given: Sequence[str] = ()

    def parse_known_args(  # type: ignore[override]  # of its overloads, one covers all
        self, args: Any = None, namespace: Any = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse, and end here on what no option takes: the parser above would not know what is near."""
        self._given = list(args or ())
        found, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        return found, rest

    def error(self, message: str) -> NoReturn:
        """End the process with code 2 and one line."""
        told = " ".join(self.told(message, self._given).split())
        print(f"{self.prog}: error: {told}. See {self.prog} --help", file=sys.stderr)
        raise WrongArguments(told)

    def told(self, message: str, given: Sequence[str]) -> str:
        """Return argparse's message, or a plainer one where a word is misspelt."""
        unknown = self._unknown_options(given)
        if unknown:  # it is why another one is missing
            near = [nearest(name, self._option_string_actions) for name in unknown]
            is_strange = any(one == repr(name) for one, name in zip(near, unknown, strict=True))
            options = ", ".join(name for name in self._option_string_actions if name.startswith("--"))
            return f"no option {', '.join(near)}" + (f"; known: {options}" if is_strange else "")
        choice = re.search(r"(.*invalid choice: )'(.*)' \(choose from (.*)\)$", message, re.DOTALL)
        if not choice:
            return message
        known = re.findall(r"[\w.-]+", choice[3])
        return f"{choice[1]}{nearest(choice[2], known)}; known: {', '.join(known)}"

    def _unknown_options(self, given: Sequence[str]) -> list[str]:
        """Return the options of a command line that are none, not even the beginning of one."""
        ended = given.index("--") if "--" in given else len(given)
        if any(isinstance(action, argparse._SubParsersAction) for action in self._actions):
            ended = next((i for i, one in enumerate(given) if not one.startswith("-")), ended)
        names = [one.partition("=")[0] for one in given[:ended] if re.match(r"--\w", one)]
        known = tuple(self._option_string_actions)
        return [name for name in names if not any(option.startswith(name) for option in known)]


def add_documents(parser: argparse.ArgumentParser, flag: str = "--documents", *, required: bool = True) -> None:
    """Add the arguments that say where documents are and how to read them."""
    source = parser.add_mutually_exclusive_group(required=required)
    source.add_argument(
        flag,
        dest="documents",
        metavar="PATH",
        nargs="+",
        action="extend",
        help="files, folders or patterns; of several, all must have the same columns",
    )
    source.add_argument("--table", metavar="NAME", help="a table of the catalog, for example db.docs")
    parser.add_argument(
        "--format",
        help="parquet, json, csv, text, orc, delta, ..., or folders (DIR/<class>/<file>: columns path, label, text); "
        "by the ending if not given",
    )
    parser.add_argument(
        "--option", action="append", type=key_value, default=[], metavar="KEY=VALUE", help="an option of Spark's reader"
    )
    parser.add_argument("--encoding", help="of csv, json, text and folders; UTF-8 if not given")


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say which version of which model reads the documents."""
    parser.add_argument("--model", required=True, metavar="DIR", help="a model's folder")
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--version", type=whole_number, metavar="N", help="a version; the champion, or newest, if not given"
    )
    which.add_argument("--alias", metavar="NAME", help="the version that an alias names")


def add_run(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of every command."""
    parser.add_argument(
        "--conf",
        action="append",
        type=key_value,
        default=[],
        metavar="KEY=VALUE",
        help="a Spark setting (local runs)",
    )
    parser.add_argument("--report", metavar="FILE", help="write what happened as JSON, also when the command fails")
    parser.add_argument("--verbose", action="store_true", help="log choices; show the traceback of a failure")


def key_value(text: str) -> tuple[str, str]:
    """Return both sides of ``KEY=VALUE``.

    >>> key_value("sep=a=b")
    ('sep', 'a=b')
    """
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"wants KEY=VALUE, found {text!r}")
    return key, value


def whole_number(text: str) -> int:
    """Return a number >= 0.

    >>> whole_number("3")
    3
    """
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"wants a whole number, 0 or more, found {text!r}")
    return int(text)


def source_of(args: argparse.Namespace) -> str:
    """Name the documents in a message or report."""
    return ", ".join(args.documents) if args.documents else f"table {args.table}"
