"""Where each character of a text as it is cut comes from in the text as it was written."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import numpy as np

from nbspark.arrays.strings import offsets_of
from nbspark.text.normalise import ACCENT_STRIPPERS, INVISIBLE, NORMAL_FORMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from nbspark.text.options import TokenOptions

# A text, and of each of its characters where it begins and where it ends in the text that it was made of.
Aligned = tuple[str, np.ndarray, np.ndarray]


def align(text: str, options: TokenOptions) -> Aligned:
    r"""Return a text as ``normalise.row_normaliser`` makes it, each character with its place in the original.

    Returns
    -------
    text : str
    starts, stops : int64 array, shape (n_characters,)
        The character comes from ``original[start:stop]``: a letter and its mark that became one are one place.

    Examples
    --------
    >>> from nbspark.features import Text
    >>> normal, starts, stops = align("Cafe\u0301", Text("body"))
    >>> normal, starts.tolist(), stops.tolist()
    ('café', [0, 1, 2, 3], [1, 2, 3, 5])
    """
    if text.isascii():
        return _as_it_is(text.lower() if options.lowercase else text)
    steps: list[Callable[[str], Aligned]] = []
    if options.remove_invisible:
        steps.append(_without_invisible)
    if options.normalize != "none":
        form = str(options.normalize)
        steps.append(lambda text: _normal_form(text, form))
    if options.lowercase:
        steps.append(_lower)
    if options.strip_accents != "none":
        strip = ACCENT_STRIPPERS[options.strip_accents]
        steps.append(lambda text: _stripped(text, strip))
    found = _as_it_is(text)
    for step in steps:
        found = then(found, step(found[0]))
    return found


def then(first: Aligned, second: Aligned) -> Aligned:
    """Return the outcome of two steps, its places in the text before both."""
    _, starts, stops = first
    text, begins, ends = second
    return text, starts[begins], stops[ends - 1]


def of_pieces(pieces: Iterable[tuple[str, int, int]]) -> Aligned:
    """Return pieces put together, every character of a piece in the place that the piece has."""
    texts, starts, stops = zip(("", 0, 0), *pieces, strict=True)
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    return "".join(texts), np.repeat(starts, lengths), np.repeat(stops, lengths)


def _as_it_is(text: str) -> Aligned:
    """Return a text of which every character stays where it is."""
    places = np.arange(len(text) + 1)
    return text, places[:-1], places[1:]


def _without_invisible(text: str) -> Aligned:
    """Return the characters that are seen."""
    return of_pieces((one, i, i + 1) for i, one in enumerate(text) if not INVISIBLE.match(one))


def _normal_form(text: str, form: str) -> Aligned:
    """Return a text in a normal form, its characters in the place of the unit that they were composed from."""
    if unicodedata.is_normalized(form, text):  # type: ignore[arg-type]  # the name of a form
        return _as_it_is(text)
    normal = NORMAL_FORMS[form]
    begins = [0]
    for i, one in enumerate(text[1:], 1):
        if one.isascii() or _is_apart(text[begins[-1] : i], one, normal):
            begins.append(i)
    units = zip(begins, [*begins[1:], len(text)], strict=True)
    return of_pieces((normal(text[begin:end]), begin, end) for begin, end in units)


def _is_apart(before: str, one: str, normal: Callable[[str], str]) -> bool:
    """Say whether a character and what follows it never change, nor join, what is before it."""
    alone = normal(one)
    return not unicodedata.combining(alone[0]) and normal(before + one) == normal(before) + alone


def _lower(text: str) -> Aligned:
    """Return a text in lower case: a character becomes one or more."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return _as_it_is(lowered)
    offsets = offsets_of(np.fromiter((len(one.lower()) for one in text), np.int64, len(text)))
    places = np.repeat(np.arange(len(text)), np.diff(offsets))
    return lowered, places, places + 1


def _stripped(text: str, strip: Callable[[str], str]) -> Aligned:
    """Return a text without accents; a mark that goes belongs to the place of what it stood on."""
    pieces: list[tuple[str, int, int]] = []
    for i, one in enumerate(text):
        left = strip(one)
        if not left and pieces and unicodedata.combining(one):
            left, start, _ = pieces.pop()
            pieces.append((left, start, i + 1))
        else:
            pieces.append((left, i, i + 1))
    return of_pieces(pieces)
