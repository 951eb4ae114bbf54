"""The HTML report of a command: what is known of a model, put on a page. No pyspark but in what reads documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbspark.commands.arguments import source_of
from nbspark.commands.reports import require_local, timed
from nbspark.errors import PathError

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import DataFrame, SparkSession

    from nbspark.model import Model
    from nbspark.model_store import ModelStore
    from nbspark.report.content import VersionLine

TERMS = 12  # of a class
MANY = 40  # classes, and fewer terms of each


def add_report_html(parser: argparse.ArgumentParser) -> None:
    """Add the argument of commands that can end with a page."""
    parser.add_argument("--report-html", metavar="FILE", help="write what was found as one HTML page to look at")


def check_page(path: str | None, args: argparse.Namespace, *, what: str = "report-html") -> None:
    """Raise unless a page can be written there."""
    if path is None:
        return
    from nbspark.commands.checks import check_apart
    from nbspark.report.page import require_jinja, require_place

    require_jinja()
    require_local(path, what=what)
    require_place(path)
    model = getattr(args, "model", None)
    check_apart(args, outputs={what: path}, inputs={"model": model} if model else {})


def of_model(
    path: str, *, version: int | None = None, alias: str | None = None, spark: SparkSession | None = None
) -> dict[str, Any]:
    """Return what a page says of a model itself: its terms, its versions and its spec."""
    from nbspark.model_store import ModelStore
    from nbspark.store.options import under_options

    store = ModelStore(path, spark=spark)
    found = store.version(version, alias=alias)
    if spark is None:
        terms = store.top_terms(TERMS, version=found.version).to_pylist()
    else:
        from nbspark.model import load

        terms = load(path, version=found.version, spark=spark).top_terms(TERMS).to_pylist()
    n_classes = len({row["label"] for row in terms})
    if n_classes > MANY:
        terms = [row for row in terms if row["rank"] <= TERMS // 2]
    return {
        "top_terms": terms,
        "versions": version_lines(store),
        "spec": under_options(store.spec, found.options).to_dict(),
    }


def version_lines(store: ModelStore) -> list[VersionLine]:
    """Return the versions, the oldest first, with what a gate measured."""
    from nbspark.lifecycle.gate import METRICS, decision_of
    from nbspark.report.content import VersionLine

    names: dict[int, list[str]] = {}
    for name, move in store.aliases().items():
        names.setdefault(move.version, []).append(name)
    lines = []
    for one in store.summaries():
        decision = decision_of(store.version(one.version)) if one.judged else None
        known = {} if decision is None else {name: decision.challenger[name] for name in METRICS}
        metrics = {name: value for name, value in known.items() if isinstance(value, int | float)}
        told = "" if decision is None else ("promoted" if decision.promoted else "kept back")
        about = (one.version, one.created, one.change, one.documents, tuple(names.get(one.version, ())))
        lines.append(VersionLine(*about, decision=told, metrics=metrics))
    return lines


def write_page(
    args: argparse.Namespace,
    seconds: dict[str, float],
    *,
    spark: SparkSession | None = None,
    version: int | None = None,
    held_back: tuple[Model, DataFrame] | None = None,
    **known: Any,
) -> None:
    """Write the page that --report-html asks for, if it does.

    Parameters
    ----------
    version : int, optional
        Of the model that the arguments name; the champion, or newest, unless given.
    held_back : (Model, DataFrame), optional
        Documents that were evaluated: mistakes among them are shown.
    known : dict
        Further attributes of ``report.content.Content``.
    """
    if args.report_html is None:
        return
    from nbspark.report.content import Content
    from nbspark.report.page import write

    with timed(seconds, "page"):
        path = getattr(args, "model", None)
        if path:
            known |= of_model(path, version=version, spark=spark)
        if held_back is not None:
            from nbspark.report.frame import mistakes

            model, documents = held_back
            known["mistakes"] = mistakes(model, documents, label=model.spec.label)
        about = {"made by": f"nbspark {args.command}", "documents": source_of(args)} | ({"model": path} if path else {})
        write(args.report_html, Content(f"Report on {Path(path).name if path else source_of(args)}", about, **known))
    print(f"report: {args.report_html}")


def read_report(path: str | None, *, command: str) -> dict[str, Any] | None:
    """Return the JSON report of a run of another command.

    Raises
    ------
    PathError
        It cannot be read, or is none of a run of that command that ended well.
    """
    if path is None:
        return None
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PathError(
            f"{path} cannot be read as JSON: {error}. Name what nbspark {command} --report wrote."
        ) from error
    if not isinstance(found, dict) or found.get("command") != command or found.get("status") != "succeeded":
        raise PathError(f"{path} is no report of an nbspark {command} that ended well. Name what its --report wrote.")
    return found
