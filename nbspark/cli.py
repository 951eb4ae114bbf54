"""Every command, once: ``nbspark COMMAND`` and ``spark-submit jobs/COMMAND.py`` are this code.

What is imported here is quick: modules that take time come inside functions, so that Ctrl-C finds `main` at work, and a
wrong argument is told at once.
"""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
from typing import TYPE_CHECKING

from nbspark.commands import NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    0, or the command's own (4 of drift above a threshold); 130 if stopped, or 1 with one line that says what went
    wrong.

    Parameters
    ----------
    argv : sequence of str, optional
        ``sys.argv[1:]`` unless given.
    """
    given = list(sys.argv[1:] if argv is None else argv)
    try:
        from nbspark.commands.running import run_command

        return run_command(parse_args(given))
    except KeyboardInterrupt:
        if argv is None:  # the process ends, and Spark with it, which must not be interrupted again
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        print(f"nbspark {_command_in(given)}".rstrip() + ": stopped", file=sys.stderr)
        return 130  # as a shell has it: 128 + SIGINT


def parse_args(argv: Sequence[str]) -> argparse.Namespace:
    """Return the arguments of a command line; wrong ones end the process with code 2 and one line."""
    from nbspark.commands.arguments import Parser, WrongArguments, add_run
    from nbspark.commands.running import command_module
    from nbspark.version import __version__

    parser = Parser(prog="nbspark", description="Naive Bayes classification as Spark jobs.")
    parser.add_argument("--version", action="version", version=f"nbspark {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in NAMES:
        module = command_module(name)
        about = str(module.__doc__).strip().splitlines()[0]
        command = commands.add_parser(name, help=about, description=about)
        module.add_arguments(command)
        add_run(command)
    try:
        return parser.parse_args(argv)
    except WrongArguments as error:
        _report_wrong(argv, error.message)
        raise


def _command_in(argv: Sequence[str]) -> str:
    """Return the command of a command line, or nothing."""
    return next((one for one in argv if one in NAMES), "")


def _report_wrong(argv: Sequence[str], message: str) -> None:
    """Say of wrong arguments in the report that they name, or an earlier success would stay there."""
    from nbspark.commands.reports import Report
    from nbspark.errors import PathError

    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False, allow_abbrev=False)
    parser.add_argument("--report")
    with contextlib.suppress(PathError, argparse.ArgumentError):
        report = Report(_command_in(argv), parser.parse_known_args(argv)[0].report)
        report.begin(others={})
        report.fail(message)


if __name__ == "__main__":
    sys.exit(main())
