"""Labelled rows, and how to make them of texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa


@dataclass(frozen=True)
class Corpus:
    """Labelled rows.

    Attributes
    ----------
    columns : dict of str to Array
    labels : StringArray, shape (n_rows,)
    is_test : bool array, shape (n_rows,), optional
        The published split; None where the corpus has none.
    folds : int array, shape (n_rows,), optional
        The published fold of each row.
    n_unread : int
        Rows of the files that could not be read.
    notes : tuple of str
        What the reader did to the rows, for the report.
    """

    columns: dict[str, pa.Array]
    labels: pa.StringArray
    is_test: np.ndarray | None = None
    folds: np.ndarray | None = None
    n_unread: int = 0
    notes: tuple[str, ...] = ()


Pairs = list[tuple[str, str]]  # label, text


def of_texts(rows: Pairs, test: Pairs | None = None, *, n_unread: int = 0, notes: tuple[str, ...] = ()) -> Corpus:
    """Return a corpus of labelled texts, with a published split if there are test rows."""
    every = [*rows, *(test or [])]
    texts, labels = pa.array([text for _, text in every]), pa.array([label for label, _ in every])
    n_conflicts = len(set(every)) - len({text for _, text in every})
    if n_conflicts:
        notes = (*notes, f"repeats of a text under another label: {n_conflicts:,}")
    is_test = None if test is None else np.arange(len(every)) >= len(rows)
    return Corpus({"text": texts}, labels, is_test, n_unread=n_unread, notes=notes)


def divided(lines: Iterable[str], separator: str, *, label_last: bool = False) -> tuple[Pairs, int]:
    """Return label and text of each line, and the number of lines that are not both; an empty line is no row."""
    pairs, n_unread = [], 0
    for line in lines:
        first, found, second = line.rpartition(separator) if label_last else line.partition(separator)
        label, text = (second, first) if label_last else (first, second)
        if found and label:
            pairs.append((label, text))
        elif line.strip():
            n_unread += 1
    return pairs, n_unread
