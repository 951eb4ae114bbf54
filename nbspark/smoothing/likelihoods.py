"""Counts to likelihoods: priors, pseudo-counts, event models. What scoring adds up, in nats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from nbspark.counting.table import CountTable, FeatureCounts
from nbspark.events import EVENTS, Parameters, TermCounts, Totals
from nbspark.events.gaussian import Gaussians, estimate_gaussians
from nbspark.smoothing.pseudo_counts import PseudoCounts
from nbspark.smoothing.totals import ModelTotals, class_factors, counted, model_totals, of_labels, prepare

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbspark.events import Event
    from nbspark.features import TermFeature
    from nbspark.spec import Spec


@dataclass(frozen=True)
class TermParameters:
    """What scoring adds for the terms of one feature; the shapes are those of ``events.Parameters``."""

    terms: pa.StringArray
    indptr: np.ndarray
    classes: np.ndarray
    lift: np.ndarray
    base: np.ndarray

    @property
    def is_impossible(self) -> np.ndarray:
        """Whether each term is impossible in a class that has not seen it, shape (n_terms,)."""
        return np.isneginf(self.base)

    @property
    def finite_base(self) -> np.ndarray:
        """The base of each term, 0 where it is impossible elsewhere: its lifts count from there."""
        return np.where(self.is_impossible, 0.0, self.base)


NO_TERMS = TermParameters(
    pa.array([], pa.string()), np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0), np.zeros(0)
)


@dataclass(frozen=True)
class FeatureParameters:
    """What scoring adds up for one feature with a vocabulary.

    Attributes
    ----------
    vocabulary : TermParameters
    floor, bias, scale : float64 array, shape (n_classes,)
        ``scale`` multiplies the whole of the feature's score of a class.
    frequency : callable or None
        ``Event.frequency``.
    """

    vocabulary: TermParameters
    floor: np.ndarray
    bias: np.ndarray
    scale: np.ndarray
    frequency: Callable[[np.ndarray], np.ndarray] | None


@dataclass(frozen=True)
class Likelihoods:
    """A model ready to score.

    Attributes
    ----------
    labels : list of str
        The classes in string order.
    log_prior : float64 array, shape (n_classes,)
    features : list of FeatureParameters or Gaussians
        In the order of the spec.
    """

    labels: list[str]
    log_prior: np.ndarray
    features: list[FeatureParameters | Gaussians]

    def with_terms(self, vocabularies: Sequence[TermParameters]) -> Likelihoods:
        """Return the same model with other vocabularies, one for each feature that has one, in order."""
        given = iter(vocabularies)
        features = [
            replace(one, vocabulary=next(given)) if isinstance(one, FeatureParameters) else one for one in self.features
        ]
        return replace(self, features=features)

    def without_terms(self) -> Likelihoods:
        """Return what every class adds, with empty vocabularies: small, whatever the model's size."""
        return self.with_terms([NO_TERMS] * len(self.features))


def estimate_terms(
    spec: Spec, feature: TermFeature, event: Event, counts: FeatureCounts, totals: Totals
) -> tuple[Parameters, TermParameters]:
    """Return what a feature's event model makes of some of its terms."""
    alpha = PseudoCounts.of(spec.alpha_of(feature)).each(counts.terms)
    parameters = event.estimate(TermCounts(counts.indptr, counts.classes, counted(event, counts), alpha), totals)
    return parameters, TermParameters(counts.terms, counts.indptr, counts.classes, parameters.lift, parameters.base)


def smooth(spec: Spec, counts: CountTable) -> Likelihoods:
    """Return the likelihoods of counts under a spec: limits, smoothing, prior and event model are chosen here."""
    factors = class_factors(spec, counts.labels, counts.docs)
    return likelihoods_of(spec, prepare(spec, counts, factors), factors)


def likelihoods_of(spec: Spec, prepared: CountTable, factors: np.ndarray | None) -> Likelihoods:
    """Return the likelihoods of counts that were prepared with these class factors."""
    totals = model_totals(spec, prepared, factors)
    made = {
        (name := str(feature.name)): estimate_terms(
            spec, feature, EVENTS[feature.event], prepared.features[name], totals.features[name]
        )
        for feature in spec.term_features
    }
    return assemble(spec, totals, {name: parameters for name, (parameters, _) in made.items()}).with_terms(
        [terms for _, terms in made.values()]
    )


def assemble(spec: Spec, totals: ModelTotals, parameters: Mapping[str, Parameters]) -> Likelihoods:
    """Return what every class adds, with empty vocabularies.

    Parameters
    ----------
    parameters : mapping of str to Parameters
        Of each feature with a vocabulary: ``floor``, and ``bias`` and ``norm`` summed over all its terms.
    """
    var_smoothing = {str(one.name): one.var_smoothing for one in spec.numeric_features}
    gaussian = estimate_gaussians(totals.moments, var_smoothing)
    features: list[FeatureParameters | Gaussians] = []
    for feature in spec.features:
        if not feature.has_terms:
            features.append(gaussian[str(feature.name)])
            continue
        one = parameters[str(feature.name)]
        # What the term of a vocabulary of one adds is 0, and so is the sum.
        has_norm = feature.norm and totals.features[str(feature.name)].n_terms > 1
        scale = 1.0 / one.norm if has_norm else np.ones(len(one.floor))
        features.append(FeatureParameters(NO_TERMS, one.floor, one.bias, scale, EVENTS[feature.event].frequency))
    return Likelihoods(totals.labels, log_prior(spec, totals.labels, totals.docs, totals.tokens), features)


def log_prior(spec: Spec, labels: Sequence[str], docs: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    """Return log P(c) in nats.

    Parameters
    ----------
    docs, tokens : float64 array, shape (n_classes,)
        Documents and known tokens of each class.

    Raises
    ------
    SpecError
        The spec gives priors, and a class has none, or one names no class.

    Examples
    --------
    >>> from nbspark import NaiveBayes, Text
    >>> spec = NaiveBayes("topic", [Text("body")])
    >>> np.exp(log_prior(spec, ["a", "b"], np.array([3.0, 1.0]), np.array([8.0, 3.0]))).round(6).tolist()
    [0.75, 0.25]
    """
    if spec.prior == "none":
        return np.zeros(len(labels))
    if isinstance(spec.prior, dict):
        shares = of_labels(spec.prior, labels, "the given prior")
    else:
        shares = {"documents": docs, "tokens": tokens, "uniform": np.ones(len(labels))}[spec.prior]
    shares = shares + spec.prior_smoothing
    with np.errstate(divide="ignore"):
        return np.log(shares) - np.log(shares.sum())
