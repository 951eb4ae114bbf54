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
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from nbspark.errors import PathError, StoreError
from nbspark.store.checksums import describe_files, discrepancies
from nbspark.store.versions import COUNTS_FOLDER, Batch, BatchFile, Version, from_bytes, require_shape, to_bytes
from nbspark.text import TOKENIZER_VERSION
from nbspark.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbspark.counting.writing import WrittenFile
    from nbspark.files.protocol import Files

FORMAT = 1  # of the files; a reader knows exactly one

SPEC_FILE = "spec.json"
BATCHES_FOLDER = "batches"

_UNPUBLISHED = "{}: no version is published. The job that makes the model has not ended well."
_BATCH_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_VERSION_FILE = re.compile(r"(\d{8})\.json")


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
    def create(cls, path: str, spec: Mapping[str, Any], files: Files) -> Self:
        """Start a model in a new folder; nothing is written before the first version is published.

        A folder in which nothing was ever published is taken up again: that is what a killed or failed job
        leaves, and its retry must not need a hand.

        Raises
        ------
        PathError
            Something else is there already.
        """
        root = files.absolute(path).rstrip("/")
        found = files.names(root)
        if not set(found) <= {SPEC_FILE, BATCHES_FOLDER}:
            raise PathError(
                f"model {path!r}: there already; found {_some(found)}. "
                "A model is never overwritten: choose a new path, or remove that one yourself."
            )
        return cls(root, files, dict(spec))

    @classmethod
    def open(cls, path: str, files: Files) -> Self:
        """Open a model.

        Raises
        ------
        StoreError
            ``path`` is no model, or one of another format or tokenizer than this nbspark knows.
        """
        root = files.absolute(path).rstrip("/")
        try:
            data = files.read(f"{root}/{SPEC_FILE}")
        except (FileNotFoundError, NotADirectoryError) as error:
            names = files.names(root)
            if names == [BATCHES_FOLDER]:
                raise StoreError(_UNPUBLISHED.format(root)) from error
            found = _some(names) if files.exists(root) else "no such folder"
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

    def new_batch_folder(self, batch: str) -> str:
        """Return the full path of a folder that no other batch has; nothing is created.

        Raises
        ------
        StoreError
            The id has other characters than letters, digits, ``.``, ``_`` and ``-``, or more than 100.
        """
        if not _BATCH_ID.fullmatch(batch):
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
        if parent is None:
            self._write_spec()
        data = to_bytes(version.to_json())
        try:
            self.files.create(self._version_path(version.version), data)
        except FileExistsError as error:
            raise StoreError(
                f"{self.root}: version {version.version} was published by another writer. "
                "Read the latest version and apply the change to that one."
            ) from error
        return Version.from_json(from_bytes(data, "version"))

    def versions(self) -> list[int]:
        """Return the numbers of the published versions, ascending."""
        names = (_VERSION_FILE.fullmatch(name) for name in self.files.names(f"{self.root}/versions"))
        return sorted(int(match[1]) for match in names if match)

    def latest(self) -> Version:
        """Return the newest version, or raise StoreError if none is published."""
        numbers = self.versions()
        if not numbers:
            raise StoreError(_UNPUBLISHED.format(self.root))
        return self.version(numbers[-1])

    def version(self, number: int) -> Version:
        """Return one version, or raise StoreError if there is none of that number."""
        where = self._version_path(number)
        try:
            data = self.files.read(where)
        except FileNotFoundError as error:
            raise StoreError(f"{self.root}: no version {number}; found {self.versions()}.") from error
        version = Version.from_json(from_bytes(data, where), where)
        if version.version != number:
            raise StoreError(f"{where}: says it is version {version.version}. The file was copied or renamed.")
        return version

    def verify(self, version: Version, *, checksums: bool = True) -> None:
        """Check that a version's folders hold exactly its files, with their sizes and, unless told not to, SHA-256.

        Raises
        ------
        StoreError
            The message lists every discrepancy.
        """
        wrong = [
            f"{batch.folder}/{one}"
            for batch in version.batches
            for one in discrepancies(self.files, f"{self.root}/{batch.folder}", batch.files, checksums=checksums)
        ]
        if wrong:
            raise StoreError(
                f"{self.root}: version {version.version} is damaged: {'; '.join(wrong)}. "
                "Restore the files, or use another version."
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

    def _write_spec(self) -> None:
        """Write the spec file, unless the very same one is there."""
        where = f"{self.root}/{SPEC_FILE}"
        data = to_bytes({"format": FORMAT, "tokenizer_version": TOKENIZER_VERSION, "spec": self.spec})
        try:
            self.files.create(where, data)
        except FileExistsError as error:
            if self.files.read(where) != data:
                raise StoreError(
                    f"{where}: another spec was written there meanwhile. "
                    "Choose a new path, or remove that one yourself."
                ) from error

    def _version_path(self, number: int) -> str:
        """Return the full path of a version's file."""
        return f"{self.root}/versions/{number:08d}.json"


def _some(names: Sequence[str]) -> str:
    """Return the first names of a folder, for a message."""
    return f"{list(names[:10])}" + (f" and {len(names) - 10} more" if len(names) > 10 else "")


def _user() -> str:
    """Return the user's name; a container may have none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
