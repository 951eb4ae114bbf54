"""What errors cost, and the label of least expected cost."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nbspark.errors import SpecError, nearest
from nbspark.features.checks import is_number

if TYPE_CHECKING:
    from collections.abc import Sequence

SHOWN = 5  # of what is missing
FORM = "{true label: {predicted label: cost}}"
CLOSE = 1e-12  # as a share: two expected costs that differ by less are the same, in whatever order they were added up


class CostMatrix:
    """What each prediction costs, for each true label.

    Parameters
    ----------
    costs : mapping of str to mapping of str to float
        For each true label the cost of each predicted one, >= 0. What is right costs 0 unless it is given.
    labels : sequence of str
        The classes of the model: all of them are wanted, and no others.

    Raises
    ------
    SpecError
        A label is missing or unknown, or a cost is negative or no finite number.

    Examples
    --------
    A ham that is taken for spam costs ten times a spam that is not found.

    >>> costs = CostMatrix({"ham": {"spam": 10}, "spam": {"ham": 1}}, ["ham", "spam"])
    >>> costs.cheapest(np.array([[0.2, 0.8], [0.05, 0.95]])).tolist()
    [0, 1]
    """

    def __init__(self, costs: Mapping[str, Mapping[str, float]], labels: Sequence[str]) -> None:
        require_costs(costs)
        named = {*costs, *(predicted for row in costs.values() for predicted in row)}
        unknown = [nearest(str(one), labels) for one in sorted(named - set(labels), key=str)]
        missing = [
            f"of {predicted!r} for a true {true!r}"
            for true in labels
            for predicted in labels
            if true != predicted and predicted not in costs.get(true, {})
        ]
        problems = [f"the model has no class {_some(unknown)}"] if unknown else []
        problems += [f"no cost {_some(missing)}"] if missing else []
        if problems:
            raise SpecError(f"costs: {'; '.join(problems)}. Give {FORM} for the classes {_some(list(labels), 20)}.")
        self._costs = np.array([[costs.get(true, {}).get(one, 0.0) for one in labels] for true in labels], float)

    def cheapest(self, probabilities: np.ndarray) -> np.ndarray:
        """Return the class of least expected cost of each document, the first of several.

        Parameters
        ----------
        probabilities : float64 array, shape (n_docs, n_classes)
        """
        expected = np.zeros_like(probabilities)
        for of_class, row in zip(probabilities.T, self._costs, strict=True):  # in one order, whatever the block
            expected += of_class[:, None] * row
        least = expected.min(axis=1, keepdims=True)
        return (expected <= least * (1 + CLOSE)).argmax(axis=1)


def require_costs(costs: Any) -> None:
    """Raise SpecError unless something is a table of tables of costs."""
    if not isinstance(costs, Mapping) or not costs or not all(isinstance(row, Mapping) for row in costs.values()):
        raise SpecError(f"costs wants {FORM}, found {costs!r}.")
    wrong = [
        f"{cost!r} of {predicted!r} for a true {true!r}"
        for true, row in costs.items()
        for predicted, cost in row.items()
        if not (is_number(cost) and cost >= 0)
    ]
    if wrong:
        raise SpecError(f"costs wants finite numbers >= 0, found {_some(wrong)}.")


def read_costs(path: str | Path) -> dict[str, dict[str, float]]:
    """Return the costs in a ``.toml`` or ``.json`` file; for which labels, a model says.

    Raises
    ------
    SpecError
        The file cannot be read, or holds no costs.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        costs = json.loads(text) if str(path).endswith(".json") else tomllib.loads(text)
        require_costs(costs)
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, tomllib.TOMLDecodeError, SpecError) as error:
        raise SpecError(f"costs file {str(path)!r}: {str(error).rstrip('.')}.") from error
    return dict(costs)


def _some(words: Sequence[str], n: int = SHOWN) -> str:
    """Return the first words of a list."""
    return ", ".join(words[:n]) + (f", and {len(words) - n:,} more" if len(words) > n else "")
