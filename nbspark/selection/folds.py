"""Which fold each document is in, by what it holds: the same for any order, partitioning and machine. No pyspark in it.

A document of a fold is counted under a label that names both, so that one pass counts every fold by itself.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.hashing import hash_numbers, hash_rows, mix
from nbspark.arrays.strings import buffers_of
from nbspark.errors import DocumentsError, SpecError
from nbspark.features.occurrences import read_terms
from nbspark.features.values import as_text

if TYPE_CHECKING:
    from collections.abc import Sequence

FOLDS = 10
MOST_FOLDS = 1_000  # more are an id that was taken for a column of folds
_NOTHING = np.uint64(0x5851F42D4C957F2D)  # instead of a null


@dataclass(frozen=True)
class Folds:
    """How documents are put into folds.

    Attributes
    ----------
    columns : tuple of str
        What decides: the columns that are hashed, in order, or the one that names the folds.
    n : int, optional
        How many folds; None where a column names them.
    """

    columns: tuple[str, ...]
    n: int | None = FOLDS

    def __post_init__(self) -> None:
        """Check the number."""
        if self.n is not None and not (isinstance(self.n, int) and 2 <= self.n <= MOST_FOLDS):
            raise SpecError(f"folds wants a whole number from 2 to {MOST_FOLDS:,}, found {self.n!r}.")

    def names(self, values: Sequence[pa.Array]) -> pa.StringArray:
        """Return the fold of each document, given its values in ``columns``.

        Raises
        ------
        DocumentsError
            A column names the folds, and a document has none.

        Examples
        --------
        >>> Folds(("body",), 4).names([pa.array(["win cash", "hello", "win cash", None])]).to_pylist()
        ['1', '0', '1', '3']
        >>> Folds(("year",), None).names([pa.array([2024.0, 2025.0])]).to_pylist()
        ['2024', '2025']
        """
        if self.n is not None:
            rows = hash_rows({place: hash_column(one) for place, one in enumerate(values)})
            texts = pa.array([str(fold) for fold in range(self.n)], pa.string())
            return texts.take(pa.array((rows % np.uint64(self.n)).astype(np.int32)))
        [given] = values
        found = as_text(given)
        if found.null_count:
            raise DocumentsError(
                f"documents: {found.null_count:,} rows have no fold in the column {self.columns[0]!r}. Give each one, "
                "or leave those rows out."
            )
        return found


def hash_column(values: pa.Array) -> np.ndarray:
    """Return a hash of each value, uint64; of lists and maps of terms, of which terms they hold, how often.

    >>> hashes = hash_column(pa.array(["win", "cash", "win", "", None]))
    >>> bool(hashes[0] == hashes[2]), len(set(hashes.tolist()))
    (True, 4)
    >>> one, other = hash_column(pa.array([["win", "cash", "win"], ["cash", "win", "win"]]))
    >>> bool(one == other)
    True
    """
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if pa.types.is_floating(values.type):
        numbers = values.cast(pa.float64())
        is_null = pc.fill_null(pc.is_nan(numbers), True)
        hashes = mix(hash_numbers(pc.if_else(is_null, 0.0, numbers)) + np.uint64(1))
    elif pa.types.is_nested(values.type):
        return _hash_bags(values)
    else:
        texts = as_text(values)
        is_null, hashes = texts.is_null(), _checksums(texts)
    hashes[np.asarray(is_null)] = _NOTHING
    return hashes


def _hash_bags(values: pa.Array) -> np.ndarray:
    """Return a hash of the terms of each list, map or vector, whatever their order."""
    found = read_terms(values, "of folds")
    n = np.ones(len(found.terms)) if found.n is None else found.n
    each = mix(_checksums(found.terms) * np.uint64(3)) * hash_numbers(pa.array(n))
    upto = np.zeros(len(each) + 1, np.uint64)
    np.cumsum(mix(each) if found.n is not None else each, out=upto[1:])
    return mix(upto[found.offsets[1:]] - upto[found.offsets[:-1]] + np.uint64(1))


def _checksums(texts: pa.StringArray) -> np.ndarray:
    """Return the CRC-32 and the length of each text, mixed: at the speed of memory, whatever the length of a text."""
    data, offsets = buffers_of(pc.fill_null(texts, ""))
    view = memoryview(data.data)
    ends = offsets.tolist()
    sums = [zlib.crc32(view[start:end]) for start, end in pairwise(ends)]
    return mix(np.array(sums, np.uint64) + (np.diff(offsets).astype(np.uint64) << np.uint64(32)) + np.uint64(1))


def with_fold(folds: pa.StringArray, labels: pa.StringArray) -> pa.StringArray:
    """Return labels that name the fold, too; null where there is no label.

    >>> with_fold(pa.array(["3", "3"]), pa.array(["spam", None])).to_pylist()
    ['1:3spam', None]
    """
    return pc.binary_join_element_wise(pc.utf8_length(folds).cast(pa.string()), pa.scalar(":"), folds, labels, "")


def fold_and_label(label: str) -> tuple[str, str]:
    """Return the fold and the label that ``with_fold`` joined.

    >>> fold_and_label("1:3spam")
    ('3', 'spam')
    """
    length, _, rest = label.partition(":")
    return rest[: int(length)], rest[int(length) :]


def in_order(folds: Sequence[str]) -> list[str]:
    """Return the names of folds in their order: as numbers, where all are whole numbers.

    >>> in_order(["10", "9"]), in_order(["b", "a"])
    (['9', '10'], ['a', 'b'])
    """
    return sorted(folds, key=int if all(one.isascii() and one.isdecimal() for one in folds) else None)
