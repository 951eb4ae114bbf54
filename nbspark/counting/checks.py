"""Whether rows can be counts, before a number in them is worked with: a foreign writer may have made them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.errors import DocumentsError, NbsparkError, StoreError
from nbspark.features.values import LARGEST_COUNT
from nbspark.schemas import MOMENTS

if TYPE_CHECKING:
    from collections.abc import Iterable

ROUNDING = 1e-9  # relative: sums of weights are as exact as their order lets them be
_SHOWN = 10  # labels in a message


def require_sound(counts: pa.Table, label: np.ndarray, feature: np.ndarray, term: np.ndarray) -> None:
    """Raise StoreError if a row of a class is no count.

    Parameters
    ----------
    counts : Table of ``schemas.COUNTS``
    label, feature, term : int array, shape (n_rows,)
        Codes, -1 for null.
    """
    of_class = label >= 0
    bad = of_class & (feature < 0) & (term >= 0)
    if bad.any():
        raise StoreError(f"counts: {int(bad.sum())} rows with a label and a term, but no feature.")
    for name in ("n_tokens", "n_docs"):
        values = counts[name].to_numpy()
        bad = of_class & ~np.isfinite(values)
        if bad.any():
            i = int(np.flatnonzero(bad)[0])
            row = {key: counts[key][i].as_py() for key in ("label", "feature", "term", name)}
            raise StoreError(f"counts: {name} wants a finite number, found {row}.")


def require_known_labels(unknown: pa.Array) -> None:
    """Raise StoreError that names labels with counts but without the row of their documents, if there are any."""
    if len(unknown):
        some = unknown[:_SHOWN].to_pylist()
        raise StoreError(
            f"counts: {some} and {len(unknown) - _SHOWN} more labels have counts, but no row of their documents."
            if len(unknown) > _SHOWN
            else f"counts: the labels {some} have counts, but no row of their documents."
        )


def require_features(found: Iterable[str | None], wanted: Iterable[str]) -> None:
    """Raise StoreError unless counts have exactly the features of a model.

    >>> require_features(["body", "title"], ["body"])
    Traceback (most recent call last):
    nbspark.errors.StoreError: counts: no rows of the features [], and rows of ['title'], which are not in the spec.
    """
    known, there = set(wanted), set(found)
    missing, unknown = sorted(known - there), sorted(there - known, key=str)
    if missing or unknown:
        raise StoreError(
            f"counts: no rows of the features {missing}, and rows of {unknown[:_SHOWN]}, which are not in the spec."
        )


def class_codes(labels: pa.Array, classes: pa.StringArray) -> np.ndarray:
    """Return the place of each label among the classes.

    Raises
    ------
    StoreError
        Names labels that are no class.

    Examples
    --------
    >>> class_codes(pa.array(["b", "a"]), pa.array(["a", "b"])).tolist()
    [1, 0]
    """
    codes = pc.index_in(labels, classes)
    if codes.null_count:
        require_known_labels(labels.filter(codes.is_null()).unique())
    return codes.to_numpy()


def require_fewer(parts: np.ndarray, whole: np.ndarray, what: str, than: str) -> None:
    """Raise StoreError if a part is more than the whole it is a part of."""
    bad = parts > whole * (1 + ROUNDING)
    if bad.any():
        i = int(np.flatnonzero(bad)[0])
        raise StoreError(f"counts: {what} are {parts[i]}, more than the {whole[i]} {than}.")


def require_counts(sums: np.ndarray, what: str) -> None:
    """Raise StoreError if a count is below 0, since more was subtracted than had been added up, or too large."""
    if len(sums) and sums.min() < 0:
        raise StoreError(f"counts: {what} want numbers >= 0, found {sums.min()}.")
    require_exact(sums, what, StoreError)


def require_exact(sums: np.ndarray, what: str, error: type[NbsparkError] = DocumentsError) -> np.ndarray:
    """Return sums, or raise an error if one is so large that its last digits would depend on the order of its parts."""
    if len(sums) and not sums.max() < LARGEST_COUNT:
        raise error(
            f"counts: {what} sum to {sums.max():.17g}; sums are exact below 2**53. Divide the counts or weights by one "
            "number."
        )
    return sums


def require_sums(sums_of_labels: Iterable[tuple[str, float, float]]) -> None:
    """Raise StoreError if the tokens or the documents of a label's terms are below 0 or not finite."""
    wrong = [one for one in sums_of_labels if not all(0 <= n < np.inf for n in one[1:])]
    if wrong:
        raise StoreError(f"counts: the terms of label, with their tokens and documents, are {wrong[:_SHOWN]}.")


def require_moments(totals: pa.Table) -> pa.Table:
    """Return rows of moments, or raise StoreError if a number in one is not finite."""
    for name in MOMENTS:
        values = totals[name].to_numpy()
        if not np.isfinite(values).all():
            raise StoreError(f"counts: {name} wants finite numbers, found {values}.")
    return totals
