"""The errors a user can act on. Each message says what was asked, what was found, what to do."""

from __future__ import annotations


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


class SetupError(NbsparkError):
    """The machine lacks something: Java, pyspark, or a package that an optional extra brings."""
