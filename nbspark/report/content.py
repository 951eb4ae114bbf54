"""What a report can show; each part is there or left out. No pyspark in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbspark.evaluation.evaluation import Evaluation


@dataclass(frozen=True)
class Mistake:
    """A document that did not get its label, and why.

    Attributes
    ----------
    label : str
    prediction : str or None
    probability : float or None
    texts : mapping of str to str
        By feature, or the beginning of it.
    explanation : mapping or None
        ``schemas.EXPLANATION``: the prediction against the true class.
    """

    label: str
    prediction: str | None
    probability: float | None
    texts: Mapping[str, str]
    explanation: Mapping[str, Any] | None


@dataclass(frozen=True)
class VersionLine:
    """A version on the timeline; ``metrics`` are those that a gate measured, empty if none did."""

    version: int
    created: str
    change: str
    documents: int
    names: tuple[str, ...] = ()
    decision: str = ""
    metrics: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Content:
    """What a report shows.

    Attributes
    ----------
    title : str
    about : mapping of str to str
        Facts under the title.
    evaluation : Evaluation, optional
    raw : Evaluation, optional
        The same documents without calibration.
    mistakes : sequence of Mistake
        The surest first.
    top_terms : sequence of mapping
        Rows of ``schemas.TOP_TERMS``.
    tuning, drift : mapping, optional
        The JSON reports of ``nbspark tune`` and ``nbspark drift``.
    versions : sequence of VersionLine
        The oldest first.
    spec : mapping, optional
        ``Spec.to_dict()``.
    """

    title: str
    about: Mapping[str, str] = field(default_factory=dict)
    evaluation: Evaluation | None = None
    raw: Evaluation | None = None
    mistakes: Sequence[Mistake] = ()
    top_terms: Sequence[Mapping[str, Any]] = ()
    tuning: Mapping[str, Any] | None = None
    drift: Mapping[str, Any] | None = None
    versions: Sequence[VersionLine] = ()
    spec: Mapping[str, Any] | None = None
