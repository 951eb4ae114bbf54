"""One command from its checks to its report: what fails is said in one line, and the report says it, too."""

from __future__ import annotations

import contextlib
import importlib
import logging
import sys
from typing import TYPE_CHECKING, Any

from nbspark.commands.interrupts import one_interrupt
from nbspark.commands.reports import Report, timed
from nbspark.runtime.failures import explain_failure

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from types import ModuleType

# Half a second of imports. pyspark wants pandas to be there before it runs Python on Arrow.
MEANWHILE = ("pandas", "pyspark.testing.utils", "nbspark.estimator")


def command_module(name: str) -> Any:
    """Return the module of a command."""
    module: ModuleType = importlib.import_module(f"nbspark.commands.{name}")
    return module


def run_command(args: argparse.Namespace) -> int:
    """Check, start Spark, run and report; return the exit code, or raise KeyboardInterrupt."""
    # py4j logs its own tracebacks; what is wrong is said once, below.
    logging.basicConfig(format="%(name)s: %(message)s", level=logging.INFO if args.verbose else logging.CRITICAL)
    logging.getLogger("nbspark").setLevel(logging.INFO if args.verbose else logging.WARNING)
    report = Report(args.command, args.report)
    try:
        with one_interrupt(), logged_warnings() as logged:
            report.begin(others=_places(args))
            found = _run(args, report)
            report.succeed(found | {"warnings": [*logged, *found.get("warnings", ())]})
    except KeyboardInterrupt:
        report.fail("stopped")
        raise
    except Exception as error:
        explained = explain_failure(error)
        report.fail(explained or repr(error))
        if explained is None or args.verbose:
            raise
        print(f"nbspark {args.command}: error: {explained}", file=sys.stderr)
        return 1
    return int(getattr(command_module(args.command), "exit_code", lambda _report: 0)(found))


@contextlib.contextmanager
def logged_warnings() -> Iterator[list[str]]:
    """Return a list that fills with what nbspark logs as a warning meanwhile; it is printed as ever."""
    found: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: found.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("nbspark")
    logger.addHandler(handler)
    try:
        yield found
    finally:
        logger.removeHandler(handler)


def _run(args: argparse.Namespace, report: Report) -> dict[str, Any]:
    """Run a command in a session and return what it found."""
    from nbspark.commands.sizes import is_short
    from nbspark.runtime.session import local_session, require_spark_keys

    command = command_module(args.command)
    require_spark_keys(dict(args.conf))
    command.check(args)
    if not getattr(command, "needs_spark", lambda _args: True)(args):
        without: dict[str, Any] = command.run(None, args, report.seconds)
        return without
    with timed(report.seconds, "start"):
        short = getattr(command, "is_short", is_short)(args)
        spark = local_session(name=f"nbspark {args.command}", conf=dict(args.conf), short=short, meanwhile=MEANWHILE)
    report.spark = spark.version
    with one_interrupt():  # Spark has its own way to be interrupted now
        found: dict[str, Any] = command.run(spark, args, report.seconds)
    return found


def _places(args: argparse.Namespace) -> dict[str, str]:
    """Return the paths of a command that its report must not lie in."""
    given = {name: getattr(args, name, None) for name in ("model", "output", "spec")}
    documents = [*(getattr(args, "documents", None) or ()), *(getattr(args, "holdout_documents", None) or ())]
    named = {f"documents ({i})": path for i, path in enumerate(documents, start=1)}
    return {name: path for name, path in (named | given).items() if path}
