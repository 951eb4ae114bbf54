"""Changes: pure functions from a version to the batches and options of the next one.

They read no file. Who loses a race against another writer applies the same change to the newer version.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from nbspark.errors import StoreError
from nbspark.store.versions import is_date

if TYPE_CHECKING:
    from nbspark.store import Batch, Version


@dataclass(frozen=True)
class Change:
    """What a version becomes.

    Attributes
    ----------
    batches : tuple of Batch
    change : mapping
        ``kind``, and what else the change is known by.
    options : mapping or None
        None leaves the version's own.
    """

    batches: tuple[Batch, ...]
    change: Mapping[str, Any]
    options: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Unchanged:
    """There is nothing to change, and why."""

    why: str


Changing = Callable[["Version"], Change | Unchanged]


def add(version: Version, batch: Batch, *, replacing: bool = False, again: bool = False) -> Change | Unchanged:
    """Add a batch, or put it in the place of the one with its id.

    Parameters
    ----------
    replacing : bool
        Whether another content under the same id goes.
    again : bool
        Whether the same content may come under another id.

    Raises
    ------
    StoreError
        The id stands for other documents already, or these documents stand under another id.
    """
    [new] = batch.holds
    change = {"kind": "learn", "batch": new.batch}
    for i, old in enumerate(version.batches):
        for one in old.holds:
            if one.batch != new.batch:
                continue
            if one.fingerprint == new.fingerprint:
                return Unchanged(f"batch {new.batch!r} is already learned")
            if not replacing:
                raise StoreError(
                    f"batch {new.batch!r} is learned already, from other documents. Give these another id, or replace "
                    "them (--replace)."
                )
            if len(old.holds) > 1:
                raise StoreError(
                    f"batch {new.batch!r} was folded into one with {len(old.holds) - 1} others by compact, and can no "
                    "longer be replaced. Forget its documents and learn the others."
                )
            return Change((*version.batches[:i], batch, *version.batches[i + 1 :]), change | {"replaced": new.batch})
    same = [one.batch for old in version.batches for one in old.holds if one.fingerprint == new.fingerprint]
    if same and not again:
        raise StoreError(
            f"batch {new.batch!r}: these documents were learned as batch {same[0]!r} already, and would count twice. "
            "If they are to count twice, say so (--again)."
        )
    return Change((*version.batches, batch), change)


def drop(version: Version, batch_id: str) -> Change | Unchanged:
    """Leave out a batch, with everything that it brought; if the version was made by just that, nothing is left to do.

    Raises
    ------
    StoreError
        There is no such batch, it was folded into one with others, or it is the only one.
    """
    change = {"kind": "forget", "batch": batch_id}
    holder = next((one for one in version.batches if any(held.batch == batch_id for held in one.holds)), None)
    if holder is None and dict(version.change) == change:  # a retry of a job that died after it had published
        return Unchanged(f"version {version.version} was made by this very change")
    if holder is None:
        known = [held.batch for one in version.batches for held in one.holds]
        raise StoreError(f"no batch {batch_id!r} in version {version.version}; found {shown(known)}.")
    if len(holder.holds) > 1:
        raise StoreError(
            f"batch {batch_id!r} was folded into one with {len(holder.holds) - 1} others by compact. Forget its "
            "documents instead (--documents)."
        )
    left = tuple(one for one in version.batches if one is not holder)
    return Change(_some(left, "to forget the only batch"), change)


def keep_last(version: Version, n: int) -> Change | Unchanged:
    """Keep the n newest batches: by day where all have one, else as they were learned."""
    if n < 1:
        raise StoreError(f"a window wants one batch or more, found {n}.")
    order = list(version.batches)
    if all(one.date is not None for one in order):
        order.sort(key=lambda one: str(one.date))
    keep = set(map(id, order[-n:]))
    return _window(version, [one for one in version.batches if id(one) in keep], {"kind": "window", "last": n})


def keep_since(version: Version, day: str) -> Change | Unchanged:
    """Keep the batches of a day and of those after it.

    Raises
    ------
    StoreError
        A batch has no day, the day lies inside a folded batch, or no batch would be left.
    """
    first = _day(day, "since")
    undated = [held.batch for one in version.batches for held in one.holds if held.date is None]
    if undated:
        raise StoreError(f"a window since a day wants batches with a date; {shown(undated)} have none.")
    kept = []
    for one in version.batches:
        inside = [date.fromisoformat(str(held.date)) >= first for held in one.holds]
        if any(inside) and not all(inside):
            raise StoreError(f"{day} lies inside batch {one.batch!r}, which compact folded of {len(inside)}.")
        if all(inside):
            kept.append(one)
    return _window(version, kept, {"kind": "window", "since": day})


def decay(version: Version, half_life: float, as_of: str | None = None) -> Change | Unchanged:
    """Give each batch the weight 1/2 for every ``half_life`` days between its day and another one.

    Parameters
    ----------
    as_of : str, optional
        The day that counts fully, with those after it; the newest batch's unless given.
    """
    if not 0 < half_life < float("inf"):
        raise StoreError(f"a half-life wants days > 0, found {half_life}.")
    undated = [held.batch for one in version.batches for held in one.holds if held.date is None]
    if undated:
        raise StoreError(f"decay wants batches with a date; {shown(undated)} have none.")
    several = [one.batch for one in version.batches if len({held.date for held in one.holds}) > 1]
    if several:
        raise StoreError(f"decay wants batches of one day each; compact folded several into {shown(several)}.")
    today = _day(as_of, "as-of") if as_of else max(date.fromisoformat(str(one.date)) for one in version.batches)
    batches = []
    for one in version.batches:
        age = max(timedelta(0), today - date.fromisoformat(str(one.date))).days
        batches.append(replace(one, weight=0.5 ** (age / half_life)))
    lost = [one.batch for one in batches if not one.weight > 0]
    if lost:
        raise StoreError(f"nothing would be left of {shown(lost)}: leave them out with a window, or decay less.")
    if tuple(batches) == version.batches:
        return Unchanged("every batch has that weight already")
    change = {"kind": "decay", "half_life": half_life, "as_of": today.isoformat()}
    return Change(tuple(batches), change)


def set_options(version: Version, options: Mapping[str, Any]) -> Change | Unchanged:
    """Read the same counts under other options."""
    if dict(options) == dict(version.options):
        return Unchanged("the version has these options already")
    return Change(version.batches, {"kind": "set"}, options)


def _window(version: Version, kept: list[Batch], change: dict[str, Any]) -> Change | Unchanged:
    """Return a window, or say that it holds everything."""
    if len(kept) == len(version.batches):
        return Unchanged(f"the window holds all {len(kept)} batches")
    return Change(_some(tuple(kept), "an empty window"), change)


def _some(batches: tuple[Batch, ...], what: str) -> tuple[Batch, ...]:
    """Return batches, or raise an error if there are none."""
    if not batches:
        raise StoreError(f"{what} would leave nothing: a model wants one batch or more. Remove its folder instead.")
    return batches


def _day(text: str, what: str) -> date:
    """Return a day, or raise an error."""
    if not is_date(text):
        raise StoreError(f"{what} wants a day as YYYY-MM-DD, found {text!r}.")
    return date.fromisoformat(text)


def shown(names: list[str]) -> str:
    """Return the first of some names, for a message."""
    return ", ".join(map(repr, names[:10])) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
