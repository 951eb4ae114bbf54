"""Learning behind a gate: a batch is added, judged beside the champion, published, and promoted or not.

The judgement comes before the version is published and is part of it, so that whoever finds the version knows what was
decided. A run that is killed has published nothing, and its retry starts anew; or has published, and its retry finds
the decision and carries it out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace as replaced
from typing import TYPE_CHECKING, Any, NamedTuple

from nbspark.errors import ConflictError, StoreError
from nbspark.lifecycle import changes
from nbspark.lifecycle.apply import Outcome
from nbspark.lifecycle.gate import Decision, Gate, decide, decision_of
from nbspark.lifecycle.promotion import ROLLBACK
from nbspark.lifecycle.sums import keep_sum
from nbspark.spec import Spec
from nbspark.store.aliases import CHAMPION, history, move, newest_move
from nbspark.store.layout import Store
from nbspark.store.spec_difference import require_spec
from nbspark.store.summary import GATE

if TYPE_CHECKING:
    from os import PathLike

    from nbspark.files.protocol import Files
    from nbspark.store import Batch, Version
    from nbspark.store.aliases import Move


class Judgement(NamedTuple):
    """What two models are worth on the same documents: see ``gate.Decision``."""

    challenger: Mapping[str, Any]
    champion: Mapping[str, Any] | None
    p_value: float | None


Judge = Callable[["Version", "Version | None"], Judgement]  # of a challenger and a champion; neither need be published


def open_or_new(path: str | PathLike[str], files: Files, spec: Spec) -> Store:
    """Return the model at a path, or one that is to be made there.

    Raises
    ------
    SpecError
        There is a model, and it learns something else.
    PathError
        Something else is there.
    """
    root = files.absolute(str(path)).rstrip("/")
    if files.names(f"{root}/versions") and files.exists(f"{root}/spec.json"):
        store = Store.open(path, files)
        require_spec(store, spec)
        return store
    return Store.create(path, spec.resolved().to_dict(), files)


def retrain(
    store: Store,
    batch: Batch,
    judge: Judge,
    *,
    gate: Gate,
    replace: bool = False,
    again: bool = False,
    holdout: Mapping[str, Any] | None = None,
    note: Mapping[str, Any] | None = None,
) -> Outcome:
    """Publish the newest version with a batch, and let the champion be that if it passes the gate.

    Parameters
    ----------
    batch : Batch
        Written, and in no version yet.
    judge : callable
    replace, again : bool
        As in ``changes.add``.
    holdout, note : mapping, optional
        What the version says of the documents judged on, and else.

    Raises
    ------
    StoreError
        As in ``changes.add``; or the batch was learned without a gate.
    """
    while True:
        newest = store.latest() if store.versions() else None
        change = _change(newest, batch, replace=replace, again=again)
        if isinstance(change, changes.Unchanged):
            return _resume(store, batch, change.why)
        before = newest_move(store, CHAMPION)
        champion = _champion(store, before)
        options = newest.options if newest else {}
        draft = store.draft(change.batches, parent=newest, change=change.change, options=options)
        store.verify(store.to_read(draft))
        found = judge(draft, champion)
        promoted, reason = decide(gate, *found)
        if before is None and champion is not None and (before := _name(store, champion)) is None:
            continue
        if newest_move(store, CHAMPION) != before:
            continue  # judged beside one that is the champion no more
        decision = Decision(
            promoted,
            reason,
            gate,
            found.challenger,
            found.champion,
            champion.version if champion else 0,
            before.number if before else 0,
            found.p_value,
            holdout or {},
        )
        note = {**(note or {}), GATE: decision.to_json()}
        try:
            made = store.publish(change.batches, parent=newest, note=note, change=change.change, options=options)
        except ConflictError:
            if newest is None:
                require_spec(Store.open(store.root, store.files), store.read_spec())
            continue
        _carry_out(store, made, decision)
        keep_sum(store, made)
        return Outcome(made, changed=True, decision=decision)


def _change(newest: Version | None, batch: Batch, *, replace: bool, again: bool) -> changes.Change | changes.Unchanged:
    """Return what the batch makes of the newest version, or of nothing."""
    if newest is None:
        return changes.Change((batch,), {"kind": "train", "batch": batch.batch})
    change = changes.add(newest, batch, replacing=replace, again=again)
    if isinstance(change, changes.Change):
        return replaced(change, change={**change.change, "kind": "retrain"})
    return change


def _champion(store: Store, named: Move | None) -> Version | None:
    """Return the version that is used: the champion, else the newest that no gate refused."""
    if named is not None:
        return store.version(named.version)
    for number in reversed(store.versions()):
        version = store.version(number)
        decision = decision_of(version)
        if decision is None or decision.promoted:
            return version
    return None


def _name(store: Store, champion: Version) -> Move | None:
    """Let the alias say which version was used up to now, or return None if another writer moved it.

    Without an alias the newest version is used: a challenger would be, as soon as it is published.
    """
    try:
        return move(store, CHAMPION, champion, after=None, reason="the version used before the first retrain")
    except ConflictError:
        return None


def _resume(store: Store, batch: Batch, why: str) -> Outcome:
    """Carry out what was decided when the batch was learned, as far as that was not done."""
    [wanted] = batch.holds
    for number in reversed(store.versions()):
        version = store.version(number)
        held = [one for each in version.batches for one in each.holds if one.batch == wanted.batch]
        if [one.fingerprint for one in held] != [wanted.fingerprint]:
            break
        if version.change.get("batch") == wanted.batch and (decision := decision_of(version)):
            return Outcome(version, changed=_carry_out(store, version, decision), why=why, decision=decision)
    raise StoreError(
        f"{why}, and no version that is there says what a gate decided about it. To use the newest version all the "
        f"same: nbspark model promote {store.root} {store.versions()[-1]}"
    )


def _carry_out(store: Store, version: Version, decision: Decision) -> bool:
    """Move the champion to a version if that was decided, and say whether it was moved now.

    It stays where it is if it was moved since: to a newer version, or back by a person.
    """
    while decision.promoted:
        newest = newest_move(store, CHAMPION)
        if newest is not None and newest.number > decision.champion_move:
            since = [one for one in history(store, CHAMPION) if one.number > decision.champion_move]
            went_on = decision.champion_version < newest.version < version.version and newest.reason != ROLLBACK
            if not went_on or any(one.version == version.version for one in since):
                return False
        try:
            move(store, CHAMPION, version, after=newest, reason=f"retrain {version.change['batch']}: {decision.reason}")
        except ConflictError:
            continue
        return True
    return False
