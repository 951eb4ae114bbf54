"""The probabilities of all classes as a matrix, from a map, an array or a struct a row; ranks in it. No pyspark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.errors import DocumentsError
from nbspark.features.values import as_text

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_RANK = 10  # a true label below the tenth place is simply not among the best


@dataclass(frozen=True)
class ClassProbabilities:
    """What a model said of every class.

    Attributes
    ----------
    classes : list of str
        In string order.
    matrix : float64 array, shape (n_docs, n_classes)
    is_given : bool array, shape (n_docs,)
        Whether the row has probabilities.
    """

    classes: list[str]
    matrix: np.ndarray
    is_given: np.ndarray

    def ranks(self, matrix: np.ndarray, codes: np.ndarray, of_truth: np.ndarray) -> np.ndarray:
        """Return the place of the true class in each row, 1 the best, -k if it is not among the best k.

        Parameters
        ----------
        matrix : array, shape (n, n_classes)
        codes : int array, shape (n,)
            The true class, -1 if it is none of them.
        of_truth : array, shape (n,)
            Its probability.

        Notes
        -----
        Of equal probabilities that of the first label is the better one, as in a prediction.
        """
        before = np.arange(matrix.shape[1]) < codes[:, None]
        ahead = (matrix > of_truth[:, None]) | ((matrix == of_truth[:, None]) & before)
        place = 1 + ahead.sum(axis=1)
        return np.where((codes >= 0) & (place <= MAX_RANK), place, -min(MAX_RANK, matrix.shape[1]))


def class_probabilities(values: pa.Array, classes: Sequence[str] | None = None) -> ClassProbabilities | None:
    """Return probabilities as a matrix; None for an array a row where the classes are not known.

    Parameters
    ----------
    values : MapArray, ListArray or StructArray
        One a document: by label, or in string order of the labels.
    classes : sequence of str, optional
        The labels, for arrays.

    Raises
    ------
    DocumentsError
        They are no such column, or an array has not one for each class.

    Examples
    --------
    >>> values = pa.array([[("a", 0.25), ("b", 0.75)], None], pa.map_(pa.string(), pa.float64()))
    >>> found = class_probabilities(values)
    >>> found.classes, found.matrix.tolist(), found.is_given.tolist()
    (['a', 'b'], [[0.25, 0.75], [0.0, 0.0]], [True, False])
    """
    is_given = values.is_valid().to_numpy(zero_copy_only=False)
    if pa.types.is_struct(values.type):
        names = sorted(field.name for field in values.type)
        found = [pc.fill_null(values.field(name).cast(pa.float64()), 0.0).to_numpy() for name in names]
        return ClassProbabilities(names, np.stack(found, axis=1) * is_given[:, None], is_given)
    if pa.types.is_map(values.type):
        rows, start, stop = _entries(values)
        keys = as_text(values.keys.slice(start, stop - start))
        names = sorted(key for key in keys.unique().to_pylist() if key is not None)
        codes = pc.index_in(keys, pa.array(names, pa.string())).to_numpy(zero_copy_only=False)
        numbers = pc.fill_null(values.items.slice(start, stop - start).cast(pa.float64()), 0.0).to_numpy()
    elif pa.types.is_list(values.type) or pa.types.is_large_list(values.type):
        if classes is None:
            return None
        rows, start, stop = _entries(values)
        names, lengths = sorted(classes), np.bincount(rows, minlength=len(values))
        if (lengths[is_given] != len(names)).any():
            raise DocumentsError(
                f"evaluation: probabilities hold {int(lengths[is_given][0])} numbers a row, and the model knows "
                f"{len(names)} labels. Name the model that scored."
            )
        codes = np.tile(np.arange(len(names)), int(is_given.sum()))
        numbers = pc.fill_null(values.values.slice(start, stop - start).cast(pa.float64()), 0.0).to_numpy()
    else:
        raise DocumentsError(
            f"evaluation: the column 'probabilities' is {values.type}; it wants a map from label to probability, or an "
            "array, as scoring writes them."
        )
    matrix = np.zeros((len(values), len(names)))
    matrix[rows, codes] = numbers
    return ClassProbabilities(names, matrix, is_given)


def ranks_in(top_k: pa.ListArray, label: pa.StringArray) -> np.ndarray:
    """Return the place of each true label in its list of best labels, -k if it is not among those k.

    >>> best = pa.array([[{"label": "a", "probability": 0.7}, {"label": "b", "probability": 0.2}]] * 2)
    >>> ranks_in(best, pa.array(["b", "c"])).tolist()
    [2, -2]
    """
    rows, start, stop = _entries(top_k)
    said = as_text(pc.struct_field(top_k.values.slice(start, stop - start), "label"))
    lengths = np.bincount(rows, minlength=len(label))
    place = np.arange(len(rows)) - (np.cumsum(lengths) - lengths)[rows] + 1
    hit = pc.fill_null(pc.equal(said, label.take(pa.array(rows))), False).to_numpy(zero_copy_only=False)
    found = -lengths
    found[rows[hit]] = place[hit]
    return found


def _entries(values: pa.ListArray) -> tuple[np.ndarray, int, int]:
    """Return the row of each entry of lists or maps, and where the entries begin and end."""
    offsets = values.offsets.to_numpy()
    return np.repeat(np.arange(len(values)), np.diff(offsets)), int(offsets[0]), int(offsets[-1])
