"""Checks of a frozen dataclass's fields, with messages that say what was asked and what was found."""

from __future__ import annotations

import math
from dataclasses import MISSING, fields
from typing import Any

from nbspark.errors import SpecError, nearest

_TYPES: dict[str, tuple[str, tuple[type, ...]]] = {
    "str": ("a text", (str,)),
    "str | None": ("a text", (str, type(None))),
    "bool": ("true or false", (bool,)),
    "bool | None": ("true or false", (bool, type(None))),
    "int": ("a whole number", (int,)),
    "int | None": ("a whole number", (int, type(None))),
    "float": ("a number", (int, float)),
    "int | float": ("a number", (int, float)),
    "int | float | None": ("a number", (int, float, type(None))),
    "tuple[int, int]": ("two whole numbers", (tuple, list)),
    "str | tuple[str, ...] | None": ("a text or a list of texts", (str, tuple, list, type(None))),
    "str | dict[str, float]": ("a text or a table of numbers", (str, dict)),
    "dict[str, float] | None": ("a table of numbers", (dict, type(None))),
    "str | dict[str, float] | None": ("a text or a table of numbers", (str, dict, type(None))),
    "Alpha": ("a number, a table of numbers or 'maximum_likelihood'", (int, float, str, dict)),
    "Alpha | None": ("a number, a table of numbers or 'maximum_likelihood'", (int, float, str, dict, type(None))),
}


class Readable:
    """Shows a frozen dataclass as the call that makes it: what must be given, and the options that were chosen."""

    def __repr__(self) -> str:
        spec: Any = self
        required = [getattr(spec, field.name) for field in fields(spec) if field.default is MISSING]
        plain = type(spec)(*required)
        shown = [repr(list(value) if isinstance(value, tuple) else value) for value in required]
        chosen = {one.name: getattr(spec, one.name) for one in fields(spec)}
        shown += [f"{name}={value!r}" for name, value in chosen.items() if value != getattr(plain, name)]
        return f"{type(spec).__name__}({', '.join(shown)})"


def of(spec: Any) -> str:
    """Name a spec in a message."""
    return f"{spec.kind} feature {spec.column!r}" if hasattr(spec, "column") else str(spec.kind)


def require_types(spec: Any) -> None:
    """Check each field of a frozen dataclass against its annotation; lists become tuples."""
    for field in fields(spec):
        if field.type not in _TYPES:
            continue
        wanted, kinds = _TYPES[str(field.type)]
        value = getattr(spec, field.name)
        fits = isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))
        if fits and isinstance(value, list | tuple):
            pair = "two" in wanted
            fits = all(type(one) is (int if pair else str) for one in value) and (not pair or len(value) == 2)
            object.__setattr__(spec, field.name, tuple(value))
        if fits and isinstance(value, dict):
            fits = all(isinstance(key, str) and is_number(one) for key, one in value.items())
        if not fits:
            raise SpecError(f"{of(spec)}: {field.name} wants {wanted}, found {value!r}.")


def is_number(value: Any) -> bool:
    """Say whether a value is a finite number (True and False are none)."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def require_choice(spec: Any, name: str, choices: tuple[str, ...]) -> None:
    """Raise an error unless a field holds one of its choices."""
    value = getattr(spec, name)
    if value not in choices:
        raise SpecError(f"{of(spec)}: {name}={value!r} is not one of {list(choices)}.")


def require_at_least(spec: Any, name: str, lowest: float) -> None:
    """Raise an error unless a field holds None or a finite number that is not too low."""
    value = getattr(spec, name)
    if value is not None and not (is_number(value) and value >= lowest):
        raise SpecError(f"{of(spec)}: {name} wants a number >= {lowest:g}, found {value!r}.")


def require_at_most(spec: Any, name: str, highest: float) -> None:
    """Raise an error if a field holds a number that is too high."""
    value = getattr(spec, name)
    if value is not None and value > highest:
        raise SpecError(f"{of(spec)}: {name} wants a number <= {highest:g}, found {value!r}.")


def require_known(given: Any, known: list[str], where: str) -> None:
    """Raise one error that lists every unknown key, each with the nearest known one."""
    unknown = [key for key in given if key not in known]
    if not unknown:
        return
    raise SpecError(f"{where}: unknown key {', '.join(nearest(str(key), known) for key in unknown)}; known: {known}.")


def set_default(spec: Any, name: str, value: Any) -> None:
    """Fill in a field of a frozen dataclass that was left None."""
    if getattr(spec, name) is None:
        object.__setattr__(spec, name, value)


def replace(spec: Any, **changes: Any) -> Any:
    """Return a copy of a frozen dataclass with some fields changed; an unknown field is an error."""
    known = {field.name: getattr(spec, field.name) for field in fields(spec)}
    require_known(changes, list(known), of(spec))
    return type(spec)(**{**known, **changes})
