"""Look after a stored model: list, show, top-terms, diff, promote, rollback, verify, compact, vacuum, merge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark.commands.arguments import whole_number
from nbspark.commands.changing import outcome_report, print_outcome
from nbspark.commands.common import counted, print_facts
from nbspark.commands.decisions import decision_facts
from nbspark.commands.reports import timed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from nbspark.model_store import ModelStore
    from nbspark.store import Version
    from nbspark.store.summary import Summary

DAY = 24.0  # hours
MEASURES = ("log_odds", "likelihood", "chi2", "mutual_information", "npmi")  # insight's, which takes time to import
LINEAGE = 20  # versions that are shown


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("action", choices=tuple(ACTIONS), metavar="ACTION", help=", ".join(ACTIONS))
    parser.add_argument("model", metavar="DIR", help="a model's folder")
    parser.add_argument(
        "what",
        nargs="*",
        default=[],
        metavar="VERSION",
        help="of show, top-terms, diff and promote; another model's of merge",
    )
    parser.add_argument("--alias", default="champion", help="of promote and rollback; champion if not given")
    parser.add_argument("--keep", type=whole_number, metavar="N", help="of compact and vacuum: the newest N stay")
    parser.add_argument(
        "--by", choices=MEASURES, default=MEASURES[0], help=f"of top-terms: what ranks them; {MEASURES[0]} if not given"
    )
    parser.add_argument(
        "--n", type=whole_number, default=10, metavar="N", help="of top-terms: of a class; 10 if not given"
    )
    parser.add_argument("--label", metavar="LABEL", help="of top-terms: one class only")
    parser.add_argument(
        "--min-age", type=float, default=DAY, metavar="HOURS", help="of vacuum: a younger folder may be a running job's"
    )
    parser.add_argument("--dry-run", action="store_true", help="of compact, vacuum and merge: say it, and do nothing")


def check(args: argparse.Namespace) -> None:
    """Raise if an action has not what it wants."""
    from nbspark.errors import SpecError

    low, high, wants = {
        "show": (0, 1, "a version or none"),
        "top-terms": (0, 1, "a version or none"),
        "diff": (2, 2, "two versions"),
        "promote": (1, 1, "a version"),
        "merge": (1, 1, "another model's folder"),
    }.get(args.action, (0, 0, "nothing more"))
    if not low <= len(args.what) <= high:
        raise SpecError(f"nbspark model {args.action} DIR wants {wants}, found {args.what or 'nothing'}.")
    wrong = [one for one in args.what if args.action != "merge" and not one.isdecimal()]
    if wrong:
        raise SpecError(f"nbspark model {args.action}: a version is a number, found {', '.join(wrong)}.")


def needs_spark(args: argparse.Namespace) -> bool:  # noqa: ARG001 - one signature for all commands
    """Say that no document is read."""
    return False


def run(_spark: None, args: argparse.Namespace, seconds: dict[str, float]) -> dict[str, Any]:
    """Do it, print what was found and return the report."""
    from nbspark.model_store import ModelStore

    with timed(seconds, args.action):
        return {"action": args.action, "model": args.model} | ACTIONS[args.action](ModelStore(args.model), args)


def _list(store: ModelStore, _args: argparse.Namespace) -> dict[str, Any]:
    versions = store.summaries()
    if not versions:
        store.store.latest()  # says that none is published
    aliases = {name: move.version for name, move in store.aliases().items()}
    named: dict[int, list[str]] = {}
    for name, number in aliases.items():
        named.setdefault(number, []).append(name)
    width = len(str(versions[-1].version))
    for one in versions:
        names = f"  <- {', '.join(named[one.version])}" if one.version in named else ""
        print(f"{one.version:>{width}}  {one.created[:16]}  {_line(one)}{names}")
    return {"versions": [one.version for one in versions], "aliases": aliases}


def _line(version: Summary) -> str:
    """Say what made a version, how much it holds and what a gate decided about it."""
    return f"{version.change:<28}  {_size(version)}" + (f"  {version.judged}" if version.judged else "")


def _size(version: Summary) -> str:
    """Say how much a version holds."""
    return f"{counted(version.documents, 'document')}, {counted(version.batches, 'batch')}"


def _gate(version: Version) -> dict[str, Any] | None:
    """Return what a gate decided about a version, as a report has it."""
    from nbspark.lifecycle.gate import decision_of

    decision = decision_of(version)
    return None if decision is None else decision.to_json()


def _show(store: ModelStore, args: argparse.Namespace) -> dict[str, Any]:
    version = store.version(int(args.what[0]) if args.what else None)
    print_facts(
        {
            "version": f"{version.version}, made {version.created} by {version.by} with nbspark {version.nbspark}",
            "change": version.summary.change,
            "holds": f"{_size(version.summary)}, {version.rows['n_pairs']:,} (label, term) rows",
            "label": str(store.spec.label),
            "features": ", ".join(map(repr, store.spec.features)),
            "options": str(dict(version.options)) if version.options else "as the spec says",
            "note": str(note) if (note := {k: v for k, v in version.note.items() if k != "gate"}) else "",
            **decision_facts(_gate(version)),
        }
    )
    print("lineage")
    for one in version.lineage[:LINEAGE]:
        print(f"  {one.version}  {one.created[:16]}  {_line(one)}")
    if len(version.lineage) > LINEAGE:
        print(f"  ... and {len(version.lineage) - LINEAGE} more")
    for batch in version.batches:
        for held in batch.holds:
            weight = "" if batch.weight == 1.0 else f"  weight {batch.weight:.6g}"
            print(f"batch  {held.batch}  {held.date or 'no date'}  {held.fingerprint or 'no fingerprint'}{weight}")
    return version.to_json()


def _top_terms(store: ModelStore, args: argparse.Namespace) -> dict[str, Any]:
    from nbspark.commands.insights import top_term_lines

    version = int(args.what[0]) if args.what else None
    rows = store.top_terms(args.n, args.by, label=args.label, version=version).to_pylist()
    print("\n".join(top_term_lines(rows, args.by)))
    return {"by": args.by, "version": store.version(version).version, "top_terms": rows}


def _diff(store: ModelStore, args: argparse.Namespace) -> dict[str, Any]:
    from dataclasses import asdict

    found = store.diff(*map(int, args.what))
    gained = sum(map(len, found.terms_gained.values()))
    lost = sum(map(len, found.terms_lost.values()))
    print_facts(
        {
            "classes": f"gained {found.classes_gained or 'none'}, lost {found.classes_lost or 'none'}",
            "terms": f"gained {gained:,}, lost {lost:,}",
            "options": ", ".join(f"{key}: {was!r} -> {now!r}" for key, (was, now) in found.options.items())
            or "the same",
        }
    )
    for feature, label, term, before, after in found.moved[:10]:
        print(f"moved  {feature}: {term!r} in {label!r}  {before:+.4f} -> {after:+.4f} nats")
    return asdict(found)


def _promote(store: ModelStore, args: argparse.Namespace) -> dict[str, Any]:
    move, changed = store.promote(int(args.what[0]), alias=args.alias)
    print(f"{args.alias} is version {move.version}" + ("" if changed else " already"))
    return {"alias": args.alias, "version": move.version, "changed": changed}


def _rollback(store: ModelStore, args: argparse.Namespace) -> dict[str, Any]:
    move = store.rollback(alias=args.alias)
    print(f"{args.alias} is version {move.version} again")
    return {"alias": args.alias, "version": move.version, "changed": True}


def _verify(store: ModelStore, _args: argparse.Namespace) -> dict[str, Any]:
    versions = store.verify()
    print(f"{counted(len(versions), 'version')} and their files are whole")
    return {"versions": versions}


def _compact(store: ModelStore, args: argparse.Namespace) -> dict[str, Any]:
    report = outcome_report(args, store.compact(keep=args.keep or 0, dry_run=args.dry_run))
    print_outcome(report | {"seconds": {}})
    return report


def _merge(store: ModelStore, args: argparse.Namespace) -> dict[str, Any]:
    from nbspark.model_store import ModelStore as Other

    report = outcome_report(args, store.merge(Other(args.what[0]), dry_run=args.dry_run))
    print_outcome(report | {"seconds": {}})
    return report


def _vacuum(store: ModelStore, args: argparse.Namespace) -> dict[str, Any]:
    keep = 1 if args.keep is None else args.keep
    found = store.vacuum(keep=keep, min_age=args.min_age * 3600, dry_run=args.dry_run)
    done = "would remove" if args.dry_run else "removed"
    print(f"{done} {counted(len(found.versions), 'version')} and {counted(len(found.folders), 'folder')} of batches")
    newest = [number for number in store.store.versions() if number not in found.versions][-keep:]
    older = {name: one.version for name, one in store.aliases().items() if one.version not in newest}
    for name, number in older.items():
        print(
            f"version {number} stays, for the alias {name} names it, and with it all that was forgotten since: "
            "promote a newer version and vacuum again"
        )
    done_to = {"versions": list(found.versions), "folders": list(found.folders), "held_by_aliases": older}
    return done_to | {"dry_run": args.dry_run}


ACTIONS: dict[str, Callable[[ModelStore, argparse.Namespace], dict[str, Any]]] = {
    "list": _list,
    "show": _show,
    "top-terms": _top_terms,
    "diff": _diff,
    "promote": _promote,
    "rollback": _rollback,
    "verify": _verify,
    "compact": _compact,
    "vacuum": _vacuum,
    "merge": _merge,
}
