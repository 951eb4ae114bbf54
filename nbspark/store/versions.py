"""What a published version says, as frozen dataclasses with a strict JSON round trip.

No name in a file is imported or leaves the model's folder, and what cannot be true is an error.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from nbspark.counting.facts import N_PAIRS, READ, UNLABELLED
from nbspark.store.plain import bare, require_none_wrong, require_shape, shown, to_line
from nbspark.store.summary import HISTORY, Summary, in_words, judged_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SPEC_FILE, BATCHES_FOLDER, VERSIONS_FOLDER = "spec.json", "batches", "versions"  # in a model's folder
SUMS_FOLDER = "sums"  # there, too: see ``store.sums``
COUNTS_FOLDER = "counts"  # in a batch's folder: the table of schemas.COUNTS
LAST_VERSION = 99_999_999  # eight digits
MOST_ROWS = 2**53  # of one kind: up to here every whole number is a double

BATCH_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_SUFFIX = re.compile(r"[A-Za-z0-9]{1,64}")
_FILE_NAME = re.compile(COUNTS_FOLDER + r"/[A-Za-z0-9][A-Za-z0-9._-]{0,199}\.parquet")
_FINGERPRINT = re.compile(r"[0-9a-f]{16}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class BatchFile:
    """One Parquet file of a batch: its name relative to the batch's folder, its size and its SHA-256."""

    name: str
    n_bytes: int
    sha256: str

    def to_json(self) -> dict[str, Any]:
        """Return the plain values of the file form."""
        return {"name": self.name, "bytes": self.n_bytes, "sha256": self.sha256}

    @classmethod
    def from_json(cls, given: Any, where: str = "file") -> Self:
        """Return the file that plain values describe, or raise StoreError with everything that is wrong."""
        require_shape(given, {"name": str, "bytes": int, "sha256": str}, where)
        name, n_bytes, sha256 = given["name"], given["bytes"], given["sha256"]
        wrong = []
        if not _FILE_NAME.fullmatch(name):
            wrong.append(f"name {shown(name)} is not a path inside the model of the form {COUNTS_FOLDER}/NAME.parquet")
        if n_bytes <= 0:
            wrong.append(f"bytes wants a number > 0, found {n_bytes}")
        if not _SHA256.fullmatch(sha256):
            wrong.append(f"sha256 wants 64 hexadecimal digits, found {shown(sha256)}")
        require_none_wrong(wrong, where)
        return cls(name, n_bytes, sha256)


@dataclass(frozen=True)
class LearnedBatch:
    """Documents that were learned together: the user's id for them, their day, and the fingerprint of their counts."""

    batch: str
    date: str | None = None
    fingerprint: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the plain values of the file form."""
        return {"batch": self.batch, "date": self.date, "fingerprint": self.fingerprint}

    @classmethod
    def from_json(cls, given: Any, where: str = "learned") -> Self:
        """Return what plain values describe, or raise StoreError with everything that is wrong."""
        require_shape(given, {"batch": str, "date": str | None, "fingerprint": str | None}, where)
        made = cls(**given)
        wrong = []
        if not BATCH_ID.fullmatch(made.batch):
            wrong.append(f"{shown(made.batch)} is no batch id")
        if made.date is not None and not is_date(made.date):
            wrong.append(f"date wants YYYY-MM-DD, found {shown(made.date)}")
        if made.fingerprint is not None and not _FINGERPRINT.fullmatch(made.fingerprint):
            wrong.append(f"fingerprint wants 16 hexadecimal digits, found {shown(made.fingerprint)}")
        require_none_wrong(wrong, where)
        return made


@dataclass(frozen=True)
class Batch:
    """Counts in a folder of their own: of one learned batch, or of several that were folded into one.

    Attributes
    ----------
    batch : str
        The id, which the folder begins with: the user's own, or that of the newest of several.
    folder : str
        Relative to the model.
    rows : mapping of str to int
        What became of the input rows, by the writer's own names.
    weight : float
        What the counts are multiplied by when the model is read; 1.0 unless they decay.
    learned : tuple of LearnedBatch
        What was learned, in order; one unless batches were folded. Empty for one without date and fingerprint.
    """

    batch: str
    folder: str
    files: tuple[BatchFile, ...]
    rows: Mapping[str, int]
    weight: float = 1.0
    learned: tuple[LearnedBatch, ...] = ()

    @property
    def holds(self) -> tuple[LearnedBatch, ...]:
        """What was learned, one or more."""
        return self.learned or (LearnedBatch(self.batch),)

    @property
    def date(self) -> str | None:
        """The newest day of what was learned."""
        return max((one.date for one in self.holds if one.date is not None), default=None)

    @cached_property
    def line(self) -> str:
        """The file form on a line."""
        return to_line(self.to_json())

    def to_json(self) -> dict[str, Any]:
        """Return the plain values of the file form."""
        return {
            "batch": self.batch,
            "folder": self.folder,
            "weight": self.weight,
            "rows": dict(self.rows),
            "learned": [one.to_json() for one in self.learned],
            "files": [file.to_json() for file in self.files],
        }

    @classmethod
    def from_json(cls, given: Any, where: str = "batch") -> Self:
        """Return the batch that plain values describe, or raise StoreError with everything that is wrong."""
        shape = {"batch": str, "folder": str, "weight": float, "rows": dict, "learned": list, "files": list}
        require_shape(given, shape, where)
        require_shape(given["rows"], dict.fromkeys([N_PAIRS, *given["rows"]], int), f"{where}.rows")
        files = tuple(BatchFile.from_json(one, f"{where}.files[{i}]") for i, one in enumerate(given["files"]))
        learned = tuple(LearnedBatch.from_json(one, f"{where}.learned[{i}]") for i, one in enumerate(given["learned"]))
        made = cls(given["batch"], given["folder"], files, given["rows"], float(given["weight"]), learned)
        require_none_wrong(made._impossible(), where)
        return made

    def _impossible(self) -> list[str]:
        """Return what cannot be true of the batch, whatever is on the disk."""
        wrong = []
        start = f"{BATCHES_FOLDER}/{self.batch}-"
        if not BATCH_ID.fullmatch(self.batch):
            wrong.append(f"{shown(self.batch)} is no batch id")
        elif not (self.folder.startswith(start) and _SUFFIX.fullmatch(self.folder.removeprefix(start))):
            wrong.append(f"folder {shown(self.folder)} is not a path inside the model of the form {start}SUFFIX")
        if not 0 < self.weight < math.inf:
            wrong.append(f"weight wants a number > 0, found {self.weight}")
        if not self.files:
            wrong.append("no files")
        wrong += [f"learned {one} twice" for one in twice(one.batch for one in self.learned)]
        wrong += [f"the file {name} twice" for name in twice(file.name for file in self.files)]
        rows = self.rows
        wrong += [f"rows.{bare(fact)} is {n}" for fact, n in rows.items() if not 0 <= n <= MOST_ROWS]
        if READ in rows and rows.get(UNLABELLED, 0) > rows[READ]:
            wrong.append(f"{rows[UNLABELLED]} rows {UNLABELLED} of {rows[READ]} read")
        return wrong


@dataclass(frozen=True)
class Version:
    """One published state of a model: the batches whose weighted sum it is.

    Attributes
    ----------
    version : int
        1 for the first.
    parent : int or None
        The version this one was made from.
    created : str
        UTC, ISO 8601.
    by : str
        The user name of the process that published it.
    nbspark : str
        The nbspark that wrote it.
    note : mapping
        Whatever the writer wanted to keep: metrics, a reason, a run id.
    change : mapping
        What made this version of its parent: ``kind``, such as ``"learn"``, and what else that is known by.
    options : mapping
        Read-time options that differ from the spec's, in its file form: see ``store.options``.
    """

    version: int
    parent: int | None
    batches: tuple[Batch, ...]
    created: str
    by: str
    nbspark: str
    note: Mapping[str, Any] = field(default_factory=dict)
    change: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    history: tuple[Summary, ...] = ()

    @property
    def summary(self) -> Summary:
        """The version in a line."""
        rows = self.rows
        n_learned = rows.get(READ, 0) - rows.get(UNLABELLED, 0)
        judged = judged_in_words(self.note)
        return Summary(self.version, self.created, in_words(self.change), n_learned, len(self.batches), judged)

    @property
    def lineage(self) -> tuple[Summary, ...]:
        """The version and those before it, the newest first, as far as a file tells of them."""
        return (self.summary, *self.history)[:HISTORY]

    @property
    def rows(self) -> dict[str, int]:
        """What became of the rows of all batches."""
        facts = dict.fromkeys(fact for batch in self.batches for fact in batch.rows)
        return {fact: sum(batch.rows.get(fact, 0) for batch in self.batches) for fact in facts}

    def to_json(self) -> dict[str, Any]:
        """Return the plain values of the file form."""
        return {
            "version": self.version,
            "parent": self.parent,
            "created": self.created,
            "by": self.by,
            "nbspark": self.nbspark,
            "note": dict(self.note),
            "change": dict(self.change),
            "options": dict(self.options),
            "history": [one.to_json() for one in self.history],
            "batches": [batch.to_json() for batch in self.batches],
        }

    @classmethod
    def from_json(cls, given: Any, where: str = "version", batches: tuple[Batch, ...] = ()) -> Self:
        """Return the version that plain values describe, or raise StoreError with everything that is wrong.

        ``batches`` come before those of the plain values, of which there are then none.
        """
        shape = {
            "version": int,
            "parent": int | None,
            "created": str,
            "by": str,
            "nbspark": str,
            "note": dict,
            "change": dict,
            "options": dict,
            "history": list,
            "batches": list,
        }
        require_shape(given, shape, where)
        batches = batches or tuple(
            Batch.from_json(one, f"{where}.batches[{i}]") for i, one in enumerate(given["batches"])
        )
        history = tuple(Summary.from_json(one, f"{where}.history[{i}]") for i, one in enumerate(given["history"]))
        return cls(**{**given, "batches": batches, "history": history}).possible(where)

    def possible(self, where: str) -> Self:
        """Return the version, or raise StoreError with everything that cannot be true of it."""
        require_none_wrong(self._impossible(), where)
        return self

    def _impossible(self) -> list[str]:
        """Return what cannot be true of the version, whatever is on the disk."""
        wrong = []
        if not 1 <= self.version <= LAST_VERSION:
            wrong.append(f"version wants a number from 1 to {LAST_VERSION}, found {self.version}")
        if self.parent is not None and not 1 <= self.parent < self.version:
            wrong.append(f"the parent of version {self.version} cannot be {self.parent}")
        if self.parent is None and self.version > 1:
            wrong.append(f"version {self.version} has no parent")
        if not is_utc(self.created):
            wrong.append(f"created wants a time in UTC, ISO 8601, found {shown(self.created)}")
        if [one.version for one in self.history] != [self.version - 1 - i for i in range(len(self.history))]:
            wrong.append("history wants the versions before it, one after the other")
        wrong += [
            f"history[{i}].created wants a time in UTC, ISO 8601, found {shown(one.created)}"
            for i, one in enumerate(self.history)
            if not is_utc(one.created)
        ]
        if not self.batches:
            wrong.append("no batch")
        wrong += [
            f"the batch {batch} twice" for batch in twice(held.batch for one in self.batches for held in one.holds)
        ]
        wrong += [f"the folder {folder} twice" for folder in twice(one.folder for one in self.batches)]
        return wrong


def twice(names: Iterable[str]) -> list[str]:
    """Return the names that come more than once, sorted.

    >>> twice(["b", "a", "b"])
    ['b']
    """
    names = list(names)
    if len(names) == len(set(names)):
        return []
    return sorted(name for name, n in Counter(names).items() if n > 1)


def is_date(text: str) -> bool:
    """Say whether a text is a day.

    >>> is_date("2026-11-29"), is_date("20261129"), is_date("2026-11-31")
    (True, False, False)
    """
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def is_utc(text: str) -> bool:
    """Say whether a text is a time in UTC."""
    try:
        return datetime.fromisoformat(text).utcoffset() == timedelta(0)
    except ValueError:
        return False
