"""The columns in the footers of Parquet and ORC files: of files that differ, an engine takes one's for all."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from nbspark.errors import DocumentsError, StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import BinaryIO

    from nbspark.documents.listing import Listing
    from nbspark.files.protocol import Files

_AT_ONCE = 16  # footers read side by side: on an object store each is a wait
_SHOWN = 5


def require_same_columns(listing: Listing, source: str, options: Mapping[str, str]) -> None:
    """Raise if the files of a path have not the same columns, in whatever order, unless they are to be merged.

    Of files that differ Spark takes the columns of one. What another one lacks is then null, and what it has
    besides is dropped: which of the two depends on the names of the files.

    Raises
    ------
    DocumentsError
        Names each file and column that differs from the first file's, and the option that merges.
    """
    merge = next((value for name, value in options.items() if name.lower() == "mergeschema"), "false")
    if source not in ("parquet", "orc") or merge.lower() == "true" or len(listing.shown) < 2:
        return
    paths = [one.path for one in listing.shown]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        names = pool.map(lambda path: _names_in(listing.files, path, source), paths)
        found = {path: columns for path, columns in zip(paths, names, strict=True) if columns is not None}
    wrong = []
    for path, columns in found.items():
        first, expected = next(iter(found.items()))
        wrong += [f"{path} has no column {name!r}, which {first} has" for name in expected if name not in columns]
        wrong += [f"{path} has a column {name!r}, which {first} has not" for name in columns if name not in expected]
    if wrong:
        more = f"; and {len(wrong) - _SHOWN:,} more" if len(wrong) > _SHOWN else ""
        raise DocumentsError(
            f"documents: {'; '.join(wrong[:_SHOWN])}{more}. Write all files with the same columns, read the different "
            "ones apart, or pass --option mergeSchema=true: what a file lacks is then null."
        )


def _names_in(files: Files, path: str, source: str) -> list[str] | None:
    """Return the columns in a file's footer; None where it cannot be read, which Spark then says."""
    import pyarrow as pa

    try:
        with files.open(path) as file:
            return _names_of(file, source)
    except (OSError, StoreError, pa.ArrowException):
        return None


def _names_of(file: BinaryIO, source: str) -> list[str]:
    """Return the columns of an open file; to Spark, case is no difference."""
    if source == "parquet":
        import pyarrow.parquet as pq

        return [name.lower() for name in pq.read_schema(file).names]
    from pyarrow import orc

    return [name.lower() for name in orc.ORCFile(file).schema.names]
