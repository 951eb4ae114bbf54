"""JSON files, read as strictly as they are written.

Nothing in a file is trusted: every key is looked at, none comes twice, and numbers, texts and nesting have bounds.
"""

from __future__ import annotations

import json
import math
import reprlib
from typing import TYPE_CHECKING, Any

from nbspark.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAX_BYTES = 256 << 20  # of a file: more than a million files of counts
MAX_DEPTH = 100  # levels of lists and objects
MAX_INT = 2**63 - 1  # what every reader's integers hold


def to_bytes(plain: Mapping[str, Any]) -> bytes:
    r"""Return the bytes of a JSON file: indented, UTF-8, a newline at the end.

    Raises
    ------
    StoreError
        ``from_bytes`` would refuse to read it.

    Examples
    --------
    >>> to_bytes({"label": "体育"}).decode()
    '{\n  "label": "体育"\n}\n'
    """
    data = _encoded(lambda: json.dumps(plain, **_STYLE, indent=2) + "\n")
    _parse(data, "cannot be written as JSON", _INSTEAD)
    return data


def to_line(plain: Any) -> str:
    """Return the JSON of a value on one line; without indents it is written in C.

    >>> to_line({"label": "体育"})
    '{"label": "体育"}'
    """
    return _encoded(lambda: json.dumps(plain, **_STYLE)).decode()


def to_lines(plain: Mapping[str, Any]) -> bytes:
    r"""Return the bytes of a JSON file whose lists may be long: each of their elements on a line of its own.

    >>> print(to_lines({"version": 2, "history": [{"version": 1}], "batches": []}).decode(), end="")
    {
      "version": 2,
      "history": [
        {"version": 1}
      ],
      "batches": []
    }
    """

    def text(value: Any) -> str:
        if not isinstance(value, list) or not value:
            return to_line(value)
        return "[\n    " + ",\n    ".join(map(to_line, value)) + "\n  ]"

    return ("{\n" + ",\n".join(f"  {to_line(key)}: {text(plain[key])}" for key in plain) + "\n}\n").encode()


def _encoded(write: Callable[[], str]) -> bytes:
    """Return the bytes of a JSON text, or raise StoreError."""
    try:
        return write().encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"cannot be written as JSON: {error}. {_INSTEAD}") from error


_STYLE: dict[str, Any] = {"ensure_ascii": False, "allow_nan": False}


_INSTEAD = "Use text, finite numbers of at most 64 bits, lists and mappings with text as keys."


def from_bytes(data: bytes, where: str) -> Any:
    """Return the plain values of a JSON file, or raise StoreError that names the file."""
    return _parse(data, f"{where}: not JSON as nbspark writes it", "The file is damaged.")


def _parse(data: bytes, what: str, instead: str) -> Any:
    """Return the values in JSON, or raise an error that says what is wrong with them."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = [key for key in found if sum(key == other for other, _ in pairs) > 1]
            raise ValueError(f"{', '.join(map(shown, twice[:10]))} more than once in one object")
        return found

    try:
        if len(data) > MAX_BYTES:
            raise ValueError(f"more than {MAX_BYTES:,} bytes")
        plain = json.loads(data.decode(), object_pairs_hook=unique)
        _require_bounds(plain)
    except RecursionError as error:
        raise StoreError(f"{what}: nested more than {MAX_DEPTH} levels deep. {instead}") from error
    except ValueError as error:
        raise StoreError(f"{what}: {error}. {instead}") from error
    return plain


def _require_bounds(plain: Any) -> None:
    """Raise ValueError if a number, a text or the nesting is out of bounds."""
    level, depth = [plain], 0
    while level:
        containers = [one for one in level if one.__class__ is dict or one.__class__ is list]
        depth += bool(containers)
        if depth > MAX_DEPTH:
            raise ValueError(f"nested more than {MAX_DEPTH} levels deep")
        # Half of a surrogate pair is no text; all texts of a level at once, for there are many.
        "".join([one for one in level if one.__class__ is str]).encode()
        for value in [one for one in level if one.__class__ is float or one.__class__ is int]:
            if value.__class__ is float and not math.isfinite(value):
                raise ValueError(f"the number {value}")
            if value.__class__ is int and abs(value) > MAX_INT:
                raise ValueError(f"the number {shown(value)} has more than 64 bits")
        level = [inside for one in containers for inside in ([*one, *one.values()] if one.__class__ is dict else one)]


def require_shape(given: Any, shape: Mapping[str, Any], where: str) -> None:
    """Raise one StoreError that lists every key that is missing, unknown or of the wrong type.

    >>> require_shape({"version": 1, "extra": 0}, {"version": int, "by": str}, "00000001.json")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    nbspark.errors.StoreError: 00000001.json: no key 'by'; unknown key 'extra'. The file is damaged, or a newer ...
    """
    if not isinstance(given, dict):
        raise StoreError(f"{where}: wants an object, found {shown(given)}.")
    if given.keys() == shape.keys() and all(_is(given[key], kind) for key, kind in shape.items()):
        return
    wrong = [f"no key {key!r}" for key in shape if key not in given]
    wrong += [f"unknown key {shown(key)}" for key in given if key not in shape]
    wrong += [
        f"{bare(key)} has the value {shown(given[key])}"
        for key, kind in shape.items()
        if key in given and not _is(given[key], kind)
    ]
    require_none_wrong(wrong, where)


def require_none_wrong(wrong: list[str], where: str) -> None:
    """Raise one StoreError that lists what is wrong with a file, if anything is."""
    if wrong:
        raise StoreError(f"{where}: {'; '.join(wrong)}. The file is damaged, or a newer nbspark wrote it.")


def shown(value: Any) -> str:
    """Return a value for a message: on one line, and short whatever its length in the file."""
    return reprlib.repr(value)


def bare(name: str) -> str:
    """Return a name for a message: on one line, short, without quotes."""
    return shown(name)[1:-1]


def _is(value: Any, kind: Any) -> bool:
    """Say whether a JSON value has a type; true and false are no numbers, a whole number may stand for a float."""
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, int | float if kind is float else kind)
