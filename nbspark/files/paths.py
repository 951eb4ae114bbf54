"""Check the paths of a job before it reads or writes: nothing is ever written onto its own input."""

from __future__ import annotations

import itertools
import os
import posixpath
import re
from fnmatch import fnmatchcase
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from nbspark.errors import PathError
from nbspark.files.choose import OUT_OF_REACH, files_for
from nbspark.files.patterns import is_pattern, without_braces
from nbspark.files.protocol import path_text, scheme_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from os import PathLike

    from pyspark.sql import SparkSession

_ONE_STORE = {"s3": "s3a", "s3n": "s3a", "wasb": "wasbs", "abfs": "abfss"}  # two names for one store


class Place(NamedTuple):
    """Where a path leads: empty scheme or host where the path names none, and the names from the root down."""

    scheme: str
    host: str
    names: tuple[str, ...]


def require_new(path: str | PathLike[str], *, what: str, spark: SparkSession | None = None) -> str:
    """Return ``path`` as text, or raise if something is there already.

    Parameters
    ----------
    path : str or PathLike
        Local, or of any file system that the session's JVM reaches. One that cannot be looked at from here (object
        stores in Spark Connect) passes: Spark itself refuses to write where something is.
    what : str
        What the path is for, as the user knows it: ``"--output"``.
    spark : SparkSession, optional
        Without it only local paths can be looked at.

    Raises
    ------
    PathError
        Something is at ``path``.
    """
    path = path_text(path)
    if spark is None and not _is_local(path):
        return path
    try:
        files = files_for(path, spark)
        taken = files.exists(path)
    except OUT_OF_REACH:
        return path
    if taken:
        raise PathError(
            f"{what}: {path} exists already, and nothing is overwritten. Choose another path, or remove it first."
        )
    return path


def require_apart(*, outputs: Mapping[str, str | PathLike[str]], inputs: Mapping[str, str | PathLike[str]]) -> None:
    """Raise if an output is an input, lies inside one, or has one inside.

    Symbolic links are followed, ``file:`` in front, ``..``, relative paths and slashes at the end make no
    difference, and a glob in an input stands for whatever it can match.

    Parameters
    ----------
    outputs, inputs : mapping
        What a path is for, as the user knows it (``"--output"``), and the path.

    Raises
    ------
    PathError
        Names every such pair.

    Examples
    --------
    >>> require_apart(outputs={"--output": "out"}, inputs={"--documents": "in/*.csv"})
    >>> require_apart(outputs={"--output": "s3a://lake/in/day=1"}, inputs={"--documents": "s3://lake/in/"})
    Traceback (most recent call last):
        ...
    nbspark.errors.PathError: --output s3a://lake/in/day=1 lies inside --documents s3://lake/in/. Nothing was read \
or written. Choose a path outside.
    """
    clashes = [
        f"{out_name} {output} {relation} {in_name} {given}"
        for (out_name, output), (in_name, given) in itertools.product(outputs.items(), inputs.items())
        if (relation := _relation(path_text(output), path_text(given))) is not None
    ]
    if clashes:
        raise PathError(f"{'; '.join(clashes)}. Nothing was read or written. Choose a path outside.")


def local_matches(path: str) -> list[Path] | None:
    """Return what a local path or pattern leads to, nothing if there is nothing; None where that cannot be told here.

    That is so for other file systems, and for a pattern with a backslash in it.

    Examples
    --------
    >>> local_matches("/no/such/file-*.csv"), local_matches("s3a://lake/in")
    ([], None)
    """
    if not _is_local(path):
        return None
    if os.path.lexists(_local(path)):
        return [_local(path)]
    if "\\" in path:
        return None
    found = (glob(str(_local(one)), include_hidden=True) for one in without_braces(path))  # noqa: PTH207
    return sorted({Path(match) for matches in found for match in matches})


def require_something(path: str, *, what: str = "documents") -> str:
    """Return ``path``, or raise if it is on a local disk and nothing is there.

    A path without a scheme is taken as local: ask only where the session's ``fs.defaultFS`` says so too.

    Raises
    ------
    PathError
        Nothing is at ``path``, or nothing fits it.
    """
    if local_matches(path) == []:
        raise nothing_at(path, what=what, full=path)
    return path


def nothing_at(path: str, *, what: str, full: str) -> PathError:
    """Return the error for a path where nothing is; ``full`` has the scheme that Spark gives it."""
    return PathError(f"{what}: there is nothing at {path}.{neighbours(full)}")


def neighbours(path: str) -> str:
    """Return a hint of what lies around a local path that does not exist; nothing for other file systems."""
    if not _is_local(path):
        return ""
    parent = next(folder for folder in _local(path).parents if folder.is_dir())
    try:
        names = sorted(entry.name for entry in parent.iterdir() if not entry.name.startswith("."))
    except OSError:
        return ""
    shown = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
    return f" {parent} has: {shown or 'nothing'}."


def _is_local(path: str) -> bool:
    """Say whether a path is on a local disk; one without a scheme is taken to be."""
    return scheme_of(path) in ("", "file")


def _local(path: str) -> Path:
    """Return a local path as Hadoop reads it: ``..`` is taken away before any link is followed."""
    return Path(os.path.normpath(Path.cwd() / re.sub(r"^file:(//[^/]*)?", "", path)))


def _place(path: str) -> Place:
    """Return where ``path`` leads, symbolic links followed where it is local."""
    scheme = scheme_of(path)
    if scheme in ("", "file"):
        return Place(scheme, "", _local(path).resolve().parts[1:])
    found = re.match(r"[^:]*:(?://(?P<host>[^/]*))?(?P<path>.*)", path, re.DOTALL)
    assert found is not None
    names = posixpath.normpath("/" + found["path"].lstrip("/")).split("/")[1:]
    host = re.sub(r":\d+$", "", found["host"] or "").lower()
    return Place(_ONE_STORE.get(scheme, scheme), host, tuple(name for name in names if name))


def _input_places(path: str) -> Iterator[Place]:
    """Yield where an input leads; of a glob, what it matches now and what it could match.

    A path where something is is no glob, whatever its name.
    """
    if not is_pattern(path) or (_is_local(path) and os.path.lexists(_local(path))):
        yield _place(path)
        return
    for pattern in without_braces(path):
        names = pattern.split("/")
        fixed = next((i for i, name in enumerate(names) if is_pattern(name)), len(names))
        root = _place("/".join(names[:fixed]) or ("/" if pattern.startswith("/") else "."))
        yield root._replace(names=root.names + tuple(name for name in names[fixed:] if name))
        if _is_local(pattern):
            for match in glob(str(_local(pattern))):  # noqa: PTH207 - a whole path is the pattern
                yield _place(match)._replace(scheme=root.scheme)


def _relation(output: str, given: str) -> str | None:
    """Say how the path ``output`` clashes with the input ``given``, or None if it does not."""
    target = _place(output)
    for source in _input_places(given):
        shared = min(len(target.names), len(source.names))
        if _may_be_one_store(target, source) and all(map(names_fit, target.names[:shared], source.names[:shared])):
            if len(target.names) == len(source.names):
                return "is also"
            return "lies inside" if len(target.names) > len(source.names) else "contains"
    return None


def names_fit(name: str, pattern: str) -> bool:
    """Say whether ``name`` is ``pattern`` or fits it; a folder can be called ``[old]``."""
    return name == pattern or fnmatchcase(name, pattern)


def _may_be_one_store(a: Place, b: Place) -> bool:
    """Say whether two places can be on one file system: a path without scheme or host is on the default one."""
    return (not a.scheme or not b.scheme or a.scheme == b.scheme) and (not a.host or not b.host or a.host == b.host)
