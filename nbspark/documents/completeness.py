"""Files that an engine would pass over in silence, or read as what they are not: refused, or named in a warning."""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING

from nbspark.documents.formats import COMPRESSED, guess_format
from nbspark.errors import DocumentsError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbspark.documents.listing import Listed, Listing

log = logging.getLogger("nbspark")

WITH_FOOTERS = frozenset({"parquet", "orc", "avro"})  # a file without a byte is no file of these
_LINES = frozenset({"csv", "json", "text"})
_COPIES = (".bak", "~", ".orig", ".old", ".save", ".swp", ".tmp")
_TABLES = {"delta": "_delta_log/", "hudi": ".hoodie/"}


def require_all_read(listing: Listing, source: str, options: Mapping[str, str]) -> None:
    """Raise if reading the listed files as ``source`` leaves one out, or takes one for what it is not.

    Hidden files that look like documents are named in a warning.

    Raises
    ------
    DocumentsError
        A folder is a lake table, files lie in folders that are not read, have another ending than the rest, or have
        no byte where there must be some. The message says how many, names some, and says what to do.
    """
    given = {name.lower(): value.lower() for name, value in options.items()}
    if source in WITH_FOOTERS:
        require_no_table(listing, source)
    if source in WITH_FOOTERS | _LINES:
        _warn_of_hidden(listing, source)
        if given.get("recursivefilelookup") != "true":
            _require_reached(listing)
        if "pathglobfilter" not in given:
            _require_one_kind(listing, source)
        _require_content(listing, source)


def require_no_table(listing: Listing, source: str) -> None:
    """Raise if a folder is a Delta, Hudi or Iceberg table: some of its files hold rows that are not in it."""
    for kind, folder in _TABLES.items():
        for root in listing.roots:
            if any(listing.files.is_folder(f"{one}/{folder.rstrip('/')}") for one in _tables_of(root)):
                raise _is_table(listing.path, kind, source)
    names = [one.name for one in listing.shown]
    if any(name.startswith("metadata/") and name.endswith(".metadata.json") for name in names):
        raise _is_table(listing.path, "iceberg", source)


def _tables_of(root: str) -> list[str]:
    """Return a folder, and those of which it is a partition.

    >>> _tables_of("/lake/mails/year=2024/day=1")
    ['/lake/mails/year=2024/day=1', '/lake/mails/year=2024', '/lake/mails']
    """
    found = [root.rstrip("/")]
    while "=" in found[-1].rpartition("/")[2]:
        found.append(found[-1].rpartition("/")[0])
    return found


def _is_table(path: str, kind: str, source: str) -> DocumentsError:
    """Return the error for a lake table that would be read as its files."""
    return DocumentsError(
        f"documents: {path} is a table of {kind.title()}: some of its {source} files hold rows that are no longer in "
        f"it, or not yet. Pass --format {kind} (with its package: --conf spark.jars.packages=...) or --table NAME; for "
        f"the files as they are, a pattern such as {path.rstrip('/')}/*.{source}."
    )


def _require_reached(listing: Listing) -> None:
    """Raise if files lie in folders that are not read.

    Without ``recursiveFileLookup`` Spark reads what lies directly in the folder, or, if there is any, in folders
    such as ``label=spam``. If there are both, it reads only the latter.
    """
    stray = [one for one in listing.shown if one.folders and not _partitions(one)]
    what = "in folders below it"
    if not stray:
        direct = [one for one in listing.shown if one.name and not one.folders]
        inside = [one for one in listing.shown if _partitions(one)]
        stray, what = (direct if inside else []), f"beside folders such as {inside[0].folders[0] if inside else ''}"
    if stray:
        raise DocumentsError(
            f"documents: {_shown(stray)} of {listing.path} would not be read, {what}. Pass --option "
            "recursiveFileLookup=true to read all folders (a name such as label=spam is then no column), or a path or "
            "pattern of those that are meant."
        )


def _partitions(one: Listed) -> tuple[str, ...]:
    """Return the names of the columns that the folders above a file make.

    >>> from nbspark.documents.listing import Listed
    >>> _partitions(Listed("/in", "2024/label=spam/a.csv", 1))
    ('label',)
    """
    return tuple(folder.partition("=")[0] for folder in one.folders if "=" in folder)


def _require_one_kind(listing: Listing, source: str) -> None:
    """Raise if some files have the ending of the format and others, in the same path, have not."""
    named = [one for one in listing.shown if guess_format(one.base) == source]
    copies = [one for one in listing.shown if one.base.lower().endswith(_COPIES)]
    odd = copies
    if source in _LINES and named:  # of the other formats a reader can tell its files from any others
        odd = [one for one in listing.shown if guess_format(one.base) != source]
    if odd and len(odd) < len(listing.shown):
        raise DocumentsError(
            f"documents: {_shown(odd)} of {listing.path} would be read as {source} too, by the ending something else. "
            f"Move them away, or say with --option pathGlobFilter=PATTERN (such as '*.{source}') which files are meant."
        )


def _require_content(listing: Listing, source: str) -> None:
    """Raise if a file that cannot be empty is: an upload that broke off, and Spark passes over it."""
    filled = [one for one in listing.shown if source in WITH_FOOTERS or one.base.lower().endswith(COMPRESSED)]
    empty = [one for one in filled if not (listing.files.read(one.path, 1) if one.n_bytes < 0 else one.n_bytes)]
    if empty:
        raise DocumentsError(
            f"documents: {_shown(empty)} of {listing.path} without a byte, which is no {source}: perhaps an upload "
            "that broke off. Bring the files again, or remove them."
        )


def _warn_of_hidden(listing: Listing, source: str) -> None:
    """Warn of files that a name beginning with . or _ hides, though their ending is that of the format."""
    passed = [one for one in listing.hidden if guess_format(one.base) == source]
    if passed:
        log.warning(
            "documents: %s of %s not read: names that begin with . or _ are hidden. Rename what is meant to be read.",
            _shown(passed), listing.path,
        )  # fmt: skip


def warn_of_hidden_classes(listing: Listing) -> None:
    """Warn of class folders that their names hide, with the number of their files."""
    inside = Counter(one.folders[0] for one in listing.hidden if one.folders and one.folders[0].startswith((".", "_")))
    if inside:
        counted = (f"{name} ({n:,} file{'s' if n > 1 else ''})" for name, n in sorted(inside.items()))
        shown = ", ".join(counted)
        log.warning(
            "documents: folders of %s not read as classes: %s. Names that begin with . or _ are hidden. Rename those "
            "that are classes.", listing.path, shown,
        )  # fmt: skip


def _shown(files: Sequence[Listed]) -> str:
    """Return how many files, with the names of the first.

    >>> from nbspark.documents.listing import Listed
    >>> _shown([Listed("/in", f"{i}.bak", 1) for i in range(9)])
    '9 files (0.bak, 1.bak, 2.bak, 3.bak, 4.bak, ...)'
    """
    names = ", ".join(one.name or one.base for one in files[:5]) + (", ..." if len(files) > 5 else "")
    return f"{len(files):,} file{'s' if len(files) > 1 else ''} ({names})"
