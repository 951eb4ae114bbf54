"""A version's file: each of its batches on a line.

Versions share most of their lines, and a process looks at a line once.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from nbspark.errors import StoreError
from nbspark.store.plain import MAX_BYTES, from_bytes, to_bytes, to_lines
from nbspark.store.versions import Batch, Version

KNOWN = 4096  # lines, about 2 kB each, that a process remembers
_OPENING, _EMPTY, _CLOSING = '\n  "batches": [\n    ', '\n  "batches": []\n}\n', "\n  ]\n}\n"
_BETWEEN = ",\n    "


def version_bytes(version: Version) -> bytes:
    """Return the content of a version's file.

    Raises
    ------
    StoreError
        It has more batches than a reader would take.
    """
    head = to_lines({**replace(version, batches=()).to_json(), "batches": []}).decode()
    lines = _BETWEEN.join(batch.line for batch in version.batches)
    data = (head.removesuffix(_EMPTY) + _OPENING + lines + _CLOSING).encode()
    if len(data) > MAX_BYTES:
        raise StoreError(f"a version of {len(version.batches):,} batches is too large. Fold some (compact).")
    return data


def version_of(data: bytes, where: str, number: int) -> Version:
    """Return the version of a number in its file, or raise StoreError with everything that is wrong.

    What is not laid out in lines, or wrong, is read as a whole: that is slower, and tells what is wrong.
    """
    head, opening, rest = data.decode(errors="surrogateescape").partition(_OPENING)
    if opening and rest.endswith(_CLOSING) and len(data) <= MAX_BYTES:
        try:
            plain = from_bytes((head + _EMPTY).encode(), where)
            batches = tuple(map(_batch_of, rest.removesuffix(_CLOSING).split(_BETWEEN)))
            if plain["version"] == number:
                return Version.from_json(plain, where, batches)
        except (StoreError, UnicodeError, KeyError, TypeError):
            pass  # what is read as a whole below says what is wrong, with its place in the file
    plain = from_bytes(data, where)
    says = plain.get("version") if isinstance(plain, dict) else None
    if isinstance(says, int) and says != number:  # so its history cannot be right either
        raise StoreError(f"{where}: says it is version {says}. The file was copied or renamed.")
    return Version.from_json(plain, where)


def as_read(version: Version, parent: Version | None) -> Version:
    """Return a version as its readers find it, or raise StoreError: what none of them would take is not written.

    The batches that its parent has were looked at when that was read, and may be a thousand.
    """
    known = {id(batch) for batch in parent.batches} if parent else set()
    new = tuple(batch for batch in version.batches if id(batch) not in known)
    some = replace(version, batches=new or version.batches[:1], history=version.history[:1])
    found = Version.from_json(from_bytes(to_bytes(some.to_json()), "version"), "version")
    if not parent:
        return found
    return replace(found, batches=version.batches, history=version.history).possible("version")


@lru_cache(KNOWN)
def _batch_of(line: str) -> Batch:
    """Return the batch in a line."""
    return Batch.from_json(from_bytes(line.encode(), "batch"))
