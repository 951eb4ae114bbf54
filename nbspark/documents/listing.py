"""The files at a path of documents, seen before an engine reads them: engines pass over some in silence."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from nbspark.files.choose import OUT_OF_REACH, files_for
from nbspark.files.local import LocalFiles
from nbspark.files.patterns import is_pattern, literal
from nbspark.files.protocol import Files, is_hidden

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Listed:
    """One file: the folder or file of the user's path under which it lies, its path from there, and its size."""

    root: str
    name: str  # "" where the root is the file
    n_bytes: int  # -1 where the root is the file: nobody has asked

    @property
    def path(self) -> str:
        """The full path."""
        return f"{self.root.rstrip('/')}/{self.name}" if self.name else self.root

    @property
    def base(self) -> str:
        """The file's own name."""
        return self.path.rpartition("/")[2]

    @property
    def folders(self) -> tuple[str, ...]:
        """The names of the folders between the root and the file."""
        return tuple(self.name.split("/")[:-1])


@dataclass(frozen=True)
class Listing:
    """Every file at a path.

    Attributes
    ----------
    path : str
        As the user wrote it.
    files : Files
        What reads them.
    roots : list of str
        The files and folders that the path means, in full.
    shown, hidden : list of Listed
        Hidden is what has a name, or lies in a folder, that begins with ``.`` or ``_``: engines pass over it.
    """

    path: str
    files: Files
    roots: list[str]
    shown: list[Listed]
    hidden: list[Listed]


def list_files(spark: SparkSession, path: str, options: Mapping[str, str]) -> Listing | None:
    """Return the files at ``path``, or None where they cannot be looked at from here, or nothing is there.

    Parameters
    ----------
    options : mapping
        Of the reader; ``pathGlobFilter`` leaves out what it leaves out for Spark.
    """
    wanted = next((value for name, value in options.items() if name.lower() == "pathglobfilter"), None)
    try:
        files = files_for(path, spark)
        roots = [files.absolute(path)] if files.exists(path) else files.matches(path) if is_pattern(path) else []
        found = [one for root in roots for one in _below(files, root)]
    except (*OUT_OF_REACH, OSError):  # Spark says what is wrong, or can reach what this process cannot
        return None
    if wanted is not None:
        found = [one for one in found if fnmatchcase(one.base, wanted)]
    shown = [one for one in found if not is_hidden(one.name or one.base)]
    hidden = [one for one in found if is_hidden(one.name or one.base)]
    return Listing(path, files, roots, shown, hidden) if found else None


def _below(files: Files, root: str) -> list[Listed]:
    """Return the files below a root, or the root where it is one itself."""
    if not files.is_folder(root):
        return [Listed(root, "", -1)]
    found = [Listed(root, info.path, info.n_bytes) for info in files.walk(root, hidden=True)]
    if isinstance(files, LocalFiles):  # a link to a folder is listed as a file
        found = [one for one in found if not os.path.isdir(files.local(one.path))]  # noqa: PTH112 - thousands of them
    return found


def literal_if_there(path: str, spark: SparkSession) -> str:
    """Return ``path`` as `literal` does if something of exactly that name is there, and as the pattern it is if not."""
    if literal(path) == path:
        return path
    try:
        return literal(path) if files_for(path, spark).exists(path) else path
    except OUT_OF_REACH:  # out of reach from here: Spark's own reading of the path remains
        return path
