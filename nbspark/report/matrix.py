"""The confusion table on a page: a square of classes, and the pairs that are confused most. No pyspark in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbspark.evaluation.evaluation import Evaluation

MOST_CLASSES = 30  # in the square: beyond, those with the most errors
MOST_PAIRS = 25
LEVELS = 9

Pair = tuple[str, str | None]


@dataclass(frozen=True)
class Cell:
    """Documents of a label (the row) that got a prediction (the column).

    ``level`` is their share of the row in steps from 0 to ``LEVELS``; ``link`` the place of their examples, or empty.
    """

    n_docs: int
    level: int
    right: bool
    link: str = ""
    about: str = ""


@dataclass(frozen=True)
class Line:
    """A class as a row and as a column: its places when ordered by name, by documents and by errors."""

    label: str
    by_name: int
    by_docs: int
    by_errors: int
    cells: Sequence[Cell | None]
    n_other: int
    support: int


@dataclass(frozen=True)
class Matrix:
    """The square.

    Attributes
    ----------
    lines : sequence of Line
        By name.
    n_classes : int
        How many there are, shown or not.
    has_none : bool
        Whether the last cell of each line is that of documents without a prediction.
    """

    lines: Sequence[Line]
    n_classes: int
    has_none: bool

    @property
    def has_other(self) -> bool:
        """Whether some columns are summed up as others."""
        return len(self.lines) < self.n_classes


def matrix(evaluation: Evaluation, links: Mapping[Pair, str]) -> Matrix:
    """Return the square of an evaluation.

    Parameters
    ----------
    links : mapping of (label, prediction) to str
        Where on the page examples of a pair are.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from nbspark.evaluation.metrics import measure
    >>> from nbspark.evaluation.tallies import tally
    >>> batch = pa.record_batch({"label": ["a", "a", "b"], "prediction": ["a", "b", "b"]})
    >>> found = matrix(measure(tally(batch)), {("a", "b"): "pair-1"})
    >>> [[cell and (cell.n_docs, cell.level, cell.link) for cell in line.cells] for line in found.lines]
    [[(1, 4, ''), (1, 4, 'pair-1')], [None, (1, 9, '')]]
    """
    counts = {(one.label, one.prediction): one.n_docs for one in evaluation.pairs}
    support = {one.label: one.support for one in evaluation.classes}
    errors = dict.fromkeys(support, 0)
    for (label, prediction), n in counts.items():
        if label != prediction:
            errors[label] += n
            if prediction is not None:
                errors[prediction] += n
    by_errors = sorted(support, key=lambda label: (-errors[label], -support[label], label))
    shown = sorted(by_errors[:MOST_CLASSES])
    by_docs = sorted(shown, key=lambda label: (-support[label], label))
    has_none = any(prediction is None for _, prediction in counts)
    columns: list[str | None] = [*shown, *([None] if has_none else [])]
    lines = []
    for place, label in enumerate(shown):
        own = [counts.get((label, column), 0) for column in columns]
        cells = [
            _cell(label, column, n, support[label], links.get((label, column), "")) if n else None
            for column, n in zip(columns, own, strict=True)
        ]
        places = place, by_docs.index(label), by_errors.index(label)
        lines.append(Line(label, *places, cells, support[label] - sum(own), support[label]))
    return Matrix(lines, len(support), has_none)


def _cell(label: str, prediction: str | None, n: int, support: int, link: str) -> Cell:
    """Return a cell that is not empty."""
    got = "without a prediction" if prediction is None else f"predicted {prediction}"
    # The faintest step is for what is there at all: one document of a thousand is seen, too.
    return Cell(n, max(1, int(LEVELS * n / support)), label == prediction, link, f"{n} of {label} {got}")


def confused(evaluation: Evaluation) -> list[tuple[str, str | None, int, float]]:
    """Return the pairs that are confused most: label, prediction, documents, and their share of the label's."""
    wrong = [one for one in evaluation.pairs if one.label != one.prediction]
    wrong.sort(key=lambda one: (-one.n_docs, one.label, one.prediction or ""))
    return [(one.label, one.prediction, one.n_docs, one.of_label or 0.0) for one in wrong[:MOST_PAIRS]]
