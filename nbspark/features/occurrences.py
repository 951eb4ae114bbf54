"""A column of values to the terms of each document, for every kind of feature with a vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.ngrams import TOKENS
from nbspark.errors import DocumentsError
from nbspark.features import Categorical, Feature, Terms, Text
from nbspark.features.values import as_text, require_counts
from nbspark.text import Tokenizer
from nbspark.text.token_lists import TokenLists


@dataclass(frozen=True)
class Occurrences:
    """The terms of documents: document i has ``terms[offsets[i]:offsets[i + 1]]``, or the n-grams of them.

    Attributes
    ----------
    offsets : int64 array, shape (n_docs + 1,)
    terms : StringArray, shape (n_occurrences,)
    n : float64 array, shape (n_occurrences,), optional
        How often each occurs, > 0; once where not given.
    repeats : int64 array, shape (n_occurrences,), optional
        For how many terms of the document each stands; for one where not given.
    present : bool array, shape (n_docs,), optional
        Whether the document has the feature at all; all have where not given.
    ngrams : (int, int)
        Runs of so many neighbours, joined by a blank, are the terms; ``n`` and ``repeats`` are then not given.
    """

    offsets: np.ndarray
    terms: pa.StringArray
    n: np.ndarray | None = None
    present: np.ndarray | None = None
    repeats: np.ndarray | None = None
    ngrams: tuple[int, int] = TOKENS


@dataclass(frozen=True)
class Reader:
    """The function from a column of a feature to its occurrences, some documents at a time, in order.

    Attributes
    ----------
    read : callable
    ngrams : (int, int)
        As all its occurrences have it.
    """

    read: Callable[[pa.Array], Iterator[Occurrences]]
    ngrams: tuple[int, int] = TOKENS

    def __call__(self, values: pa.Array) -> Iterator[Occurrences]:
        """Yield the occurrences of a column."""
        return self.read(values)


def reader_of(feature: Feature) -> Reader:
    """Return what reads a feature's column."""
    if isinstance(feature, Text):
        tokenizer = Tokenizer(feature)
        return Reader(lambda values: map(_of_text, tokenizer.parts(values)), tokenizer.ngrams)
    if isinstance(feature, Categorical):
        return Reader(lambda values: iter([read_categories(values, feature.column)]))
    if isinstance(feature, Terms):
        return Reader(lambda values: iter([read_terms(values, feature.column)]))
    raise TypeError(f"{feature.kind} features have no vocabulary")


def unmatched_stop_words(feature: Feature) -> list[str]:
    """Return the stop words of a resolved feature that can never match."""
    return Tokenizer(feature).unmatched_stop_words if isinstance(feature, Text) and feature.stop_words else []


def _of_text(terms: TokenLists) -> Occurrences:
    """Return the occurrences of terms of text; of a long text each term comes once, with its count."""
    repeats = None if terms.n is None else terms.n.astype(np.int64)
    return Occurrences(terms.offsets, terms.values, terms.n, repeats=repeats, ngrams=terms.ngrams)


def read_categories(values: pa.Array, column: str) -> Occurrences:
    """Return one term for each document that has a value.

    >>> found = read_categories(pa.array([1.0, None, 2.0]), "size")
    >>> found.terms.to_pylist(), found.offsets.tolist()
    (['1', '2'], [0, 1, 1, 2])
    """
    try:
        texts = as_text(values)
    except DocumentsError as error:
        raise DocumentsError(f"column {column!r}: {error}") from error
    present = texts.is_valid().to_numpy(zero_copy_only=False)
    return Occurrences(np.r_[0, np.cumsum(present)], texts.drop_null(), present=present)


def read_terms(values: pa.Array, column: str) -> Occurrences:
    """Return the terms of lists of terms, of maps from term to count, or of Spark ML vectors.

    Raises
    ------
    DocumentsError
        The column holds something else, or a count is negative, NaN, infinite or null; the message names the
        column and shows the value.

    Examples
    --------
    >>> counts = pa.array([[("cash", 2.0), ("win", 0.0)], None], pa.map_(pa.string(), pa.float64()))
    >>> found = read_terms(counts, "counts")
    >>> found.terms.to_pylist(), found.n.tolist(), found.offsets.tolist()
    (['cash'], [2.0], [0, 1, 1])
    """
    present = values.is_valid().to_numpy(zero_copy_only=False)
    valid = values.drop_null()
    lengths = np.zeros(len(values), np.int64)
    n = None
    if pa.types.is_null(values.type):
        terms = pa.array([], pa.string())
    elif pa.types.is_struct(values.type) and values.type.get_field_index("values") >= 0:
        lengths[present], terms, n = _vectors(valid)
    elif pa.types.is_list(values.type) or pa.types.is_map(values.type):
        lengths[present], terms, n = _lists(valid)
    else:
        raise DocumentsError(
            f"column {column!r} holds {values.type}; a terms feature wants lists of terms, maps from term to count, "
            "or Spark ML vectors."
        )
    offsets = np.r_[0, np.cumsum(lengths)]
    if n is None:
        keep = terms.is_valid().to_numpy(zero_copy_only=False)
    else:
        keep = require_counts(n, f"column {column!r}", "count") > 0
        n = n.filter(pa.array(keep)).to_numpy()
    return Occurrences(np.r_[0, np.cumsum(keep)][offsets], as_text(terms.filter(pa.array(keep))), n=n)


def _lists(values: pa.ListArray | pa.MapArray) -> tuple[np.ndarray, pa.Array, pa.Array | None]:
    """Return the length of each list or map, and the terms, and the counts of maps, of all of them."""
    starts = values.offsets.to_numpy()
    inside = slice(int(starts[0]), int(starts[-1])) if len(starts) else slice(0, 0)  # a slice does not start at 0
    if pa.types.is_map(values.type):
        return np.diff(starts), values.keys[inside], values.items[inside].cast(pa.float64())
    return np.diff(starts), values.values[inside], None


def _vectors(values: pa.StructArray) -> tuple[np.ndarray, pa.Array, pa.Array]:
    """Return length, positions and values of Spark ML vectors: type 0 is sparse, 1 is dense and has no indices."""
    counts = values.field("values")
    lengths = pc.list_value_length(counts).to_numpy()
    positions = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    is_sparse = np.repeat(values.field("type").to_numpy() == 0, lengths)
    positions[is_sparse] = values.field("indices").flatten().to_numpy()
    return lengths, pa.array(positions), counts.flatten()
