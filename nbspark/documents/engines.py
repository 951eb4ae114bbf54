"""Engines behind a session that read files otherwise than Spark: what they cannot read alike is refused there."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from nbspark.documents.columns import columns_of
from nbspark.errors import DocumentsError
from nbspark.files.patterns import literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

    from nbspark.documents.listing import Listing

_UTF_8 = ("utf-8", "utf-8-sig")


@lru_cache(maxsize=8)
def is_sail(spark: SparkSession) -> bool:
    """Say whether a session of Spark Connect talks to Sail, which has a catalog of that name."""
    if not type(spark).__module__.startswith("pyspark.sql.connect"):
        return False
    return any(catalog.name == "sail" for catalog in spark.catalog.listCatalogs())


def require_readable_by_sail(
    path: str, source: str, listing: Listing | None, options: Mapping[str, str], encoding: str
) -> None:
    """Raise if Sail reads files of ``source`` otherwise than Spark.

    Its CSV and text sources pass over the option ``encoding``, and its CSV source goes by the place of a column, not
    by the header of each file.

    Raises
    ------
    DocumentsError
        Says what to do.
    """
    if literal(path) != path and listing is not None and listing.roots == [listing.files.absolute(path)]:
        raise DocumentsError(f"documents: Sail takes {path} for a pattern, whatever is there. Rename it, or use Spark.")
    if source in ("csv", "text", "json") and encoding not in _UTF_8:
        raise DocumentsError(
            f"documents: Sail reads {source} in UTF-8 only; found {encoding}. Convert the files "
            f"(iconv -f {encoding} -t UTF-8), or use Spark."
        )
    if source == "csv" and listing is not None and len(listing.shown) > 1:
        headers = {one.path: columns_of(one.path, "csv", options) for one in listing.shown if one.n_bytes}
        first, expected = next(iter(headers.items()))
        other = next((path for path, names in headers.items() if names is None or names != expected), None)
        if other is not None:
            raise DocumentsError(
                f"documents: Sail reads CSV by the place of a column, and the header of {other} is not surely that of "
                f"{first}. Give all files the same header, or use Spark."
            )
