"""A model's folder: what lies where, and the few operations that keep it whole.

::

    MODEL/spec.json                           what the model learns; immutable
    MODEL/batches/<batch>-<uuid>/counts/...   immutable Parquet, one folder per learned batch
    MODEL/versions/00000001.json              the batches of a version; creating this file publishes it
"""

from __future__ import annotations

import getpass
import uuid
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from nbspark.errors import ConflictError, StoreError
from nbspark.files.protocol import create_once, path_text
from nbspark.store.checksums import describe_files, discrepancies
from nbspark.store.reading import StoredModel, version_file
from nbspark.store.spec_file import spec_bytes
from nbspark.store.vacancy import require_vacant
from nbspark.store.version_text import as_read, version_bytes
from nbspark.store.versions import (
    BATCH_ID,
    BATCHES_FOLDER,
    COUNTS_FOLDER,
    SPEC_FILE,
    Batch,
    BatchFile,
    LearnedBatch,
    Version,
    twice,
)
from nbspark.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from os import PathLike

    from nbspark.counting.writing import WrittenFile
    from nbspark.files.protocol import Files


@dataclass(frozen=True)
class Store(StoredModel):
    """A model on disk, to write to and to read from; attributes as of ``StoredModel``."""

    @classmethod
    def create(cls, path: str | PathLike[str], spec: Mapping[str, Any], files: Files) -> Self:
        """Start a model in a new folder; nothing is written before the first version is published.

        A folder in which nothing was ever published is taken up again: that is what a killed or failed job
        leaves, and its retry must not need a hand.

        Raises
        ------
        PathError
            Something else is there already, or what a job with another spec left.
        """
        root = files.absolute(path_text(path)).rstrip("/")
        store = cls(root, files, dict(spec))
        require_vacant(files, root, spec_bytes(store.spec))
        return store

    @contextmanager
    def new_batch(self, batch: str) -> Iterator[str]:
        """Give a new batch its folder; if what is done with it fails, the folder goes again.

        What other runs write stays, and so does a batch that a version lists: publishing it may be what failed last.

        Raises
        ------
        StoreError
            As in ``new_batch_folder``.
        """
        folder = self.new_batch_folder(batch)
        is_first = not self.files.exists(self.root)
        try:
            yield folder
        except BaseException:
            with suppress(Exception):  # the first failure is the one to be told
                self._discard(folder, is_first=is_first)
            raise

    def new_batch_folder(self, batch: str) -> str:
        """Return the full path of a folder that no other batch has; nothing is created.

        Raises
        ------
        StoreError
            The id has other characters than letters, digits, ``.``, ``_`` and ``-``, or more than 100.
        """
        if not BATCH_ID.fullmatch(batch):
            raise StoreError(
                f"batch id {batch!r}: wants 1 to 100 letters (a-z), digits, '.', '_' or '-', "
                "the first a letter or digit, for example '2026-11-29'."
            )
        return f"{self.root}/{BATCHES_FOLDER}/{batch}-{uuid.uuid4().hex}"

    def describe_batch(
        self,
        batch: str,
        folder: str,
        rows: Mapping[str, int],
        *,
        written: Sequence[WrittenFile] | None = None,
        learned: Sequence[LearnedBatch] = (),
    ) -> Batch:
        """Return what a written folder holds: its files with their sizes and checksums.

        Parameters
        ----------
        batch, folder : str
            As given to and by ``new_batch_folder``.
        rows : mapping of str to int
            What became of the batch's input rows.
        written : sequence of WrittenFile, optional
            The files of counts, as who wrote them says. They are not read again; without it they are.
        learned : sequence of LearnedBatch
            As in ``Batch``.

        Raises
        ------
        StoreError
            The folder is not one of this model's, has no files, or has others than were written.
        """
        relative = folder.removeprefix(f"{self.root}/")
        if not relative.startswith(f"{BATCHES_FOLDER}/{batch}-"):
            raise StoreError(f"batch {batch!r}: {folder!r} is not a folder that this model gave to it.")
        if written is None:
            files = describe_files(self.files, folder)
        else:
            files = tuple(BatchFile(f"{COUNTS_FOLDER}/{one.name}", one.n_bytes, one.sha256) for one in written)
            if wrong := discrepancies(self.files, folder, files, checksums=False):
                raise StoreError(f"batch {batch!r}: {folder} is not as it was written: {'; '.join(wrong)}.")
        if not any(file.name.startswith(f"{COUNTS_FOLDER}/") for file in files):
            raise StoreError(f"batch {batch!r}: no files in {folder}/{COUNTS_FOLDER}. Write the counts first.")
        return Batch(batch, relative, files, dict(rows), learned=tuple(learned))

    def publish(
        self,
        batches: Sequence[Batch],
        *,
        note: Mapping[str, Any],
        parent: Version | None = None,
        change: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Version:
        """Make the weighted sum of ``batches`` the next version, all at once.

        Parameters
        ----------
        batches : sequence of Batch
            All of the version's batches, not only the new ones.
        note : mapping
            Anything that JSON can hold: metrics, a reason, a run id.
        parent : Version, optional
            The version these batches were derived from; none for a model's first. Its number decides the new one,
            so that of two writers who started from one version only one can publish.
        change, options : mapping, optional
            As in ``Version``.

        Raises
        ------
        ConflictError
            Another writer was first.
        StoreError
            A batch id comes twice, or there is no batch.
        """
        version = self.draft(batches, note=note, parent=parent, change=change, options=options)
        version = as_read(version, parent)
        data = version_bytes(version)
        if parent is None:
            self._write(SPEC_FILE, spec_bytes(self.spec), "another spec was written there meanwhile. Choose a new path")
        self._write(
            version_file(version.version),
            data,
            f"version {version.version} was published by another writer. Read the latest version and apply the change "
            "to that one",
        )
        return version

    def draft(
        self,
        batches: Sequence[Batch],
        *,
        note: Mapping[str, Any] | None = None,
        parent: Version | None = None,
        change: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Version:
        """Return what `publish` would publish, to be read before it is there; nothing is written."""
        repeated = twice(batch.batch for batch in batches)
        if not batches or repeated:
            raise StoreError(f"a version wants one batch or more, each once; found {repeated or 'none'}.")
        return Version(
            version=(parent.version if parent else 0) + 1,
            parent=parent.version if parent else None,
            batches=tuple(batches),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            by=self.user(),
            nbspark=__version__,
            note=dict(note or {}),
            change=dict(change or {}),
            options=dict(options or {}),
            history=parent.lineage if parent else (),
        )

    @staticmethod
    def user() -> str:
        """Return the user's name; a container may have none."""
        try:
            return getpass.getuser()
        except (KeyError, OSError):
            return "unknown"

    def _write(self, name: str, data: bytes, otherwise: str) -> None:
        """Write one of the model's JSON files, or raise ConflictError unless the very same one is there."""
        try:
            create_once(self.files, f"{self.root}/{name}", data)
        except FileExistsError as error:
            raise ConflictError(f"{self.root}: {otherwise}.") from error

    def _discard(self, folder: str, *, is_first: bool) -> None:
        """Remove the folder of a batch that failed, and the model's folder if it made that."""
        relative = folder.removeprefix(f"{self.root}/")
        if any(batch.folder == relative for number in self.versions() for batch in self.version(number).batches):
            return
        self.files.remove(folder)
        if is_first:
            self.files.remove_empty(f"{self.root}/{BATCHES_FOLDER}")
            self.files.remove_empty(self.root)
