"""The types of JSON records, as Spark writes types: what every record of some files fits in."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_EXACT = 15  # digits of a whole number that a double surely keeps
_LONG = 2**63
_DECIMAL = 38  # digits of Spark's longest decimal


class NoRecordError(ValueError):
    """A text that is not one JSON object, nor an array of objects; the message says why."""


@dataclass(frozen=True)
class Numbers:
    """The numbers of a column: what they need.

    Attributes
    ----------
    digits : int
        Of the longest whole number.
    decimals : int
        Behind the point, of the number that has the most.
    fractions, exponents : bool
        Whether there are numbers with a point, or with an exponent.
    is_long : bool
        Whether every whole number is a 64-bit integer.
    """

    digits: int = 0
    decimals: int = 0
    fractions: bool = False
    exponents: bool = False
    is_long: bool = True

    def __add__(self, other: Numbers) -> Numbers:
        """Return what both need."""
        return Numbers(
            max(self.digits, other.digits),
            max(self.decimals, other.decimals),
            self.fractions or other.fractions,
            self.exponents or other.exponents,
            self.is_long and other.is_long,
        )

    def spark_type(self) -> str:
        """Return the type that keeps every digit of whole numbers; without such ones a double does."""
        if not self.fractions:
            wide = f"decimal({self.digits},0)" if self.digits <= _DECIMAL else "string"
            return "bigint" if self.is_long else wide
        if self.digits > _EXACT and not self.exponents and self.digits + self.decimals <= _DECIMAL:
            return f"decimal({self.digits + self.decimals},{self.decimals})"
        return "double"


@dataclass
class Type:
    """What a value is, or all values of a column are; one with nothing in it is null."""

    numbers: Numbers | None = None
    fields: dict[str, Type] | None = None
    items: Type | None = None
    boolean: bool = False
    text: bool = False

    def __add__(self, other: Type) -> Type:
        """Return the type that holds both."""
        fields = self.fields if other.fields is None else other.fields
        if self.fields is not None and other.fields is not None:
            names = {**self.fields, **other.fields}
            fields = {name: self.fields.get(name, Type()) + other.fields.get(name, Type()) for name in names}
        return Type(_both(self.numbers, other.numbers), fields, _both(self.items, other.items),
                    self.boolean or other.boolean, self.text or other.text)  # fmt: skip

    def spark_type(self) -> str:
        """Return the type as Spark writes it. Values of several kinds, or of none, are text."""
        found = [self.numbers is not None, self.fields is not None, self.items is not None, self.boolean, self.text]
        if sum(found) == 1:
            if self.numbers is not None:
                return self.numbers.spark_type()
            if self.items is not None:
                return f"array<{self.items.spark_type()}>"
            if self.boolean:
                return "boolean"
            named = sorted(
                (name.replace("`", "``"), one.spark_type()) for name, one in (self.fields or {}).items() if name
            )
            if named:  # the empty name is that of no column
                return f"struct<{','.join(f'`{name}`:{kind}' for name, kind in named)}>"
        return "string"


def _both(one: Any, other: Any) -> Any:
    """Return the sum of what is there."""
    return other if one is None else one if other is None else one + other


class Records:
    """The type of the records of many texts.

    Attributes
    ----------
    type : Type
        That holds every record so far.

    Examples
    --------
    >>> records = Records()
    >>> records.add('{"label": 12345678901234567, "text": "win"}')
    >>> records.add('[{"label": 0.5, "n": 1}]')
    >>> records.type.spark_type()
    'struct<`label`:decimal(18,1),`n`:bigint,`text`:string>'
    >>> records.add('{"a": 1} {"a": 2}')
    Traceback (most recent call last):
        ...
    nbspark.documents.json_types.NoRecordError: more than one value: character 10 begins another
    """

    def __init__(self) -> None:
        self.type = Type(fields={})
        self._seen: set[tuple[Any, ...]] = set()  # records without lists and objects that have been added

    def add(self, text: str) -> None:
        """Add the records of a text: one JSON object, or an array of objects.

        Raises
        ------
        NoRecordError
            The text is something else.
        """
        for record in _parse(text):
            kinds = tuple((name, one if isinstance(one, Numbers) else type(one)) for name, one in record.items())
            if kinds in self._seen:
                continue
            self.type += _type_of(record)
            if not any(kind in (dict, list) for _, kind in kinds):
                self._seen.add(kinds)


def _parse(text: str) -> list[dict[str, Any]]:
    """Return the records of a text, numbers as ``Numbers``."""
    try:
        value = json.loads(text, parse_int=_whole, parse_float=_float, parse_constant=lambda _: Numbers(fractions=True))
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            raise NoRecordError(f"more than one value: character {error.pos + 1} begins another") from error
        raise NoRecordError(f"no JSON: {error.msg} at character {error.pos + 1}") from error
    except RecursionError as error:
        raise NoRecordError("nested too deeply") from error
    found = value if isinstance(value, list) else [value]
    if not all(isinstance(record, dict) for record in found):
        raise NoRecordError("no object, nor an array of objects")
    return found


def merged(types: Iterable[Type]) -> Type:
    """Return the type that holds all."""
    found = Type()
    for one in types:
        found += one
    return found


def _whole(digits: str) -> Numbers:
    """Return what a whole number needs."""
    n = len(digits.lstrip("-"))
    return Numbers(digits=n, is_long=n < 19 or (n == 19 and -_LONG <= int(digits) < _LONG))


def _float(digits: str) -> Numbers:
    """Return what a number with a point or an exponent needs."""
    whole, _, rest = digits.lower().lstrip("-").partition(".")
    has_exponent = "e" in digits.lower()
    return Numbers(len(whole) if not has_exponent else 0, 0 if has_exponent else len(rest), True, has_exponent)


def _type_of(value: Any) -> Type:
    """Return the type of a parsed value, whose numbers are ``Numbers``."""
    if isinstance(value, dict):
        return Type(fields={name: _type_of(one) for name, one in value.items()})
    if isinstance(value, list):
        return Type(items=merged(map(_type_of, value)))
    if isinstance(value, Numbers):
        return Type(numbers=value)
    return Type(boolean=isinstance(value, bool), text=isinstance(value, str))


def to_text(found: Type) -> str:
    """Return a type as text, to travel from a worker."""
    return json.dumps(_plain(found))


def from_text(text: str) -> Type:
    """Return the type that ``to_text`` wrote.

    >>> records = Records()
    >>> records.add('[{"a": [1, 2.5], "b": {"c": null}}]')
    >>> from_text(to_text(records.type)) == records.type
    True
    """
    return _typed(json.loads(text))


def _plain(found: Type) -> dict[str, Any]:
    """Return a type as JSON has it."""
    return {
        "numbers": None if found.numbers is None else vars(found.numbers),
        "fields": None if found.fields is None else {name: _plain(one) for name, one in found.fields.items()},
        "items": None if found.items is None else _plain(found.items),
        "boolean": found.boolean,
        "text": found.text,
    }


def _typed(plain: dict[str, Any]) -> Type:
    """Return the type that ``_plain`` made JSON of."""
    numbers, fields, items = plain["numbers"], plain["fields"], plain["items"]
    return Type(
        None if numbers is None else Numbers(**numbers),
        None if fields is None else {name: _typed(one) for name, one in fields.items()},
        None if items is None else _typed(items),
        plain["boolean"],
        plain["text"],
    )
