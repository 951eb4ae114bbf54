"""A model's folder: what lies where, and the few operations that keep it whole.

::

    MODEL/spec.json                           what the model learns; immutable
    MODEL/batches/<batch>-<uuid>/counts/...   immutable Parquet, one folder per learned batch
    MODEL/versions/00000001.json              the batches of a version; creating this file publishes it
"""

from __future__ import annotations

import getpass
import re
import uuid
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from nbspark.errors import SpecError, StoreError
from nbspark.files.protocol import path_text
from nbspark.spec import Spec
from nbspark.store.checksums import describe_files, discrepancies
from nbspark.store.footers import impossible_counts
from nbspark.store.plain import MAX_BYTES, from_bytes, require_shape, to_bytes
from nbspark.store.vacancy import require_vacant, some
from nbspark.store.versions import (
    BATCH_ID,
    BATCHES_FOLDER,
    COUNTS_FOLDER,
    SPEC_FILE,
    VERSIONS_FOLDER,
    Batch,
    BatchFile,
    Version,
)
from nbspark.text import TOKENIZER_VERSION
from nbspark.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from os import PathLike

    from nbspark.counting.writing import WrittenFile
    from nbspark.files.protocol import Files

FORMAT = 1  # of the files; a reader knows exactly one

_UNPUBLISHED = "{}: no version is published. The job that makes the model has not ended well."
_VERSION_FILE = re.compile(r"([0-9]{8})\.json")


@dataclass(frozen=True)
class Store:
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
        require_vacant(files, root, store._spec_bytes())
        return store

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
            found = some(names) if files.exists(root) else "no such folder"
            raise StoreError(f"{path!r} is not a model: no {SPEC_FILE} in it; found {found}.") from error
        where = f"{path}/{SPEC_FILE}"
        head = from_bytes(data, where)
        known = {"format": FORMAT, "tokenizer_version": TOKENIZER_VERSION}
        # The numbers come first: a later format may have other keys.
        other = [
            f"{key} {head[key]!r} (this nbspark knows {number})"
            for key, number in known.items()
            if isinstance(head, dict) and key in head and head[key] != number
        ]
        if other:
            raise StoreError(f"{where}: {', '.join(other)}. Use the nbspark that wrote it, or learn the model anew.")
        require_shape(head, {"format": int, "tokenizer_version": int, "spec": dict}, where)
        return cls(root, files, head["spec"])

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
        self, batch: str, folder: str, rows: Mapping[str, int], *, written: Sequence[WrittenFile] | None = None
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
        return Batch(batch, relative, files, dict(rows))

    def publish(self, batches: Sequence[Batch], *, note: Mapping[str, Any], parent: Version | None = None) -> Version:
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

        Raises
        ------
        StoreError
            Another writer was first, a batch id comes twice, or there is no batch.
        """
        ids = [batch.batch for batch in batches]
        twice = sorted({one for one in ids if ids.count(one) > 1})
        if not ids or twice:
            raise StoreError(f"a version wants one batch or more, each once; found {twice or 'none'}.")
        version = Version(
            version=(parent.version if parent else 0) + 1,
            parent=parent.version if parent else None,
            batches=tuple(batches),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            by=_user(),
            nbspark=__version__,
            note=dict(note),
        )
        data = to_bytes(version.to_json())
        version = Version.from_json(from_bytes(data, "version"))  # what no reader would take is not written
        if parent is None:
            self._write(SPEC_FILE, self._spec_bytes(), "another spec was written there meanwhile. Choose a new path")
        self._write(
            _version_file(version.version),
            data,
            f"version {version.version} was published by another writer. Read the latest version and apply the change "
            "to that one",
        )
        return version

    def versions(self) -> list[int]:
        """Return the numbers of the published versions, ascending."""
        names = (_VERSION_FILE.fullmatch(name) for name in self.files.names(f"{self.root}/{VERSIONS_FOLDER}"))
        return sorted(int(match[1]) for match in names if match)

    def latest(self) -> Version:
        """Return the newest version, or raise StoreError if none is published."""
        numbers = self.versions()
        if not numbers:
            raise StoreError(_UNPUBLISHED.format(self.root))
        return self.version(numbers[-1])

    def version(self, number: int) -> Version:
        """Return one version, or raise StoreError if there is none of that number."""
        where = _version_file(number)
        try:
            data = self._read(where)
        except FileNotFoundError as error:
            raise StoreError(f"{self.root}: no version {number}; found {self.versions()}.") from error
        where = f"{self.root}/{where}"
        version = Version.from_json(from_bytes(data, where), where)
        if version.version != number:
            raise StoreError(f"{where}: says it is version {version.version}. The file was copied or renamed.")
        return version

    def verify(self, version: Version, *, checksums: bool = True) -> None:
        """Check that a version's folders hold exactly its files, and that what it says of them can be true.

        Parameters
        ----------
        checksums : bool
            Whether the files are read as a whole, for their SHA-256; else their names and sizes are looked at, and
            the columns and the number of rows that their ends tell.

        Raises
        ------
        StoreError
            The message lists every discrepancy.
        """
        wrong = []
        if version.parent is not None and version.parent not in self.versions():
            wrong.append(f"its parent, version {version.parent}, is not there")
        for batch in version.batches:
            folder = f"{self.root}/{batch.folder}"
            found = discrepancies(self.files, folder, batch.files, checksums=checksums)
            if not found:
                found = impossible_counts(self.files, folder, batch)
            wrong += [f"{batch.folder}/{one}" for one in found]
        if wrong:
            raise self.damaged(version, "; ".join(wrong))

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
        root = self.files.local(self.root)
        if root is None:
            return None
        return [
            (f"{root}/{batch.folder}/{file.name}", batch.weight)
            for batch in version.batches
            for file in batch.files
            if file.name.startswith(f"{COUNTS_FOLDER}/")
        ]

    def _spec_bytes(self) -> bytes:
        """Return the content of the spec file."""
        return to_bytes({"format": FORMAT, "tokenizer_version": TOKENIZER_VERSION, "spec": self.spec})

    def _read(self, name: str) -> bytes:
        """Return the content of one of the model's JSON files, or raise FileNotFoundError."""
        return self.files.read(f"{self.root}/{name}", MAX_BYTES + 1)

    def _write(self, name: str, data: bytes, otherwise: str) -> None:
        """Write one of the model's JSON files, or raise StoreError unless the very same one is there.

        It may be there by this very call, where the answer of a file system was lost and it was asked again.
        """
        try:
            self.files.create(f"{self.root}/{name}", data)
        except FileExistsError as error:
            if self._read(name) != data:
                raise StoreError(f"{self.root}: {otherwise}.") from error

    def _discard(self, folder: str, *, is_first: bool) -> None:
        """Remove the folder of a batch that failed, and the model's folder if it made that."""
        relative = folder.removeprefix(f"{self.root}/")
        if any(batch.folder == relative for number in self.versions() for batch in self.version(number).batches):
            return
        self.files.remove(folder)
        if is_first:
            self.files.remove_empty(f"{self.root}/{BATCHES_FOLDER}")
            self.files.remove_empty(self.root)


def _version_file(number: int) -> str:
    """Return a version's file, relative to the model."""
    return f"{VERSIONS_FOLDER}/{number:08d}.json"


def _user() -> str:
    """Return the user's name; a container may have none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
