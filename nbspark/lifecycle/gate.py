"""Whether a challenger may take the champion's place: minima, and a test that it is not significantly worse."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from nbspark.errors import SpecError, nearest

if TYPE_CHECKING:
    from collections.abc import Mapping

# The metrics a gate knows, and whether a higher one is better.
METRICS = {"accuracy": True, "macro_f1": True, "log_loss": False}
MCNEMAR, BOOTSTRAP = "McNemar's exact test", "paired bootstrap"
LOWEST_LEVEL = 0.001  # of a bootstrap: a thousand resamplings tell no smaller p-value


@dataclass(frozen=True)
class Gate:
    """What is asked of a challenger.

    Parameters
    ----------
    metric : {"accuracy", "macro_f1", "log_loss"}
        In which it must not be significantly worse than the champion.
    level : float
        Of the test, between 0 and 1: how often a challenger that is as good may be kept out.
    minimum : mapping of str to float
        What it must reach, by metric; of log_loss, which is the better the lower, what it must not exceed.

    Raises
    ------
    SpecError
        There is no such metric, or a number is out of range.
    """

    metric: str = "accuracy"
    level: float = 0.05
    minimum: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in (self.metric, *self.minimum):
            if name not in METRICS:
                raise SpecError(f"metric {nearest(str(name), METRICS)}: a gate knows {', '.join(METRICS)}.")
        if not 0 < self.level < 1:
            raise SpecError(f"level wants a number between 0 and 1, for example 0.05, found {self.level}.")
        if self.test == BOOTSTRAP and self.level < LOWEST_LEVEL:
            raise SpecError(f"level of a {BOOTSTRAP} wants {LOWEST_LEVEL} or more, found {self.level}.")
        for name, value in self.minimum.items():
            if not math.isfinite(value) or value < 0 or (METRICS[name] and value > 1):
                wanted = "a share from 0 to 1" if METRICS[name] else "a number of nats >= 0"
                raise SpecError(f"minimum {name} wants {wanted}, found {value}.")

    @property
    def test(self) -> str:
        """The test that the metric has."""
        return MCNEMAR if self.metric == "accuracy" else BOOTSTRAP


@dataclass(frozen=True)
class Decision:
    """What a gate decided, and by what.

    Attributes
    ----------
    promoted : bool
    reason : str
    gate : Gate
    challenger : mapping
        Its metrics: those of ``METRICS`` (None or the text "Infinity" as in ``Evaluation.to_dict``), and ``n_docs``.
    champion : mapping or None
        The champion's, on the same documents; None for a model's first version.
    champion_version, champion_move : int
        Which version it was, and the number of the alias's move that said so; 0 where there was none.
    p_value : float or None
        Of the test, one-sided towards worse.
    holdout : mapping
        Which documents these were.
    """

    promoted: bool
    reason: str
    gate: Gate
    challenger: Mapping[str, Any]
    champion: Mapping[str, Any] | None = None
    champion_version: int = 0
    champion_move: int = 0
    p_value: float | None = None
    holdout: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return plain values for a version's note and for reports."""
        gate = {"metric": self.gate.metric, "level": self.gate.level, "minimum": dict(self.gate.minimum)}
        rest = {key: value for key, value in vars(self).items() if key not in ("promoted", "gate")}
        return {"decision": "promoted" if self.promoted else "kept", **gate, "test": self.gate.test, **rest}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """Return the decision in a version's note."""
        rest = {key: given[key] for key in cls.__dataclass_fields__ if key in given}
        gate = Gate(given["metric"], given["level"], given["minimum"])
        return cls(promoted=given["decision"] == "promoted", gate=gate, **rest)


def decide(
    gate: Gate, challenger: Mapping[str, Any], champion: Mapping[str, Any] | None, p_value: float | None
) -> tuple[bool, str]:
    """Return whether the challenger is promoted, and why.

    Examples
    --------
    >>> decide(Gate(minimum={"accuracy": 0.9}), {"accuracy": 0.85}, {"accuracy": 0.84}, 0.7)
    (False, 'accuracy 0.8500 is below the minimum 0.9')
    >>> decide(Gate(), {"accuracy": 0.85}, {"accuracy": 0.84}, 0.7)
    (True, "accuracy 0.8500 is not significantly worse than the champion's 0.8400 (McNemar's exact test, p = 0.7)")
    """
    wrong = []
    for name, limit in gate.minimum.items():
        found = as_number(challenger[name])
        if found is None or (found < limit if METRICS[name] else found > limit):
            side = "below the minimum" if METRICS[name] else "above the limit"
            wrong.append(f"{name} {_shown(found)} is {side} {limit:g}")
    if champion is None:
        return not wrong, "; ".join(wrong) or "there is no champion yet, and it meets what is asked"
    assert p_value is not None
    is_worse = p_value <= gate.level
    new, old = (_shown(as_number(metrics[gate.metric])) for metrics in (challenger, champion))
    told = (
        f"{gate.metric} {new} is {'' if is_worse else 'not '}significantly worse than the champion's {old} "
        f"({gate.test}, p = {p_value:.3g})"
    )
    if is_worse:
        wrong.insert(0, told)
    return not wrong, "; ".join(wrong) or told


def mcnemar(only_champion: int, only_challenger: int) -> float:
    """Return how likely the challenger is wrong alone at least so often, if both were equally often: a p-value.

    McNemar (1947), exact: of the n documents that one of both is right about, the number that the champion is right
    about has the binomial distribution (n, 1/2).

    Examples
    --------
    Of 4 such documents the champion is right about 3 or more: (4 + 1) / 16.

    >>> mcnemar(3, 1), mcnemar(0, 0)
    (0.3125, 1.0)
    """
    from scipy.stats import binomtest  # a second to import, and only here

    n = only_champion + only_challenger
    return float(binomtest(only_champion, n, 0.5, alternative="greater").pvalue) if n else 1.0


def bootstrap_p_value(differences: np.ndarray, *, higher_is_better: bool) -> float:
    """Return the share of resamplings in which the challenger is not worse: a p-value.

    Parameters
    ----------
    differences : array
        The challenger's metric less the champion's: of all documents, then of each resampling. The first counts as
        one that is not worse, so that no p-value is 0 (Davison and Hinkley, 1997, 4.2).

    Examples
    --------
    It is not worse in one of three resamplings: (1 + 1) / (3 + 1).

    >>> bootstrap_p_value(np.array([-0.1, -0.2, 0.1, -0.1]), higher_is_better=True)
    0.5
    """
    drawn = differences[1:]
    is_worse = drawn < 0 if higher_is_better else drawn > 0
    return float(1 + (~is_worse).sum()) / (1 + len(drawn))


def as_number(metric: Any) -> float | None:
    """Return a metric as a number; in JSON, which has no infinite one, it is a text."""
    return None if metric is None else float(metric)


def _shown(metric: float | None) -> str:
    """Return a metric for a message."""
    return "unknown" if metric is None else f"{metric:.4f}"
