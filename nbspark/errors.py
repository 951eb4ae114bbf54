"""The errors a user can act on. Each message says what was asked, what was found, what to do."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class NbsparkError(Exception):
    """Base of every error that nbspark raises on purpose."""


class SpecError(NbsparkError):
    """The description of a model is wrong: an unknown key, a value out of range, a file that does not parse."""


class DocumentsError(NbsparkError):
    """The documents do not fit the model: a missing column, a wrong type, no labelled row, a bad value."""


class PathError(NbsparkError):
    """A path cannot be used: unreadable, already there, or inside another one of the same job."""


class StoreError(NbsparkError):
    """A stored model cannot be read or published: not a model, damaged, or written by a newer nbspark."""


class ConflictError(StoreError):
    """Another writer was first. The change can be applied to what that one published."""


class SetupError(NbsparkError):
    """The machine lacks something: Java, pyspark, or a package that an optional extra brings."""


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a word quoted, with the known one that is nearest.

    >>> nearest("csw", ["csv", "json"]), nearest("xml", ["csv", "json"])
    ("'csw' (did you mean 'csv'?)", "'xml'")
    """
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"{word!r}" + (f" (did you mean {near[0]!r}?)" if near else "")
