r"""What Python's ``re`` may have to try again: patterns whose time doubles with each character, or grows as its square.

``(a+)+`` matches aaa as (aaa), (aa)(a), (a)(aa) and (a)(a)(a), and where what follows does not fit, all are tried. With
something in each repetition that nothing else in it matches, as the hyphen of ``\w+(?:-\w+)*``, there is one way only.
``\w+@`` begins anew at each letter of a long word without the sign.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_MANY = 10  # repetitions with which the ways become many
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT)
_CHARACTERS = (op.LITERAL, op.NOT_LITERAL, op.IN, op.ANY)
_SPACES = "".join(filter(str.isspace, map(chr, range(0x3001))))
_LARGEST_SET = 256  # characters of a class that are looked at one by one


def may_explode(pattern: str) -> bool:
    r"""Say whether a pattern may take a time that doubles with each character of a text.

    Examples
    --------
    >>> [may_explode(pattern) for pattern in (r"(a+)+$", r"(?:\w+\s?)*$", r"(?:a|ab?)+\b", r"(?:-a?a?)+$")]
    [True, True, True, True]
    >>> [may_explode(pattern) for pattern in (r"\b\w+(?:['-]\w+)*\b", r"(?:[a-z]+\.)+com$", r"(?:ab|cd)+$")]
    [False, False, False]
    """
    return any(_is_ambiguous(body) for body in _repeated(parser.parse(pattern)))


def is_linear(pattern: str) -> bool:
    r"""Say whether the time of a pattern grows with the text alone: nothing that must follow a run can fail.

    >>> [is_linear(pattern) for pattern in (r"\w+(?:-\w+)*", r"#\w+", r"\w+@\w+", r"a+$")]
    [True, True, False, False]
    """
    return not may_explode(pattern) and _never_fails(parser.parse(pattern), True)


def _never_fails(tree: Any, rest_is_free: bool) -> bool:
    """Say whether no run in a pattern has anything behind it that must match."""
    nodes = list(tree)
    for kind, given in reversed(nodes):
        is_run = kind in _REPEATS and given[1] > _MANY
        if is_run and not rest_is_free:
            return False
        if not all(_never_fails(inside, rest_is_free) for inside in _inside(kind, given)):
            return False
        rest_is_free = rest_is_free and kind in _REPEATS and given[0] == 0
    return True


def _repeated(tree: Any) -> Iterator[list[Any]]:
    """Yield what is repeated many times, anywhere in a pattern."""
    for node in _nodes(tree):
        kind, given = node
        if kind in _REPEATS and given[1] > _MANY:
            yield _flat(given[2])


def _nodes(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every node of a pattern, those above first."""
    for kind, given in tree:
        yield kind, given
        for inside in _inside(kind, given):
            yield from _nodes(inside)


def _inside(kind: Any, given: Any) -> list[Any]:
    """Return the patterns in a node."""
    if kind in (*_REPEATS, op.POSSESSIVE_REPEAT):
        return [given[2]]
    if kind is op.BRANCH:
        return list(given[1])
    if kind is op.SUBPATTERN:
        return [given[3]]
    if kind is op.ATOMIC_GROUP:
        return [given]
    if kind in (op.ASSERT, op.ASSERT_NOT):
        return [given[1]]
    if kind is op.GROUPREF_EXISTS:
        return [one for one in given[1:] if one is not None]
    return []


def _flat(tree: Any) -> list[Any]:
    """Return the nodes that follow one another, groups taken apart."""
    found: list[Any] = []
    for kind, given in tree:
        found += _flat(given[3]) if kind is op.SUBPATTERN else [(kind, given)]
    return found


def _is_ambiguous(body: list[Any]) -> bool:
    """Say whether repetitions of a body can be cut in several ways, as far as is known."""
    choices = [node for node in body if node[0] not in _CHARACTERS]
    if all(kind is op.AT for kind, _ in choices):
        return False  # as many characters as elements
    if len(body) == 1 and body[0][0] is op.BRANCH:
        branches = [_flat(branch) for branch in body[0][1][1]]
        return not _begin_apart(branches) or any(map(_is_ambiguous, branches))
    for i, (kind, given) in enumerate(body):
        alone = _characters(kind, given)
        others = [node for node in _nodes(body[:i] + body[i + 1 :]) if node[0] in _CHARACTERS]
        unsure = any(node[0] in (op.GROUPREF, op.GROUPREF_EXISTS) for node in _nodes(body))
        if alone and not unsure and not any(_matches(node, alone) for node in others):
            return not _is_one_way(body)
    return True


def _is_one_way(body: list[Any]) -> bool:
    """Say whether a text can be matched by the nodes of a body in one way only, as far as is known."""
    for kind, given in _nodes(body):
        if kind is op.BRANCH and not _begin_apart([_flat(branch) for branch in given[1]]):
            return False
    varying = [i for i, (kind, given) in enumerate(body) if kind in _REPEATS and given[0] != given[1]]
    return all(_is_cut_between(body, i, j) for i in varying for j in varying if i < j)


def _is_cut_between(body: list[Any], i: int, j: int) -> bool:
    """Say whether the end of one varying node, and the beginning of a later one, can be at one place only.

    They cannot meet, or something stands between them that one of the two does not match.
    """
    first, last = ([node for node in _nodes(body[k : k + 1]) if node[0] in _CHARACTERS] for k in (i, j))
    between = [core for node in body[i + 1 : j] if (core := _core(*node))]
    if any(all(_apart(core, node) for node in one) for core in between for one in (first, last)):
        return True
    return all(_apart(one, other) for one in first for other in last)


def _core(kind: Any, given: Any) -> tuple[Any, Any] | None:
    """Return the one character that a node needs at least, alone or repeated; None where it is more, or may be none."""
    if kind in _CHARACTERS:
        return kind, given
    is_run = kind in _REPEATS and given[0] > 0 and len(given[2]) == 1 and given[2][0][0] in _CHARACTERS
    return given[2][0] if is_run else None


def _apart(one: tuple[Any, Any], other: tuple[Any, Any]) -> bool:
    """Say whether no character is matched by both of two nodes, one of which matches few."""
    sets = (_characters(*one), other), (_characters(*other), one)
    return any(bool(alone) and not _matches(node, alone) for alone, node in sets)


def _begin_apart(branches: list[list[Any]]) -> bool:
    """Say whether no character can begin two of some branches."""
    first = [branch[0] if branch else (op.FAILURE, None) for branch in branches]
    if any(kind not in _CHARACTERS for kind, _ in first):
        return False
    pairs = [(one, other) for i, one in enumerate(first) for other in first[:i]]
    return all(_apart(one, other) for one, other in pairs)


def _characters(kind: Any, given: Any) -> str:
    """Return the characters that a node matches, if it is one of a few characters; else ""."""
    if kind is op.LITERAL:
        return chr(given)
    if kind is not op.IN:
        return ""
    found = ""
    for member, what in given:
        if member is op.LITERAL:
            found += chr(what)
        elif member is op.RANGE and what[1] - what[0] < _LARGEST_SET:
            found += "".join(map(chr, range(what[0], what[1] + 1)))
        elif member is op.CATEGORY and what is op.CATEGORY_SPACE:
            found += _SPACES
        else:
            return ""
    return found if len(found) <= _LARGEST_SET else ""


def _matches(node: tuple[Any, Any], characters: str) -> bool:
    """Say whether a node of one character matches any of some characters."""
    kind, given = node
    if kind is op.ANY:
        return True
    if kind is op.LITERAL:
        return chr(given) in characters
    if kind is op.NOT_LITERAL:
        return any(ord(character) != given for character in characters)
    negated = given[0][0] is op.NEGATE
    return any(_is_in(given, character) is not negated for character in characters)


def _is_in(members: Any, character: str) -> bool:
    """Say whether a class has a character among its members."""
    for kind, given in members:
        if kind is op.LITERAL and given == ord(character):
            return True
        if kind is op.RANGE and given[0] <= ord(character) <= given[1]:
            return True
        if kind is op.CATEGORY and re.match(_CATEGORY[given], character):
            return True
    return False


_CATEGORY = {
    op.CATEGORY_WORD: r"\w", op.CATEGORY_NOT_WORD: r"\W", op.CATEGORY_DIGIT: r"\d", op.CATEGORY_NOT_DIGIT: r"\D",
    op.CATEGORY_SPACE: r"\s", op.CATEGORY_NOT_SPACE: r"\S",
}  # fmt: skip
