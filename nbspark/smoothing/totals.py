"""Counts as a spec wants them, and their sums: what must be known before the parameters of any term are estimated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from nbspark.arrays.moments import Moments
from nbspark.counting.table import CountTable, FeatureCounts
from nbspark.errors import SpecError
from nbspark.events import EVENTS, Totals
from nbspark.features import Terms, Text
from nbspark.smoothing.pseudo_counts import PseudoCounts
from nbspark.smoothing.vocabulary import limit

if TYPE_CHECKING:
    from nbspark.events import Event
    from nbspark.features import TermFeature
    from nbspark.spec import Spec


@dataclass(frozen=True)
class ModelTotals:
    """The small part of a model: sums over terms, known before the parameters of any term are estimated.

    Attributes
    ----------
    labels : list of str
        The classes in string order.
    docs, tokens : float64 array, shape (n_classes,)
        Documents of each class, and its tokens of all features.
    features : dict of str to Totals
        Of each feature with a vocabulary.
    moments : dict of str to list of Moments
        Of each numeric feature, class by class.
    class_factors : float64 array, shape (n_classes,), or None
        What class weights multiply each class's counts by; the totals above are so multiplied.
    """

    labels: list[str]
    docs: np.ndarray
    tokens: np.ndarray
    features: dict[str, Totals]
    moments: dict[str, list[Moments]]
    class_factors: np.ndarray | None


def prepare(spec: Spec, counts: CountTable, factors: np.ndarray | None) -> CountTable:
    """Return the counts as a spec wants them: vocabularies limited, classes multiplied by ``class_factors``."""
    limited = {
        str(feature.name): limit(feature, counts.features[str(feature.name)])
        for feature in spec.features
        if isinstance(feature, Text | Terms)
    }
    return multiplied(replace(counts, features={**counts.features, **limited}), factors)


def multiplied(counts: CountTable, factors: np.ndarray | None) -> CountTable:
    """Return counts of limited vocabularies with each class's multiplied by its factor."""
    if factors is None:
        return counts
    return replace(
        counts,
        docs=counts.docs * factors,
        features={
            name: replace(
                one,
                n_tokens=one.n_tokens * factors[one.classes],
                n_docs=one.n_docs * factors[one.classes],
                docs=one.docs * factors,
            )
            for name, one in counts.features.items()
        },
    )


def class_factors(spec: Spec, labels: Sequence[str], docs: np.ndarray) -> np.ndarray | None:
    """Return what multiplies each class's counts, or None.

    Notes
    -----
    ``balanced`` is N / (number of classes * N_c), as in scikit-learn.
    """
    if spec.class_weight is None:
        return None
    if isinstance(spec.class_weight, str):
        return docs.sum() / (len(docs) * docs)
    return of_labels(spec.class_weight, labels, "class_weight")


def require_classes(spec: Spec, labels: Sequence[str]) -> None:
    """Raise an error unless a given prior and a table of class weights name exactly the classes."""
    for what, given in (("the given prior", spec.prior), ("class_weight", spec.class_weight)):
        if isinstance(given, dict):
            of_labels(given, labels, what)


def of_labels(given: Mapping[str, float], labels: Sequence[str], what: str) -> np.ndarray:
    """Return a table's value for each label; every label must have one, and nothing else may."""
    missing = [label for label in labels if label not in given]
    unknown = [label for label in given if label not in set(labels)]
    if missing or unknown:
        raise SpecError(
            f"model: {what} lacks the classes {missing} and names {unknown}, which are none; "
            f"classes: {list(labels)[:20]}."
        )
    return np.array([given[label] for label in labels], float)


def model_totals(spec: Spec, prepared: CountTable, factors: np.ndarray | None) -> ModelTotals:
    """Return the totals of counts that were prepared with these class factors."""
    n_classes = len(prepared.labels)
    features, tokens = {}, np.zeros(n_classes)
    for feature in spec.term_features:
        one = prepared.features[str(feature.name)]
        n = np.bincount(one.classes, weights=counted(EVENTS[feature.event], one), minlength=n_classes)
        named = PseudoCounts.of(spec.alpha_of(feature)).named(one.terms)
        features[str(feature.name)] = totals_of(spec, feature, n, one.docs, len(one.terms), named)
        tokens += np.bincount(one.classes, weights=one.n_tokens, minlength=n_classes)
    moments = {
        str(feature.name): prepared.features[str(feature.name)].moments or [Moments()] * n_classes
        for feature in spec.numeric_features
    }
    return ModelTotals(prepared.labels, prepared.docs, tokens, features, moments, factors)


def totals_of(
    spec: Spec, feature: TermFeature, n: np.ndarray, docs: np.ndarray, n_terms: int, named: list[str]
) -> Totals:
    """Return the totals of a feature, given which terms of its vocabulary a table of pseudo-counts names."""
    alphas = PseudoCounts.of(spec.alpha_of(feature))
    return Totals(n, docs, n_terms, alphas.sum(n_terms, named), alphas.default)


def counted(event: Event, counts: FeatureCounts) -> np.ndarray:
    """Return the counts that an event model uses."""
    return counts.n_docs if event.counts == "n_docs" else counts.n_tokens
