"""Documents to learn from and documents to test on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as T

from nbspark.arrays.frame import column

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from pyspark.sql import Column, DataFrame


def split(documents: DataFrame, *, columns: Sequence[str], share: Fraction) -> tuple[DataFrame, DataFrame]:
    """Return the documents to learn from, and about ``share`` of all to test on; lazy.

    The content decides, by a hash: the split is the same for any order and partitioning of the rows, and documents
    that are equal in ``columns`` fall on one side, so none is tested that was learned.

    Parameters
    ----------
    columns : sequence of str
        What documents are compared by: the columns of the features.
    share : Fraction
        Between 0 and 1.
    """
    is_test = F.pmod(content_hash(documents, columns), F.lit(share.denominator)) < F.lit(share.numerator)
    return documents.where(~is_test), documents.where(is_test)


def content_hash(documents: DataFrame, columns: Sequence[str]) -> Column:
    """Return a 64-bit hash of some columns: the same for equal documents."""
    return F.xxhash64(*(_hashable(documents, name) for name in columns))


def _hashable(documents: DataFrame, name: str) -> Column:
    """Return a column that can be hashed: Spark hashes no map, whose entries have no order."""
    values = column(name)
    if isinstance(documents.schema[name].dataType, T.MapType):
        return F.array_sort(F.map_entries(values))
    return values
