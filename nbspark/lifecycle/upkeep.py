"""Upkeep of a model's folder: batches folded into one, another model's batches taken in, what nobody needs removed."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nbspark.counting.facts import N_PAIRS
from nbspark.errors import StoreError
from nbspark.files.protocol import create_once
from nbspark.lifecycle.apply import Outcome, apply
from nbspark.lifecycle.batches import as_files, read_batch, write_batch
from nbspark.lifecycle.changes import Change, Unchanged, shown
from nbspark.lifecycle.subtract import add_up
from nbspark.store.aliases import alias_names, newest_move
from nbspark.store.reading import removed_file, version_file
from nbspark.store.sums import needless_sums, remove_sum
from nbspark.store.versions import BATCHES_FOLDER

if TYPE_CHECKING:
    from nbspark.store import Batch, Store, Version

MIN_AGE = 24 * 3600.0  # seconds: a folder younger than that may be a running writer's


def compact(store: Store, *, keep: int = 0, dry_run: bool = False) -> Outcome:
    """Fold the older batches into one, which keeps their ids, days and fingerprints.

    Parameters
    ----------
    keep : int
        How many of the newest stay as they are, so that a window can still tell them apart.

    Raises
    ------
    StoreError
        The batches decay: their weights differ.
    """
    made: dict[tuple[str, ...], Batch] = {}

    def folded(version: Version) -> Change | Unchanged:
        old = version.batches[: len(version.batches) - keep] if keep else version.batches
        if len(old) < 2:
            return Unchanged(f"{len(version.batches)} batches, of which {keep} are kept: nothing to fold")
        if len({one.weight for one in old}) > 1:
            raise StoreError("compact wants batches of one weight, and these decay. Fold before they do.")
        change = {"kind": "compact", "batches": len(old)}
        if dry_run:
            return Change(version.batches, change)
        key = tuple(one.folder for one in old)
        if key not in made:
            learned = [held for one in old for held in one.holds]
            rows = add_up(read_batch(store, one) for one in old)
            folder = store.new_batch_folder(learned[-1].batch)
            made[key] = write_batch(store, folder, as_files(rows.to_batches()), learned=learned)
        new = made[key]
        return Change((replace(new, weight=old[0].weight), *version.batches[len(old) :]), change)

    return apply(store, folded, dry_run=dry_run)


def merge_models(store: Store, other: Store, *, dry_run: bool = False) -> Outcome:
    """Add the batches of another model of the same spec.

    Raises
    ------
    StoreError
        The specs differ, or a batch id or the same documents are in both.
    """
    if dict(store.spec) != dict(other.spec):
        keys = [key for key in {**store.spec, **other.spec} if store.spec.get(key) != other.spec.get(key)]
        raise StoreError(f"merge wants models of one spec; {other.root} has another {', '.join(keys)}.")
    theirs = other.latest()
    other.verify(theirs)
    copied: dict[str, Batch] = {}

    def merged(version: Version) -> Change | Unchanged:
        ours = {held.batch: held.fingerprint for one in version.batches for held in one.holds}
        held = [one for batch in theirs.batches for one in batch.holds]
        if all(ours.get(one.batch, "") == one.fingerprint for one in held):
            return Unchanged("all of its batches are here already")
        clash = [one.batch for one in held if one.batch in ours]
        if clash:
            raise StoreError(f"both models have a batch {shown(clash)}: their ids must differ. Nothing was changed.")
        same = [one.batch for one in held if one.fingerprint is not None and one.fingerprint in ours.values()]
        if same:
            raise StoreError(f"the documents of {shown(same)} are here under another id, and would count twice.")
        change = {"kind": "merge", "batches": [one.batch for one in held]}
        if dry_run:
            return Change(version.batches, change)
        for one in theirs.batches:
            if one.folder not in copied:
                copied[one.folder] = _copy(one, other, store)
        return Change((*version.batches, *copied.values()), change)

    return apply(store, merged, dry_run=dry_run)


@dataclass(frozen=True)
class Removed:
    """What vacuum removed, or would: versions by number, and folders relative to the model."""

    versions: tuple[int, ...]
    folders: tuple[str, ...]


def vacuum(store: Store, *, keep: int = 1, min_age: float = MIN_AGE, dry_run: bool = False) -> Removed:
    """Remove old versions, the folders of batches that no version left needs, and stored sums of such.

    Parameters
    ----------
    keep : int
        How many of the newest versions stay; those that an alias names stay, too.
    min_age : float
        Seconds. A folder that no version lists and that changed since may be a running writer's, and stays.

    Notes
    -----
    Version files go first, each after a file that says so is written: from then on nobody can find the folders
    that go next. A vacuum that is killed leaves folders without a version, which the next one removes.
    """
    if keep < 1:
        raise StoreError(f"vacuum keeps one version or more, found keep={keep}.")
    numbers = store.versions()
    named = {found.version for name in alias_names(store) if (found := newest_move(store, name))}
    stay = set(numbers[-keep:]) | named
    go = [number for number in numbers if number not in stay]
    staying = [store.version(number) for number in stay]
    used = {one.folder for version in staying for one in version.batches}
    released = {one.folder for number in go for one in store.version(number).batches} - used
    now = time.time()
    folders = []
    for name in store.files.names(f"{store.root}/{BATCHES_FOLDER}"):
        folder = f"{BATCHES_FOLDER}/{name}"
        if folder in released or (
            folder not in used and now - store.files.modified(f"{store.root}/{folder}") >= min_age
        ):
            folders.append(folder)
    # What forgetting took away must not live on in a sum, so no age protects one: it is a copy.
    sums = needless_sums(store.files, store.root, staying)
    if not dry_run:
        for number in go:
            with suppress(FileExistsError):  # of a vacuum that was killed
                store.files.create(f"{store.root}/{removed_file(number)}", b"")
            store.files.remove(f"{store.root}/{version_file(number)}")
        for folder in folders:
            store.files.remove(f"{store.root}/{folder}")
        for one in sums:
            remove_sum(store.files, store.root, one)
    return Removed(tuple(go), (*folders, *(one.folder for one in sums)))


def _copy(batch: Batch, source: Store, target: Store) -> Batch:
    """Write a batch of another model into this one, file by file, and return it."""
    folder = target.new_batch_folder(batch.batch)
    for file in batch.files:
        content = source.files.read(f"{source.root}/{batch.folder}/{file.name}")
        create_once(target.files, f"{folder}/{file.name}", content)
    made = target.describe_batch(batch.batch, folder, batch.rows, learned=batch.holds)
    assert made.rows[N_PAIRS] == batch.rows[N_PAIRS]
    return replace(made, weight=batch.weight)
