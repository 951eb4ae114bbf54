r"""Regular expressions for RE2, whose time grows with the text alone: the same matches as Python's, or none at all.

Python's ``re`` tries one way after another, and ``(a+)+$`` has 2^n ways to match n letters. Arrow has RE2, which
follows all ways at once. A pattern is translated where RE2 is sure to find the same. Python's ``\w``, ``\d`` and ``\s``
are written out, since each library has a Unicode of its own. What RE2 lacks or treats differently stays with ``re``:
``\b`` and ``$`` outside ASCII, look-around, references to groups, case-insensitive matching.
"""

from __future__ import annotations

import re
from functools import lru_cache
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.strings import buffers_of, offsets_of, string_array
from nbspark.text.scanner import is_regex_word
from nbspark.text.token_lists import TokenLists

_REPEATS = {op.MAX_REPEAT: "", op.MIN_REPEAT: "?"}
_MOST = 1000  # repetitions that RE2 counts
_CATEGORIES = {
    op.CATEGORY_WORD: is_regex_word,
    op.CATEGORY_DIGIT: str.isdecimal,
    op.CATEGORY_SPACE: str.isspace,
}
_NOT = {
    op.CATEGORY_NOT_WORD: op.CATEGORY_WORD,
    op.CATEGORY_NOT_DIGIT: op.CATEGORY_DIGIT,
    op.CATEGORY_NOT_SPACE: op.CATEGORY_SPACE,
}
_SURROGATES = range(0xD800, 0xE000)  # no text in UTF-8 holds one


# No byte of UTF-8: they mark where a token begins and ends.
_BEGIN, _END = 0xFF, 0xFE


class _UntranslatableError(ValueError):
    """RE2 has no such thing, or another one."""


def re2_pattern(pattern: str) -> str | None:
    r"""Return a pattern with one group, the token, that gives in RE2 what ``re`` gives; None where there is none.

    Examples
    --------
    >>> re2_pattern("[a-c]+(?:-[a-c]+)*"), re2_pattern("#([a-z]+)")
    ('([a-c]+(?:\\x{2d}[a-c]+)*)', '\\x{23}([a-z]+)')
    >>> re2_pattern(r"\bwin\b") is None  # a boundary of RE2's is one of ASCII
    True
    """
    tree = parser.parse(pattern)
    shortest, _ = tree.getwidth()
    flags = tree.state.flags
    if shortest == 0 or flags & ~(re.UNICODE | re.VERBOSE | re.DOTALL):  # an empty match moves the two differently
        return None
    try:
        written = _sequence(tree, bool(flags & re.DOTALL))
    except _UntranslatableError:
        return None
    whole = written if tree.state.groups > 1 else f"({written})"
    try:
        pc.match_substring_regex(pa.array([""]), whole)
    except pa.ArrowInvalid:  # too large
        return None
    return whole


def find_tokens(texts: pa.StringArray, pattern: str) -> TokenLists:
    """Return the tokens that a pattern of ``re2_pattern`` finds in texts, document by document.

    Parameters
    ----------
    texts : StringArray
        Valid UTF-8, no nulls.

    Examples
    --------
    >>> find_tokens(pa.array(["#win a #prize", "none"]), "#([a-z]+)").to_pylist()
    [['win', 'prize'], []]
    """
    marked = pc.replace_substring_regex(texts, pattern, bytes([_BEGIN]) + rb"\1" + bytes([_END]))
    data, offsets = buffers_of(marked)
    begins, ends = np.flatnonzero(data == _BEGIN), np.flatnonzero(data == _END)
    inside = np.zeros(len(data) + 1, np.int8)
    inside[begins + 1] = 1
    inside[ends] -= 1  # of a token without a character both are one place
    lengths = ends - begins - 1
    tokens = np.compress(np.cumsum(inside[:-1], dtype=np.int8).view(bool), data)
    found = TokenLists(np.searchsorted(begins, offsets), string_array(tokens, offsets_of(lengths)))
    return found.filter(lengths > 0)


def _sequence(tree: Any, dot_all: bool, *, repeated: bool = False) -> str:
    """Return what follows one another."""
    return "".join(_one(kind, given, dot_all, repeated) for kind, given in tree)


def _one(kind: Any, given: Any, dot_all: bool, repeated: bool) -> str:
    """Return one node of a parsed pattern."""
    if kind in (op.LITERAL, op.NOT_LITERAL, op.IN):
        return _class(kind, given)
    if kind is op.ANY:
        return "(?s:.)" if dot_all else r"[^\n]"
    if kind is op.BRANCH:
        return "(?:" + "|".join(_sequence(branch, dot_all, repeated=repeated) for branch in given[1]) + ")"
    if kind is op.SUBPATTERN:
        group, add, remove, inside = given
        if add or remove or (group is not None and repeated):
            raise _UntranslatableError
        return f"({'' if group is not None else '?:'}{_sequence(inside, dot_all, repeated=repeated)})"
    if kind in _REPEATS:
        least, most, inside = given
        if inside.getwidth()[0] == 0 or least > _MOST or (most is not op.MAXREPEAT and most > _MOST):
            raise _UntranslatableError
        written = _sequence(inside, dot_all, repeated=True)
        single = len(inside) == 1 and inside[0][0] in (op.LITERAL, op.NOT_LITERAL, op.IN, op.ANY)
        return (written if single else f"(?:{written})") + _quantifier(least, most) + _REPEATS[kind]
    raise _UntranslatableError


def _quantifier(least: int, most: Any) -> str:
    """Return how often something is repeated."""
    usual = {(0, op.MAXREPEAT): "*", (1, op.MAXREPEAT): "+", (0, 1): "?"}
    return usual.get((least, most)) or f"{{{least},{'' if most is op.MAXREPEAT else most}}}"


def _class(kind: Any, given: Any) -> str:
    """Return one character, or a class of characters."""
    if kind is op.LITERAL:
        return _character(given)
    if kind is op.NOT_LITERAL:
        return f"[^{_character(given)}]"
    negated = given[0][0] is op.NEGATE
    members = "".join(map(_members, given[1:] if negated else given))
    return f"[{'^' if negated else ''}{members}]"


def _members(member: tuple[Any, Any]) -> str:
    """Return one member of a class."""
    kind, given = member
    if kind is op.LITERAL:
        return _character(given)
    if kind is op.RANGE:
        return _range(*given)
    if kind is op.CATEGORY:
        return _category(given)
    raise _UntranslatableError


@lru_cache
def _category(category: Any) -> str:
    r"""Return ``\w``, ``\d``, ``\s`` or what is none of them as Python has it, in ranges of code points."""
    is_member = _CATEGORIES[_NOT.get(category, category)]
    wanted = category not in _NOT
    found = np.fromiter(map(is_member, map(chr, range(0x110000))), bool, 0x110000) == wanted
    found[_SURROGATES.start : _SURROGATES.stop] = False
    edges = np.flatnonzero(np.diff(found, prepend=False, append=False)).tolist()
    return "".join(_range(first, after - 1) for first, after in zip(edges[::2], edges[1::2], strict=True))


def _range(first: int, last: int) -> str:
    """Return the characters from one to another."""
    return _character(first) if first == last else f"{_character(first)}-{_character(last)}"


def _character(code: int) -> str:
    """Return one character so that it means itself."""
    character = chr(code)
    if code in _SURROGATES:
        raise _UntranslatableError
    return character if character.isascii() and character.isalnum() else f"\\x{{{code:x}}}"
