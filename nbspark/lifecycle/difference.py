"""What two versions of a model differ in: classes, terms, options, and the log-likelihoods that moved most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nbspark.smoothing.likelihoods import FeatureParameters

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbspark.smoothing.likelihoods import Likelihoods
    from nbspark.spec import Spec

SHOWN = 20


@dataclass(frozen=True)
class Difference:
    """What a later version has otherwise than an earlier one.

    Attributes
    ----------
    classes_gained, classes_lost : list of str
    terms_gained, terms_lost : dict of str to list of str
        By feature.
    options : dict of str to (value, value)
    moved : list of (feature, label, term, before, after)
        What a term adds to the score of a class, in nats, where it changed most; of classes and terms in both.
    """

    classes_gained: list[str]
    classes_lost: list[str]
    terms_gained: dict[str, list[str]]
    terms_lost: dict[str, list[str]]
    options: dict[str, tuple[Any, Any]]
    moved: list[tuple[str, str, str, float, float]]


def difference(
    before: Likelihoods, after: Likelihoods, spec: Spec, options: tuple[Mapping[str, Any], Mapping[str, Any]]
) -> Difference:
    """Return what differs between two versions of a model, given what each adds up."""
    gained: dict[str, list[str]] = {}
    lost: dict[str, list[str]] = {}
    moved: list[tuple[str, str, str, float, float]] = []
    labels = [label for label in after.labels if label in set(before.labels)]
    for feature, one, other in zip(spec.features, before.features, after.features, strict=True):
        if not isinstance(one, FeatureParameters) or not isinstance(other, FeatureParameters):
            continue
        name = str(feature.name)
        old, new = (each.vocabulary.terms.to_pylist() for each in (one, other))
        place, place_new = {term: i for i, term in enumerate(old)}, {term: i for i, term in enumerate(new)}
        gained[name] = sorted(set(new) - set(old))
        lost[name] = sorted(set(old) - set(new))
        both = sorted(set(old) & set(new))
        for label in labels:
            first = _added(one, before.labels.index(label))[[place[term] for term in both]]
            second = _added(other, after.labels.index(label))[[place_new[term] for term in both]]
            far = np.argsort(-np.abs(second - first), kind="stable")[:SHOWN]
            moved += [(name, label, both[i], float(first[i]), float(second[i])) for i in far if first[i] != second[i]]
    moved.sort(key=lambda row: -abs(row[4] - row[3]))
    was, now = options
    changed = {key: (was.get(key), now.get(key)) for key in {**was, **now} if was.get(key) != now.get(key)}
    return Difference(
        [label for label in after.labels if label not in set(before.labels)],
        [label for label in before.labels if label not in set(after.labels)],
        gained,
        lost,
        changed,
        moved[:SHOWN],
    )


def _added(parameters: FeatureParameters, code: int) -> np.ndarray:
    """Return what each term of a feature adds to the score of a class."""
    vocabulary = parameters.vocabulary
    lift = np.zeros(len(vocabulary.terms))
    of_class = vocabulary.classes == code
    lift[np.repeat(np.arange(len(lift)), np.diff(vocabulary.indptr))[of_class]] = vocabulary.lift[of_class]
    return parameters.scale[code] * (parameters.floor[code] + vocabulary.finite_base + lift)
