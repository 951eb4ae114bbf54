"""Stored sums of a version's first batches: what is read in their place, so that many batches load like few.

::

    MODEL/sums/<how many>-<hash of which>-<uuid>.json       created last: the files of the sum
    MODEL/sums/<how many>-<hash of which>-<uuid>/counts/... the batches added up

A sum is a copy. Who does not find one, or finds it damaged, reads the batches.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from nbspark.counting.facts import N_PAIRS
from nbspark.errors import StoreError
from nbspark.store.checksums import discrepancies
from nbspark.store.plain import MAX_BYTES, from_bytes, require_none_wrong, require_shape
from nbspark.store.versions import SUMS_FOLDER, Batch, BatchFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from nbspark.files.protocol import Files
    from nbspark.store.versions import Version

_NAME = re.compile(r"([0-9]{8})-([0-9a-f]{64})-[0-9a-f]{32}(\.json)?")
_SHAPE = {"of": str, "rows": dict, "files": list}
KEPT = 2  # sums of a version that stay: a reader may be at the one before the largest


class SumName(NamedTuple):
    """A sum as its name tells it: of how many batches, the hash of which, and where it is, relative to the model."""

    n_batches: int
    of: str
    folder: str

    @property
    def file(self) -> str:
        """The file that says what the folder holds."""
        return f"{self.folder}.json"


def summable(version: Version) -> int:
    """Return how many of the first batches have the weight 1: weighted ones change with every day that they decay."""
    return next((i for i, one in enumerate(version.batches) if one.weight != 1.0), len(version.batches))


def hash_of(batches: Iterable[Batch]) -> str:
    """Return what tells the sum of some batches from that of others: their folders and what is in their files."""
    found = hashlib.sha256()
    for one in batches:
        found.update(_known_by(one))
    return found.hexdigest()


def sum_names(files: Files, root: str, *, unfinished: bool = False) -> list[SumName]:
    """Return the sums in a model's folder, those of most batches first; on request those without their file, too."""
    found = []
    for name in files.names(f"{root}/{SUMS_FOLDER}"):
        match = _NAME.fullmatch(name)
        if match and (match[3] or unfinished):
            found.append(SumName(int(match[1]), match[2], f"{SUMS_FOLDER}/{name.removesuffix('.json')}"))
    return sorted(set(found), reverse=True)


def sums_within(names: Sequence[SumName], version: Version) -> list[SumName]:
    """Return those of some sums that are of a version's first batches."""
    n_most = summable(version)
    wanted = {one.n_batches for one in names if 2 <= one.n_batches <= n_most}
    hashes, found = {}, hashlib.sha256()
    for i, batch in enumerate(version.batches[: max(wanted, default=0)], 1):
        found.update(_known_by(batch))
        if i in wanted:
            hashes[i] = found.hexdigest()
    return [one for one in names if hashes.get(one.n_batches) == one.of]


def read_sum(files: Files, root: str, name: SumName, batches: Sequence[Batch]) -> Batch:
    """Return the sum of some batches as one batch, after a look at all of its files.

    Raises
    ------
    StoreError
        It is damaged, or there no more.
    """
    where = f"{root}/{name.file}"
    try:
        plain = from_bytes(files.read(where, MAX_BYTES + 1), where)
        require_shape(plain, _SHAPE, where)
        require_shape(plain["rows"], dict.fromkeys([N_PAIRS, *plain["rows"]], int), f"{where}: rows")
        listed = tuple(BatchFile.from_json(one, f"{where}: files[{i}]") for i, one in enumerate(plain["files"]))
        require_none_wrong([] if plain["of"] == name.of and listed else ["it is of other batches"], where)
        wrong = discrepancies(files, f"{root}/{name.folder}", listed, checksums=True)
    except FileNotFoundError as error:
        raise StoreError(f"{where}: there no more.") from error
    if wrong:
        raise StoreError(f"{root}/{name.folder}: {'; '.join(wrong)}. It is a copy: remove it.")
    held = tuple(held for one in batches[: name.n_batches] for held in one.holds)
    return Batch(held[-1].batch, name.folder, listed, plain["rows"], learned=held)


def with_sum(files: Files, root: str, version: Version) -> Version:
    """Return a version with a sum in the place of its first batches, to be read; as it is if there is no whole one."""
    if len(version.batches) < 2 or version.batches[0].folder.startswith(f"{SUMS_FOLDER}/"):
        return version
    for name in sums_within(sum_names(files, root), version):
        try:
            first = read_sum(files, root, name, version.batches)
        except StoreError:
            continue  # the batches are there; `model verify` tells of it
        return replace(version, batches=(first, *version.batches[name.n_batches :]))
    return version


def needless_sums(files: Files, root: str, versions: Iterable[Version]) -> list[SumName]:
    """Return the sums that no reader of some versions needs, and what killed writers left of any."""
    names = sum_names(files, root)
    needed = {one for version in versions for one in sums_within(names, version)[:KEPT]}
    return [one for one in sum_names(files, root, unfinished=True) if one not in needed]


def remove_sum(files: Files, root: str, name: SumName) -> None:
    """Remove a sum: its file first, so that nobody looks for counts that are no longer whole."""
    files.remove(f"{root}/{name.file}")
    files.remove(f"{root}/{name.folder}")


def sum_to_json(of: str, rows: Mapping[str, int], listed: Sequence[BatchFile]) -> dict[str, Any]:
    """Return the plain values of a sum's file."""
    return {"of": of, "rows": dict(rows), "files": [one.to_json() for one in listed]}


def _known_by(batch: Batch) -> bytes:
    """Return a batch's folder and the checksums of its files."""
    return f"{batch.folder} {' '.join(one.sha256 for one in batch.files)}\n".encode()
