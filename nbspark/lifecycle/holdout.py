"""Documents in memory to learn from and to judge on: which is which, their content decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.hashing import hash_rows, hash_strings
from nbspark.features.values import as_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction


def split_table(table: pa.Table, *, columns: Sequence[str], share: Fraction) -> tuple[pa.Table, pa.Table]:
    """Return the documents to learn from, and about ``share`` of all to judge on; equal ones are on one side.

    As ``documents.split`` does on Spark, but by another hash: the same documents fall on other sides there.
    """
    places = content_hashes(table, columns) % np.uint64(share.denominator)
    is_held_out = pa.array(places < np.uint64(share.numerator))
    return table.filter(pc.invert(is_held_out)), table.filter(is_held_out)


def content_hashes(table: pa.Table, columns: Sequence[str]) -> np.ndarray:
    """Return a 64-bit hash of some columns of each row.

    >>> rows = pa.table({"n": [1, 2, 1], "tags": [["a"], ["a"], ["a"]]})
    >>> one, two, three = content_hashes(rows, ["n", "tags"])
    >>> one == three, one == two
    (np.True_, np.False_)
    """
    return hash_rows({i: hash_strings(_as_texts(table[name])) for i, name in enumerate(columns)})


def _as_texts(values: pa.ChunkedArray) -> pa.StringArray:
    """Return values as text: scalars by the rule of categories, lists and maps as Python shows them."""
    if not pa.types.is_nested(values.type):
        return as_text(values)
    is_map = pa.types.is_map(values.type)
    listed = [None if one is None else repr(sorted(one) if is_map else one) for one in values.to_pylist()]
    return pa.array(listed, pa.string())
