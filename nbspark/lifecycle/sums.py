"""Adding up the batches of a long version, so that the next reader finds few files."""

from __future__ import annotations

import uuid
from contextlib import suppress
from typing import TYPE_CHECKING

from nbspark.counting.facts import N_PAIRS
from nbspark.errors import StoreError
from nbspark.files.protocol import create_once
from nbspark.lifecycle.batches import as_files, read_batch
from nbspark.lifecycle.subtract import add_up
from nbspark.store.aliases import alias_names, newest_move
from nbspark.store.learned import Learned, create_files
from nbspark.store.plain import to_bytes
from nbspark.store.reading import version_file
from nbspark.store.sums import SumName, hash_of, needless_sums, remove_sum, sum_to_json, summable, with_sum
from nbspark.store.versions import COUNTS_FOLDER, SUMS_FOLDER, BatchFile

if TYPE_CHECKING:
    from nbspark.store import Store, Version

EVERY = 32  # batches since the last sum: one change in so many reads and writes as much as the model's counts
MOST_PAIRS = 10_000_000  # that are added up in this process


def keep_sum(store: Store, version: Version) -> None:
    """Add up the batches of a version that was just published, if many came since they were last added up.

    The version is there already: what fails here is left to the next change. Sums that nobody needs any more go.
    """
    if not _may_be_due(version):
        return
    shorter = with_sum(store.files, store.root, version)
    n_batches = summable(version)
    n_since = summable(shorter)
    if n_since < EVERY or shorter.rows[N_PAIRS] > MOST_PAIRS:
        return
    of = hash_of(version.batches[:n_batches])
    name = SumName(n_batches, of, f"{SUMS_FOLDER}/{n_batches:08d}-{of}-{uuid.uuid4().hex}")
    try:
        store.verify(shorter)
        _write(store, name, shorter, n_since)
    except (StoreError, OSError):
        remove_sum(store.files, store.root, name)
        return
    if not store.files.exists(f"{store.root}/{version_file(version.version)}"):
        # Removed meanwhile, perhaps so that what it held is forgotten.
        remove_sum(store.files, store.root, name)
        return
    for one in needless_sums(store.files, store.root, _read_versions(store, version)):
        if store.files.exists(f"{store.root}/{one.file}"):  # else another writer's, who is at it
            remove_sum(store.files, store.root, one)


def _may_be_due(version: Version) -> bool:
    """Say whether a version has many batches, and did not just lose its first ones.

    A window that moves every night would make every night's sum useless the next one.
    """
    recent = (version.summary, *version.history[: EVERY - 1])
    return summable(version) >= EVERY and not any(one.change.startswith("window") for one in recent)


def _write(store: Store, name: SumName, version: Version, n_batches: int) -> None:
    """Write the sum of a version's first batches; its file last."""
    counts = as_files(add_up(read_batch(store, one) for one in version.batches[:n_batches]).to_batches())
    written = create_files(counts, store.files, f"{store.root}/{name.folder}")
    listed = [BatchFile(f"{COUNTS_FOLDER}/{one.name}", one.n_bytes, one.sha256) for one in written]
    plain = sum_to_json(name.of, Learned.of(counts).rows, listed)
    create_once(store.files, f"{store.root}/{name.file}", to_bytes(plain))


def _read_versions(store: Store, newest: Version) -> list[Version]:
    """Return the versions that are read: the newest, and those with an alias."""
    found = [newest]
    for alias in alias_names(store):
        move = newest_move(store, alias)
        if move is not None:
            with suppress(StoreError):
                found.append(store.version(move.version))
    return found
