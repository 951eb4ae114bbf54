"""Counts to likelihoods, in memory: sparse, one element per (label, term) that training saw.

``CountTable`` is the counts of a model, ``Likelihoods`` what scoring adds up. Neither ever holds an array
of classes x vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.events import EVENTS, Event, TermCounts, Totals
from nbspark.schemas import LOG_LIKELIHOODS, WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nbspark.features import Feature
    from nbspark.spec import Spec


@dataclass(frozen=True)
class FeatureCounts:
    """Counts of one feature, term after term; terms and classes in string order.

    Attributes
    ----------
    terms : StringArray, shape (n_terms,)
    indptr : int64 array, shape (n_terms + 1,)
    classes : int32 array, shape (n_pairs,)
    n_tokens, n_docs : float64 array, shape (n_pairs,)
    docs : float64 array, shape (n_classes,)
        Documents of each class that have the feature.
    """

    terms: pa.StringArray
    indptr: np.ndarray
    classes: np.ndarray
    n_tokens: np.ndarray
    n_docs: np.ndarray
    docs: np.ndarray


@dataclass(frozen=True)
class CountTable:
    """The counts of a model in memory.

    Attributes
    ----------
    labels : list of str
        The classes in string order; a class's code is its position.
    docs : float64 array, shape (n_classes,)
        Documents of each class.
    features : dict of str to FeatureCounts
    """

    labels: list[str]
    docs: np.ndarray
    features: dict[str, FeatureCounts]

    @classmethod
    def from_arrow(cls, counts: pa.Table) -> CountTable:
        """Return the counts of rows of ``schemas.COUNTS``; equal keys are summed."""
        counts = counts.filter(pc.is_valid(counts["label"]))
        of_class = counts.filter(pc.is_null(counts["feature"]))
        labels = sorted(set(of_class["label"].to_pylist()))
        names = pa.array(labels, pa.string())
        features = {}
        rows = counts.filter(pc.is_valid(counts["feature"]))
        for name in sorted(set(rows["feature"].unique().to_pylist())):
            features[name] = _feature_counts(rows.filter(pc.equal(rows["feature"], name)), names)
        return cls(labels, _sum_by_class(of_class, names, "n_docs"), features)


def _codes(labels: pa.ChunkedArray, names: pa.StringArray) -> np.ndarray:
    """Return each label's position among the names."""
    return pc.index_in(labels.combine_chunks(), names).to_numpy(zero_copy_only=False).astype(np.int64)


def _sum_by_class(rows: pa.Table, names: pa.StringArray, measure: str) -> np.ndarray:
    """Return a measure summed for each class."""
    return np.bincount(_codes(rows["label"], names), weights=rows[measure].to_numpy(), minlength=len(names))


def _feature_counts(rows: pa.Table, names: pa.StringArray) -> FeatureCounts:
    """Return one feature's rows, sorted by term and class."""
    pairs = rows.filter(pc.is_valid(rows["term"]))
    docs = _sum_by_class(rows.filter(pc.is_null(rows["term"])), names, "n_docs")
    encoded = pairs["term"].combine_chunks().dictionary_encode()
    order = pc.array_sort_indices(encoded.dictionary).to_numpy()
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    terms = rank[encoded.indices.to_numpy()].astype(np.int64)
    keys = terms * len(names) + _codes(pairs["label"], names)
    by_key = np.argsort(keys, kind="stable")
    keys = keys[by_key]
    starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]]) if len(keys) else np.zeros(0, np.int64)
    sums = [
        np.add.reduceat(pairs[measure].to_numpy()[by_key], starts) if len(starts) else np.zeros(0)
        for measure in ("n_tokens", "n_docs")
    ]
    term, label = np.divmod(keys[starts], len(names))
    return FeatureCounts(
        terms=encoded.dictionary.take(pa.array(order)),
        indptr=np.searchsorted(term, np.arange(len(order) + 1)),
        classes=label.astype(np.int32),
        n_tokens=sums[0],
        n_docs=sums[1],
        docs=docs,
    )


@dataclass(frozen=True)
class FeatureTerms:
    """What scoring adds for the terms of one feature, in nats; the shapes are those of ``events.Weights``."""

    terms: pa.StringArray
    indptr: np.ndarray
    classes: np.ndarray
    lift: np.ndarray
    base: np.ndarray


NO_TERMS = FeatureTerms(pa.array([], pa.string()), np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0), np.zeros(0))


@dataclass(frozen=True)
class FeatureWeights:
    """What scoring adds up for one feature, in nats.

    Attributes
    ----------
    vocabulary : FeatureTerms
    floor, bias, scale : float64 array, shape (n_classes,)
        ``scale`` multiplies the whole of the feature's score of a class.
    presence : bool
        A term counts once a document.
    """

    vocabulary: FeatureTerms
    floor: np.ndarray
    bias: np.ndarray
    scale: np.ndarray
    presence: bool


@dataclass(frozen=True)
class Likelihoods:
    """A model ready to score, in nats.

    Attributes
    ----------
    labels : list of str
        The classes in string order.
    log_prior : float64 array, shape (n_classes,)
    features : list of FeatureWeights
        In the order of the spec.
    """

    labels: list[str]
    log_prior: np.ndarray
    features: list[FeatureWeights]

    def with_terms(self, vocabularies: Sequence[FeatureTerms]) -> Likelihoods:
        """Return the same model with other vocabularies, one a feature."""
        pairs = zip(self.features, vocabularies, strict=True)
        return replace(self, features=[replace(one, vocabulary=terms) for one, terms in pairs])

    def without_terms(self) -> Likelihoods:
        """Return what every class adds, with empty vocabularies: small, whatever the model's size."""
        return self.with_terms([NO_TERMS] * len(self.features))


@dataclass(frozen=True)
class ModelTotals:
    """The small part of a model, which is known before any term is weighed.

    Attributes
    ----------
    labels : list of str
        The classes in string order.
    docs, tokens : float64 array, shape (n_classes,)
        Documents, and tokens of all features, of each class.
    features : dict of str to Totals
    """

    labels: list[str]
    docs: np.ndarray
    tokens: np.ndarray
    features: dict[str, Totals]


def model_totals(spec: Spec, counts: CountTable) -> ModelTotals:
    """Return the totals of counts in memory."""
    n_classes = len(counts.labels)
    features, tokens = {}, np.zeros(n_classes)
    for feature in spec.features:
        name = str(feature.name)
        one = counts.features[name]
        n = np.bincount(one.classes, weights=getattr(one, event_of(feature).counts), minlength=n_classes)
        alpha = alphas(spec, feature, one.terms)
        features[name] = Totals(n, one.docs, len(one.terms), float(alpha.sum()))
        tokens += np.bincount(one.classes, weights=one.n_tokens, minlength=n_classes)
    return ModelTotals(counts.labels, counts.docs, tokens, features)


def event_of(feature: Feature) -> Event:
    """Return a feature's event model."""
    return EVENTS["multinomial"]


def alphas(spec: Spec, feature: Feature, terms: pa.Array) -> np.ndarray:
    """Return the pseudo-count of each term."""
    return np.full(len(terms), float(spec.alpha))


def smooth(spec: Spec, counts: CountTable) -> Likelihoods:
    """Return the likelihoods of counts under a spec: smoothing, prior and event model are chosen here."""
    totals = model_totals(spec, counts)
    weights = []
    for feature in spec.features:
        one = counts.features[str(feature.name)]
        event = event_of(feature)
        terms = TermCounts(one.indptr, one.classes, getattr(one, event.counts), alphas(spec, feature, one.terms))
        made = event.weigh(terms, totals.features[str(feature.name)])
        scale = 1.0 / made.norm if event.normalized else np.ones(len(made.floor))
        vocabulary = FeatureTerms(one.terms, one.indptr, one.classes, made.lift, made.base)
        weights.append(FeatureWeights(vocabulary, made.floor, made.bias, scale, event.presence))
    return Likelihoods(counts.labels, log_prior(spec, totals.docs, totals.tokens), weights)


def weigh_rows(spec: Spec, totals: ModelTotals, rows: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Yield ``schemas.WEIGHTS`` for rows of terms with their pairs packed.

    Parameters
    ----------
    rows : RecordBatch
        Columns ``feature``, ``term`` and ``pairs``: a list of (label, n_tokens, n_docs), labels in string order.
    """
    labels = pa.array(totals.labels, pa.string())
    for feature in spec.features:
        part = rows.filter(pc.equal(rows.column("feature"), str(feature.name)))
        event = event_of(feature)
        pairs = part.column("pairs")
        flat = pairs.flatten()
        indptr = np.r_[0, np.cumsum(pc.list_value_length(pairs).to_numpy())]
        classes = pc.index_in(flat.field("label"), labels).cast(pa.int32())
        n = flat.field(event.counts).to_numpy()
        alpha = alphas(spec, feature, part.column("term"))
        made = event.weigh(TermCounts(indptr, classes.to_numpy(), n, alpha), totals.features[str(feature.name)])
        offsets = pa.array(indptr, pa.int32())
        yield pa.record_batch(
            [
                part.column("feature"),
                part.column("term"),
                pa.array(made.base),
                pa.ListArray.from_arrays(offsets, classes),
                pa.ListArray.from_arrays(offsets, pa.array(made.lift)),
            ],
            schema=WEIGHTS,
        )


def explode_log_likelihoods(
    weights: pa.RecordBatch, labels: list[str], floors: dict[str, np.ndarray]
) -> Iterator[pa.RecordBatch]:
    """Yield ``schemas.LOG_LIKELIHOODS`` of the pairs in rows of ``schemas.WEIGHTS``.

    Parameters
    ----------
    floors : dict of str to float64 array, shape (n_classes,)
        By feature.
    """
    for name, floor in floors.items():
        part = weights.filter(pc.equal(weights.column("feature"), name))
        n_pairs = pc.list_value_length(part.column("classes")).to_numpy()
        classes = part.column("classes").flatten().to_numpy()
        base = np.repeat(part.column("base").to_numpy(), n_pairs)
        base = np.where(np.isneginf(base), 0.0, base)
        terms = pa.array(np.repeat(np.arange(part.num_rows), n_pairs))
        yield pa.record_batch(
            [
                pa.array(labels, pa.string()).take(pa.array(classes)),
                pa.repeat(name, len(classes)),
                part.column("term").take(terms),
                pa.array(floor[classes] + base + part.column("lift").flatten().to_numpy()),
            ],
            schema=LOG_LIKELIHOODS,
        )


def unseen_log_likelihoods(likelihoods: Likelihoods, names: Sequence[str]) -> list[tuple[str, str, None, float]]:
    """Return rows of ``schemas.LOG_LIKELIHOODS`` for a term that a class has not seen, where all such terms are alike."""
    rows = []
    for name, one in zip(names, likelihoods.features, strict=True):
        base = one.vocabulary.base
        if len(base) and (base == base[0]).all():
            values = one.floor + base[0]
            rows += [(label, name, None, float(value)) for label, value in zip(likelihoods.labels, values, strict=True)]
    return rows


def log_prior(spec: Spec, docs: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    """Return log P(c) in nats.

    Parameters
    ----------
    docs, tokens : float64 array, shape (n_classes,)
        Documents and known tokens of each class.

    Examples
    --------
    >>> from nbspark import Text
    >>> spec = Spec("topic", [Text("body")])
    >>> np.exp(log_prior(spec, np.array([3.0, 1.0]), np.array([8.0, 3.0]))).round(6).tolist()
    [0.75, 0.25]
    """
    n_classes = len(docs)
    if spec.prior == "none":
        return np.zeros(n_classes)
    shares = {"documents": docs, "tokens": tokens, "uniform": np.ones(n_classes)}[spec.prior] + spec.prior_smoothing
    with np.errstate(divide="ignore"):
        return np.log(shares) - np.log(shares.sum())
