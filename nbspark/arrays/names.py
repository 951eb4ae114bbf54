"""Names of columns that must be there. No pyspark in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbspark.errors import DocumentsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def require_names(
    wanted: Iterable[str], found: Sequence[str], *, asked_by: str = "the model", where: str | None = None
) -> None:
    """Raise one error that lists every column that is wanted and not found.

    Examples
    --------
    >>> require_names(["text", "label"], ["text", "topic"], where="a.csv")
    Traceback (most recent call last):
        ...
    nbspark.errors.DocumentsError: documents: no column 'label' in a.csv (asked for by the model); found ['text', \
'topic']. Correct the name, or rename the column.
    """
    missing = [name for name in dict.fromkeys(wanted) if name not in found]
    if missing:
        listed = ", ".join(map(repr, missing)) + (f" in {where}" if where else "")
        raise DocumentsError(
            f"documents: no column {listed} (asked for by {asked_by}); found {list(found)}. "
            "Correct the name, or rename the column."
        )


def require_equal_columns(types: Mapping[str, Mapping[str, str | None]]) -> None:
    """Raise one error that names every path and column that differs from the first path's.

    Parameters
    ----------
    types : mapping
        For each path the type of each column, None where it is not known.

    Examples
    --------
    >>> require_equal_columns({"a.csv": {"label": None, "text": None}, "b.csv": {"text": None}})
    Traceback (most recent call last):
        ...
    nbspark.errors.DocumentsError: documents: b.csv has no column 'label', which a.csv has. Give all the same columns.
    """
    (first, expected), *others = types.items()
    wrong = []
    for path, columns in others:
        wrong += [f"{path} has no column {name!r}, which {first} has" for name in expected if name not in columns]
        wrong += [f"{path} has a column {name!r}, which {first} has not" for name in columns if name not in expected]
        wrong += [
            f"{path} has the column {name!r} as {columns[name]}, {first} as {kind}"
            for name, kind in expected.items()
            if columns.get(name, kind) != kind
        ]
    if wrong:
        raise DocumentsError(f"documents: {'; '.join(wrong)}. Give all the same columns.")
