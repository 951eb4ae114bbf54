"""A model's folder as its readers see it: published versions, and whether their files are whole."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from nbspark.errors import SpecError, StoreError
from nbspark.files.paths import neighbours
from nbspark.files.protocol import path_text
from nbspark.spec import Spec
from nbspark.store.checksums import THREADS, discrepancies
from nbspark.store.footers import impossible_counts
from nbspark.store.plain import MAX_BYTES
from nbspark.store.spec_file import spec_of
from nbspark.store.sums import SumName, read_sum, sum_names, sums_within, with_sum
from nbspark.store.vacancy import some
from nbspark.store.version_text import version_of
from nbspark.store.versions import BATCHES_FOLDER, COUNTS_FOLDER, SPEC_FILE, VERSIONS_FOLDER, Version

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from nbspark.files.protocol import Files
    from nbspark.store.summary import Summary
    from nbspark.store.versions import Batch

SHOWN = 10  # versions in a message
FEW = 64  # batches on a disk, whose folders are listed one by one, and not with those of all versions
_UNPUBLISHED = "{}: no version is published. The job that makes the model has not ended well."
_VERSION_FILE = re.compile(r"([0-9]{8})\.json")
_REMOVED_FILE = re.compile(r"([0-9]{8})\.removed")


@dataclass(frozen=True)
class StoredModel:
    """A model on disk, opened.

    Attributes
    ----------
    root : str
        The model's folder, absolute.
    files : Files
        The file system it is on.
    spec : mapping
        What the model learns, as plain values.
    """

    root: str
    files: Files
    spec: Mapping[str, Any]

    @classmethod
    def open(cls, path: str | PathLike[str], files: Files) -> Self:
        """Open a model.

        Raises
        ------
        StoreError
            ``path`` is no model, or one of another format or tokenizer than this nbspark knows.
        """
        path = path_text(path)
        root = files.absolute(path).rstrip("/")
        try:
            data = files.read(f"{root}/{SPEC_FILE}", MAX_BYTES + 1)
        except FileNotFoundError as error:
            names = files.names(root)
            if names and set(names) <= {BATCHES_FOLDER, VERSIONS_FOLDER}:
                raise StoreError(_UNPUBLISHED.format(root)) from error
            is_there = files.exists(root)
            found = some(names) if is_there else "no such folder"
            around = "" if is_there else neighbours(root)
            raise StoreError(f"{path!r} is not a model: no {SPEC_FILE} in it; found {found}.{around}") from error
        return cls(root, files, spec_of(data, f"{path}/{SPEC_FILE}"))

    def read_spec(self) -> Spec:
        """Return what the model learns.

        Raises
        ------
        StoreError
            The spec file describes no model.
        """
        try:
            return Spec.from_dict(dict(self.spec), where=f"{self.root}/{SPEC_FILE}")
        except SpecError as error:
            raise StoreError(f"{error} The file is damaged, or a newer nbspark wrote it.") from error

    def versions(self) -> list[int]:
        """Return the numbers of the published versions, ascending."""
        names = (_VERSION_FILE.fullmatch(name) for name in self.files.names(f"{self.root}/{VERSIONS_FOLDER}"))
        return sorted(int(match[1]) for match in names if match)

    def removed(self) -> list[int]:
        """Return the numbers of the versions that were removed on purpose, ascending."""
        names = (_REMOVED_FILE.fullmatch(name) for name in self.files.names(f"{self.root}/{VERSIONS_FOLDER}"))
        return sorted(int(match[1]) for match in names if match)

    def latest(self) -> Version:
        """Return the newest version, or raise StoreError if none is published."""
        numbers = self.versions()
        if not numbers:
            raise StoreError(_UNPUBLISHED.format(self.root))
        return self.version(numbers[-1])

    def version(self, number: int) -> Version:
        """Return one version, or raise StoreError if there is none of that number."""
        where = version_file(number)
        try:
            data = self._read(where)
        except FileNotFoundError as error:
            found = self.versions()
            listed = str(found) if len(found) <= SHOWN else f"{found[:2]} to {found[-2:]}"
            raise StoreError(f"{self.root}: no version {number}; found {listed}.") from error
        where = f"{self.root}/{where}"
        return version_of(data, where, number)

    def summaries(self) -> list[Summary]:
        """Return each published version in a line, ascending; few of their files are read: each tells of many others.

        Raises
        ------
        StoreError
            A file is damaged.
        """
        numbers = self.versions()
        found: dict[int, Summary] = {}
        for number in reversed(numbers):
            if number not in found:
                version = self.version(number)
                found |= {one.version: one for one in (version.summary, *version.history)}
        return [found[number] for number in numbers]

    def verify(
        self, version: Version, *, checksums: bool = True, whole: dict[str, tuple[Any, ...]] | None = None
    ) -> None:
        """Check that a version's folders hold exactly its files, and that what it says of them can be true.

        Parameters
        ----------
        checksums : bool
            Whether the files are read as a whole, for their SHA-256; else their names and sizes are looked at, and
            the columns and the number of rows that their ends tell.
        whole : dict, optional
            By folder, what versions before this one said of batches that were found whole; those are not read again,
            and what is found whole is added.

        Raises
        ------
        StoreError
            The message lists every discrepancy.
        """
        wrong = []
        parent = version.parent
        if parent is not None and not any(
            self.files.exists(f"{self.root}/{name}") for name in (version_file(parent), removed_file(parent))
        ):
            wrong.append(f"its parent, version {version.parent}, is not there")
        said = {batch.folder: (batch.files, dict(batch.rows)) for batch in version.batches}
        unread = [batch for batch in version.batches if whole is None or whole.get(batch.folder) != said[batch.folder]]
        sizes = self._sizes(unread)
        with ThreadPoolExecutor(THREADS) as pool:
            found = list(pool.map(lambda batch: self._wrong_in(batch, sizes[batch.folder], checksums), unread))
        wrong += [f"{batch.folder}/{one}" for batch, lines in zip(unread, found, strict=True) for one in lines]
        if wrong:
            raise self.damaged(version, "; ".join(wrong))
        if whole is not None:
            whole |= said

    def verify_sums(self, version: Version, *, whole: set[SumName]) -> None:
        """Check the stored sums of a version's first batches but those found whole before, which is added to.

        Raises
        ------
        StoreError
            One is damaged. Readers then take the batches.
        """
        for name in sums_within(sum_names(self.files, self.root), version):
            if name not in whole:
                found = read_sum(self.files, self.root, name, version.batches)
                if wrong := impossible_counts(self.files, f"{self.root}/{name.folder}", found):
                    raise self.damaged(version, f"{name.folder}: {'; '.join(wrong)}")
                whole.add(name)

    def _sizes(self, batches: Sequence[Batch]) -> dict[str, dict[str, int]]:
        """Return the size of each file of some batches, by the batch's folder; listed at once where there are many."""
        if len(batches) < (FEW if self.files.local(self.root) is not None else 2):
            listed = {one.folder: self.files.walk(f"{self.root}/{one.folder}") for one in batches}
            return {folder: {info.path: info.n_bytes for info in infos} for folder, infos in listed.items()}
        sizes: dict[str, dict[str, int]] = {one.folder: {} for one in batches}
        for info in self.files.walk(f"{self.root}/{BATCHES_FOLDER}"):
            name, _, path = info.path.partition("/")
            if (folder := f"{BATCHES_FOLDER}/{name}") in sizes:
                sizes[folder][path] = info.n_bytes
        return sizes

    def _wrong_in(self, batch: Batch, sizes: Mapping[str, int], checksums: bool) -> list[str]:
        """Return what is wrong with the files of a batch."""
        folder = f"{self.root}/{batch.folder}"
        found = discrepancies(self.files, folder, batch.files, checksums=checksums, sizes=sizes)
        return found or impossible_counts(self.files, folder, batch)

    def to_read(self, version: Version) -> Version:
        """Return a version of the same counts in as few batches as can be: with a stored sum of the first ones."""
        return with_sum(self.files, self.root, version)

    def damaged(self, version: Version, what: str) -> StoreError:
        """Return the error that says what is wrong with the files of a version."""
        return StoreError(
            f"{self.root}: version {version.version} is damaged: {what}. Restore the files, or use another version."
        )

    def counts_paths(self, version: Version) -> list[tuple[str, float]]:
        """Return each batch's counts folder, for Spark to read, and its weight."""
        return [(f"{self.root}/{batch.folder}/{COUNTS_FOLDER}", batch.weight) for batch in version.batches]

    def local_counts_files(self, version: Version) -> list[tuple[str, float]] | None:
        """Return each counts file, for pyarrow to read, and its batch's weight; None if the model is not local."""
        if self.files.local(self.root) is None:
            return None
        return [(str(self.files.local(path)), weight) for path, weight in self.counts_files(version)]

    def counts_files(self, version: Version) -> list[tuple[str, float]]:
        """Return the full path of each counts file, and its batch's weight."""
        return [
            (f"{self.root}/{batch.folder}/{file.name}", batch.weight)
            for batch in version.batches
            for file in batch.files
            if file.name.startswith(f"{COUNTS_FOLDER}/")
        ]

    def _read(self, name: str) -> bytes:
        """Return the content of one of the model's JSON files, or raise FileNotFoundError."""
        return self.files.read(f"{self.root}/{name}", MAX_BYTES + 1)


def removed_file(number: int) -> str:
    """Return the file that says that a version was removed, relative to the model."""
    return f"{VERSIONS_FOLDER}/{number:08d}.removed"


def version_file(number: int) -> str:
    """Return a version's file, relative to the model."""
    return f"{VERSIONS_FOLDER}/{number:08d}.json"
