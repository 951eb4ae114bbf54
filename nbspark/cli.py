"""Every command, once: ``nbspark COMMAND`` and ``spark-submit jobs/COMMAND.py`` are this code."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from nbspark import __version__
from nbspark.errors import PathError
from nbspark.files.protocol import scheme_of
from nbspark.runtime.failures import explain_failure
from nbspark.runtime.session import local_session

try:
    from nbspark.commands import demo, evaluate, score, train
    from nbspark.commands.common import key_value, write_json
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "pyspark":
        raise
    sys.exit("nbspark: error: there is no pyspark to run with. Run: pip install 'nbspark[spark]'")

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = {"train": train, "score": score, "evaluate": evaluate, "demo": demo}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, 130 if stopped, or 1 with one line that says what went wrong.

    Parameters
    ----------
    argv : sequence of str, optional
        ``sys.argv[1:]`` unless given.
    """
    args = parse_args(argv)
    # py4j logs its own tracebacks; what is wrong is said once, below.
    logging.basicConfig(format="%(name)s: %(message)s", level=logging.INFO if args.verbose else logging.CRITICAL)
    logging.getLogger("nbspark").setLevel(logging.INFO if args.verbose else logging.WARNING)
    try:
        _require_report(args.report)
        spark = local_session(name=f"nbspark {args.command}", conf=dict(args.conf))
        report = COMMANDS[args.command].run(spark, args)
        if args.report:
            write_json(args.report, report)
    except KeyboardInterrupt:
        print(f"nbspark {args.command}: stopped", file=sys.stderr)
        return 130  # as a shell has it: 128 + SIGINT
    except Exception as error:
        explained = explain_failure(error)
        if explained is None or args.verbose:
            raise
        return _failed(args.command, explained)
    return 0


def parse_args(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the arguments of a command line; wrong ones end the process with code 2 and the usage."""
    parser = argparse.ArgumentParser(prog="nbspark", description="Naive Bayes classification as Spark jobs.")
    parser.add_argument("--version", action="version", version=f"nbspark {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, module in COMMANDS.items():
        about = str(module.__doc__).strip().splitlines()[0]
        command = commands.add_parser(name, help=about, description=about)
        module.add_arguments(command)
        command.add_argument(
            "--conf",
            action="append",
            type=key_value,
            default=[],
            metavar="KEY=VALUE",
            help="a Spark setting (local runs)",
        )
        command.add_argument("--report", metavar="FILE", help="write what happened as JSON")
        command.add_argument("--verbose", action="store_true", help="log choices; show the traceback of a failure")
    return parser.parse_args(argv)


def _require_report(path: str | None) -> None:
    """Raise if the report cannot go to ``path``; it may replace an older report, but nothing else."""
    if path is None:
        return
    if scheme_of(path):
        raise PathError(f"report {path!r}: wants a file on the driver's own disk. Give a path without a scheme.")
    file = Path(path)
    if file.is_dir():
        raise PathError(f"report {path!r} is a folder. Name a file.")
    if file.exists() and not _is_report(file):
        raise PathError(f"report {path!r} exists and is no report of nbspark. Name another file, or remove it first.")
    file.parent.mkdir(parents=True, exist_ok=True)  # now, not after the work is done


def _is_report(file: Path) -> bool:
    """Say whether a file is a report of an earlier run."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        return False
    return isinstance(found, dict) and found.get("command") in COMMANDS


def _failed(command: str, message: str) -> int:
    """Print why a command failed and return its exit code."""
    print(f"nbspark {command}: error: {message}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
