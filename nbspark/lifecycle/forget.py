"""Forgetting: documents are subtracted from the batch that holds them, and its files are written anew without them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow.compute as pc

from nbspark.errors import StoreError
from nbspark.lifecycle.apply import Outcome, apply
from nbspark.lifecycle.batches import as_files, read_batch, rows_of, write_batch
from nbspark.lifecycle.changes import Change, Unchanged
from nbspark.lifecycle.subtract import add_up, below_zero, negative
from nbspark.store.learned import Learned

if TYPE_CHECKING:
    import pyarrow as pa

    from nbspark.store import Batch, Store, Version


def forget(store: Store, files: pa.Table, *, again: bool = False) -> Outcome:
    """Subtract the counts of documents, ``schemas.COUNT_FILES``, and publish what is left.

    Parameters
    ----------
    again : bool
        Subtract even if the newest version was made by forgetting the very same documents.

    Raises
    ------
    StoreError
        Some of it was never learned, or nothing would be left.
    """
    fingerprint = Learned.of(files).fingerprint
    return _subtract(store, files, None, {"kind": "forget", "documents": fingerprint}, again=again)


def relabel(store: Store, gone: pa.Table, come: pa.Table, *, again: bool = False) -> Outcome:
    """Subtract the counts of documents under their old labels and add those under the new ones, in one version."""
    both = {"from": Learned.of(gone).fingerprint, "to": Learned.of(come).fingerprint}
    return _subtract(store, gone, come, {"kind": "relabel", **both}, again=again)


def _subtract(store: Store, gone: pa.Table, come: pa.Table | None, change: dict[str, str], *, again: bool) -> Outcome:
    """Publish the newest version less some counts, and with others."""
    lost, won = negative(rows_of(gone)), [] if come is None else [rows_of(come)]
    made: dict[str, tuple[str, Batch]] = {}  # by the folder that is replaced, for the next try after a lost race

    def without(version: Version) -> Change | Unchanged:
        if dict(version.change) == change and not again:
            return Unchanged(f"version {version.version} was made by this very change (--again does it once more)")
        offenders: list[str] = []
        for old in reversed(version.batches):
            rows = add_up([read_batch(store, old), lost, *won])
            wrong = below_zero(rows)
            offenders = offenders or wrong
            if wrong:
                continue
            left = tuple(one for one in version.batches if one is not old)
            if not pc.any(rows["label"].is_valid()).as_py():
                if not left:
                    raise StoreError("nothing would be left: a model wants a document or more. Remove its folder.")
                return Change(left, change)
            if old.folder not in made:
                folder = store.new_batch_folder(old.holds[-1].batch)
                made[old.folder] = folder, write_batch(store, folder, as_files(rows.to_batches()), learned=old.holds)
            new = made[old.folder][1]
            new = replace(new, weight=old.weight)
            return Change(tuple(new if one is old else one for one in version.batches), change)
        raise StoreError(
            f"no batch holds all of these documents: {', '.join(offenders)} would fall below zero"
            f"{'' if len(version.batches) == 1 else f' in batch {version.batches[-1].batch!r}'}. Nothing was changed."
        )

    outcome = apply(store, without)
    _remove_unused(store, outcome.version, [folder for folder, _ in made.values()])
    return outcome


def _remove_unused(store: Store, version: Version, folders: list[str]) -> None:
    """Remove the folders that a lost race left without a use."""
    used = {f"{store.root}/{one.folder}" for one in version.batches}
    for folder in folders:
        if folder not in used:
            store.files.remove(folder)
