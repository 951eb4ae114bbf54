"""Counts to likelihoods: priors, pseudo-counts, event models. What scoring adds up, in nats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from nbspark.arrays.moments import Moments
from nbspark.counting.table import CountTable, FeatureCounts
from nbspark.errors import SpecError
from nbspark.events import EVENTS, Parameters, TermCounts, Totals
from nbspark.events.gaussian import Gaussians, estimate_gaussians
from nbspark.features import Terms, Text
from nbspark.smoothing.pseudo_counts import PseudoCounts
from nbspark.smoothing.vocabulary import limit

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
    """

    labels: list[str]
    docs: np.ndarray
    tokens: np.ndarray
    features: dict[str, Totals]
    moments: dict[str, list[Moments]]


def prepare(spec: Spec, counts: CountTable) -> CountTable:
    """Return the counts as a spec wants them: vocabularies limited, classes weighted."""
    limited = {
        str(feature.name): limit(feature, counts.features[str(feature.name)])
        for feature in spec.features
        if isinstance(feature, Text | Terms)
    }
    counts = replace(counts, features={**counts.features, **limited})
    factors = class_factors(spec, counts.labels, counts.docs)
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
    return _of_labels(spec.class_weight, labels, "class_weight")


def require_classes(spec: Spec, labels: Sequence[str]) -> None:
    """Raise an error unless a given prior and a table of class weights name exactly the classes."""
    for what, given in (("the given prior", spec.prior), ("class_weight", spec.class_weight)):
        if isinstance(given, dict):
            _of_labels(given, labels, what)


def _of_labels(given: Mapping[str, float], labels: Sequence[str], what: str) -> np.ndarray:
    """Return a table's value for each label; every label must have one, and nothing else may."""
    missing = [label for label in labels if label not in given]
    unknown = [label for label in given if label not in set(labels)]
    if missing or unknown:
        raise SpecError(
            f"model: {what} lacks the classes {missing} and names {unknown}, which are none; "
            f"classes: {list(labels)[:20]}."
        )
    return np.array([given[label] for label in labels], float)


def model_totals(spec: Spec, prepared: CountTable) -> ModelTotals:
    """Return the totals of prepared counts."""
    n_classes = len(prepared.labels)
    features, tokens = {}, np.zeros(n_classes)
    for feature in spec.term_features:
        one = prepared.features[str(feature.name)]
        n = np.bincount(one.classes, weights=_counted(EVENTS[feature.event], one), minlength=n_classes)
        named = PseudoCounts.of(spec.alpha_of(feature)).named(one.terms)
        features[str(feature.name)] = totals_of(spec, feature, n, one.docs, len(one.terms), named)
        tokens += np.bincount(one.classes, weights=one.n_tokens, minlength=n_classes)
    moments = {
        str(feature.name): prepared.features[str(feature.name)].moments or [Moments()] * n_classes
        for feature in spec.numeric_features
    }
    return ModelTotals(prepared.labels, prepared.docs, tokens, features, moments)


def totals_of(
    spec: Spec, feature: TermFeature, n: np.ndarray, docs: np.ndarray, n_terms: int, named: list[str]
) -> Totals:
    """Return the totals of a feature, given which terms of its vocabulary a table of pseudo-counts names."""
    alphas = PseudoCounts.of(spec.alpha_of(feature))
    return Totals(n, docs, n_terms, alphas.sum(n_terms, named), alphas.default)


def _counted(event: Event, counts: FeatureCounts) -> np.ndarray:
    """Return the counts that an event model uses."""
    return counts.n_docs if event.counts == "n_docs" else counts.n_tokens


def estimate_terms(
    spec: Spec, feature: TermFeature, event: Event, counts: FeatureCounts, totals: Totals
) -> tuple[Parameters, TermParameters]:
    """Return what a feature's event model makes of some of its terms."""
    alpha = PseudoCounts.of(spec.alpha_of(feature)).each(counts.terms)
    parameters = event.estimate(TermCounts(counts.indptr, counts.classes, _counted(event, counts), alpha), totals)
    return parameters, TermParameters(counts.terms, counts.indptr, counts.classes, parameters.lift, parameters.base)


def smooth(spec: Spec, counts: CountTable) -> Likelihoods:
    """Return the likelihoods of counts under a spec: limits, smoothing, prior and event model are chosen here."""
    prepared = prepare(spec, counts)
    totals = model_totals(spec, prepared)
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
        shares = _of_labels(spec.prior, labels, "the given prior")
    else:
        shares = {"documents": docs, "tokens": tokens, "uniform": np.ones(len(labels))}[spec.prior]
    shares = shares + spec.prior_smoothing
    with np.errstate(divide="ignore"):
        return np.log(shares) - np.log(shares.sum())
