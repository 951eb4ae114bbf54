"""What a published version says, as frozen dataclasses with a strict JSON round trip.

Nothing in a file is trusted: every key is looked at, and no name in it is imported or leaves the model's folder.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from nbspark.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

COUNTS_FOLDER = "counts"  # in a batch's folder: the table of schemas.COUNTS

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
        require_relative(given["name"], where)
        if not _SHA256.fullmatch(given["sha256"]):
            raise StoreError(f"{where}: sha256 wants 64 hexadecimal digits, found {given['sha256']!r}.")
        return cls(given["name"], given["bytes"], given["sha256"])


@dataclass(frozen=True)
class Batch:
    """One learned batch: the user's id for it, its folder relative to the model, and what the folder holds.

    Attributes
    ----------
    weight : float
        What the batch's counts are multiplied by when the model is read; 1.0 unless it decays.
    rows : mapping of str to int
        What became of the batch's input rows, by the writer's own names.
    """

    batch: str
    folder: str
    files: tuple[BatchFile, ...]
    rows: Mapping[str, int]
    weight: float = 1.0

    def to_json(self) -> dict[str, Any]:
        """Return the plain values of the file form."""
        return {
            "batch": self.batch,
            "folder": self.folder,
            "weight": self.weight,
            "rows": dict(self.rows),
            "files": [file.to_json() for file in self.files],
        }

    @classmethod
    def from_json(cls, given: Any, where: str = "batch") -> Self:
        """Return the batch that plain values describe, or raise StoreError with everything that is wrong."""
        shape = {"batch": str, "folder": str, "weight": float, "rows": dict, "files": list}
        require_shape(given, shape, where)
        require_relative(given["folder"], where)
        require_shape(given["rows"], dict.fromkeys(given["rows"], int), f"{where}.rows")
        files = tuple(BatchFile.from_json(one, f"{where}.files[{i}]") for i, one in enumerate(given["files"]))
        return cls(given["batch"], given["folder"], files, given["rows"], float(given["weight"]))


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
    """

    version: int
    parent: int | None
    batches: tuple[Batch, ...]
    created: str
    by: str
    nbspark: str
    note: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the plain values of the file form."""
        return {
            "version": self.version,
            "parent": self.parent,
            "created": self.created,
            "by": self.by,
            "nbspark": self.nbspark,
            "note": dict(self.note),
            "batches": [batch.to_json() for batch in self.batches],
        }

    @classmethod
    def from_json(cls, given: Any, where: str = "version") -> Self:
        """Return the version that plain values describe, or raise StoreError with everything that is wrong."""
        shape = {
            "version": int,
            "parent": int | None,
            "created": str,
            "by": str,
            "nbspark": str,
            "note": dict,
            "batches": list,
        }
        require_shape(given, shape, where)
        batches = tuple(Batch.from_json(one, f"{where}.batches[{i}]") for i, one in enumerate(given["batches"]))
        return cls(**{**given, "batches": batches})


def require_shape(given: Any, shape: Mapping[str, Any], where: str) -> None:
    """Raise one StoreError that lists every key that is missing, unknown or of the wrong type.

    >>> require_shape({"version": 1, "extra": 0}, {"version": int, "by": str}, "00000001.json")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    nbspark.errors.StoreError: 00000001.json: no key 'by'; unknown key 'extra'. The file is damaged, or a newer ...
    """
    if not isinstance(given, dict):
        raise StoreError(f"{where}: wants an object, found {given!r}.")
    wrong = [f"no key {key!r}" for key in shape if key not in given]
    wrong += [f"unknown key {key!r}" for key in given if key not in shape]
    wrong += [
        f"{key} has the value {given[key]!r}"
        for key, kind in shape.items()
        if key in given and not _is(given[key], kind)
    ]
    if wrong:
        raise StoreError(f"{where}: {'; '.join(wrong)}. The file is damaged, or a newer nbspark wrote it.")


def require_relative(path: str, where: str) -> None:
    """Raise StoreError if a path in a file could lead out of the model's folder."""
    if not path or path.startswith("/") or ":" in path or "\\" in path or ".." in path.split("/"):
        raise StoreError(f"{where}: {path!r} is not a path inside the model's folder.")


def to_bytes(plain: Mapping[str, Any]) -> bytes:
    r"""Return the bytes of a JSON file: indented, UTF-8, a newline at the end.

    >>> to_bytes({"label": "体育"}).decode()
    '{\n  "label": "体育"\n}\n'
    """
    try:
        return (json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
    except (TypeError, ValueError) as error:
        raise StoreError(
            f"cannot be written as JSON: {error}. Use text, finite numbers, lists and mappings."
        ) from error


def from_bytes(data: bytes, where: str) -> Any:
    """Return the plain values of a JSON file, or raise StoreError that names the file."""
    try:
        return json.loads(data.decode())
    except ValueError as error:
        raise StoreError(f"{where}: not JSON: {error}. The file is damaged.") from error


def _is(value: Any, kind: Any) -> bool:
    """Say whether a JSON value has a type; true and false are no numbers, a whole number may stand for a float."""
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, int | float if kind is float else kind)
