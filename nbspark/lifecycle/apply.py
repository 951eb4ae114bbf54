"""From a change to a published version: tried again on the newer version for as long as other writers are first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nbspark.errors import ConflictError
from nbspark.lifecycle.changes import Unchanged
from nbspark.lifecycle.sums import keep_sum

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbspark.lifecycle.changes import Changing
    from nbspark.lifecycle.gate import Decision
    from nbspark.store import Store, Version


@dataclass(frozen=True)
class Outcome:
    """What became of a change.

    Attributes
    ----------
    version : Version
        The new one; or that which needed no change, or from which a dry run would have gone on.
    changed : bool
    why : str or None
        Why nothing was changed.
    decision : Decision or None
        What the gate of ``retrain`` decided about the version.
    """

    version: Version
    changed: bool
    why: str | None = None
    decision: Decision | None = None


def apply(store: Store, change: Changing, *, note: Mapping[str, Any] | None = None, dry_run: bool = False) -> Outcome:
    """Publish what a change makes of the newest version, or of the one that another writer published meanwhile."""
    while True:
        newest = store.latest()
        found = change(newest)
        if isinstance(found, Unchanged):
            return Outcome(newest, changed=False, why=found.why)
        if dry_run:
            return Outcome(newest, changed=False, why="a dry run")
        options = newest.options if found.options is None else found.options
        try:
            made = store.publish(found.batches, parent=newest, note=note or {}, change=found.change, options=options)
        except ConflictError:
            continue
        keep_sum(store, made)
        return Outcome(made, changed=True)
