"""Aliases: names for versions that move, such as ``champion``. Each move is a file of its own: an alias has a history.

::

    MODEL/aliases/champion/00000002.json      the newest of the folder says which version the alias names
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from nbspark.errors import ConflictError, StoreError, nearest
from nbspark.store.plain import MAX_BYTES, from_bytes, require_none_wrong, require_shape, shown, to_bytes
from nbspark.store.versions import LAST_VERSION, is_utc

if TYPE_CHECKING:
    from nbspark.store.layout import Store
    from nbspark.store.versions import Version

CHAMPION = "champion"
ALIASES_FOLDER = "aliases"
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_MOVE_FILE = re.compile(r"([0-9]{8})\.json")


@dataclass(frozen=True)
class Move:
    """One move of an alias.

    Attributes
    ----------
    number : int
        1 for the first of the alias.
    version : int
        What it names from now on.
    created, by : str
        As in ``Version``.
    reason : str
    """

    number: int
    version: int
    created: str
    by: str
    reason: str

    def to_json(self) -> dict[str, Any]:
        """Return the plain values of the file form."""
        return dict(vars(self))

    @classmethod
    def from_json(cls, given: Any, where: str) -> Self:
        """Return the move that plain values describe, or raise StoreError with everything that is wrong."""
        require_shape(given, {"number": int, "version": int, "created": str, "by": str, "reason": str}, where)
        made = cls(**given)
        wrong = [
            f"{name} wants a number from 1 to {LAST_VERSION}, found {shown(value)}"
            for name, value in (("number", made.number), ("version", made.version))
            if not 1 <= value <= LAST_VERSION
        ]
        if not is_utc(made.created):
            wrong.append(f"created wants a time in UTC, ISO 8601, found {shown(made.created)}")
        require_none_wrong(wrong, where)
        return made


def alias_names(store: Store) -> list[str]:
    """Return the aliases of a model."""
    return [name for name in store.files.names(f"{store.root}/{ALIASES_FOLDER}") if _NAME.fullmatch(name)]


def history(store: Store, alias: str) -> list[Move]:
    """Return the moves of an alias, the newest last; none if there is no such alias."""
    folder = f"{store.root}/{ALIASES_FOLDER}/{alias}"
    numbers = sorted(int(match[1]) for name in store.files.names(folder) if (match := _MOVE_FILE.fullmatch(name)))
    return [_read(store, alias, number) for number in numbers]


def newest_move(store: Store, alias: str) -> Move | None:
    """Return the move that holds, or None if there is no such alias."""
    folder = f"{store.root}/{ALIASES_FOLDER}/{alias}"
    numbers = [int(match[1]) for name in store.files.names(folder) if (match := _MOVE_FILE.fullmatch(name))]
    return _read(store, alias, max(numbers)) if numbers else None


def move(store: Store, alias: str, version: Version, *, after: Move | None, reason: str) -> Move:
    """Let an alias name a version; the file of the move is created, nothing is overwritten.

    Parameters
    ----------
    after : Move or None
        The newest move that the mover knew.

    Raises
    ------
    ConflictError
        Somebody else moved it meanwhile.
    StoreError
        The name has other characters than small letters, digits, ``_`` and ``-``, or more than 40.
    """
    if not _NAME.fullmatch(alias):
        raise StoreError(
            f"alias {alias!r}: wants 1 to 40 small letters (a-z), digits, '_' or '-', the first a letter, "
            "for example 'champion'."
        )
    number = after.number + 1 if after else 1
    made = Move(number, version.version, datetime.now(UTC).isoformat(timespec="seconds"), store.user(), reason)
    try:
        store.files.create(f"{store.root}/{_file(alias, number)}", to_bytes(made.to_json()))
    except FileExistsError as error:
        if (there := _read(store, alias, number)).version == version.version and there.reason == reason:
            return there
        raise ConflictError(f"{store.root}: alias {alias!r} was moved by another writer.") from error
    return made


def resolve(store: Store, version: int | None = None, alias: str | None = None) -> Version:
    """Return the version that is asked for: by number, by alias, else the champion, else the newest.

    Raises
    ------
    StoreError
        Both are given, or there is no such version or alias.
    """
    if version is not None and alias is not None:
        raise StoreError(f"version {version} and alias {alias!r}: give one of them.")
    if version is not None:
        return store.version(version)
    found = newest_move(store, alias or CHAMPION)
    if found is None and alias is not None:
        raise StoreError(f"{store.root}: no alias {nearest(alias, alias_names(store))}.")
    return store.latest() if found is None else store.version(found.version)


def _file(alias: str, number: int) -> str:
    """Return the file of a move, relative to the model."""
    return f"{ALIASES_FOLDER}/{alias}/{number:08d}.json"


def _read(store: Store, alias: str, number: int) -> Move:
    """Return one move."""
    where = f"{store.root}/{_file(alias, number)}"
    found = Move.from_json(from_bytes(store.files.read(where, MAX_BYTES + 1), where), where)
    if found.number != number:
        raise StoreError(f"{where}: says it is move {found.number}. The file was copied or renamed.")
    return found
