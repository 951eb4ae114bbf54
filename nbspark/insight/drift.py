"""How what a model sees moves: its classes, their terms, and the terms that it does not know."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from nbspark.insight.divergence import diverge
from nbspark.smoothing.totals import prepare

if TYPE_CHECKING:
    from nbspark.counting.table import CountTable, FeatureCounts
    from nbspark.spec import Spec

SHOWN = 10


@dataclass(frozen=True)
class MovedTerm:
    """A term that is more or less frequent than before, and what it adds to the divergence, in bits."""

    term: str
    docs_before: float
    docs_after: float
    bits: float


@dataclass(frozen=True)
class ClassDrift:
    """How far the terms of a class have moved; of class shares the label and the feature are None.

    Attributes
    ----------
    jsd, expected, limit, excess, largest, largest_limit : float
        In bits: see ``divergence.Divergence``.
    moved, gone, new : list of MovedTerm
        Those that add most to the divergence: in both, before only, after only.
    """

    label: str | None
    feature: str | None
    jsd: float
    expected: float
    limit: float
    excess: float
    largest: float
    largest_limit: float
    moved: list[MovedTerm]
    gone: list[MovedTerm]
    new: list[MovedTerm]

    @property
    def outliers(self) -> list[MovedTerm]:
        """The listed terms of which each alone adds more than any does by chance, the largest first."""
        found = [one for one in (*self.moved, *self.gone, *self.new) if abs(one.bits) > self.largest_limit]
        return sorted(found, key=lambda one: -abs(one.bits))


@dataclass(frozen=True)
class Drift:
    """What is otherwise in later documents than in earlier ones.

    Attributes
    ----------
    classes : dict of str to (float, float)
        The share of each class before and after.
    unknown : dict of str to (float, float)
        By feature, the share of later tokens that are not in the vocabulary, and what earlier ones led to expect.
    divergences : list of ClassDrift
        That of the class shares first, then those of classes and features.
    """

    classes: dict[str, tuple[float, float]]
    unknown: dict[str, tuple[float, float]]
    divergences: list[ClassDrift]

    @property
    def excess(self) -> float:
        """The largest divergence beyond what chance would give, in bits; 0 where chance explains all."""
        return max(one.excess for one in self.divergences)

    @property
    def term_excess(self) -> float:
        """The most that a single term adds beyond what any does by chance, in bits; 0 where chance explains all."""
        of_terms = (one.largest - one.largest_limit for one in self.divergences if one.label is not None)
        return max([0.0, *of_terms])

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {**asdict(self), "excess": self.excess, "term_excess": self.term_excess}


def drift(spec: Spec, before: CountTable, after: CountTable, *, top: int = SHOWN) -> Drift:
    """Return how later counts differ from earlier ones of the same spec.

    Terms are compared by the documents that have them: the words of one document come together, so their tokens would
    seem to move by more than chance whenever two documents do.

    Parameters
    ----------
    top : int
        Terms of each kind, class and feature.

    Notes
    -----
    The expected share of unknown tokens is Good's (1953): that of tokens whose term was seen once.
    """
    labels = sorted({*before.labels, *after.labels})
    docs = [np.array([dict(zip(one.labels, one.docs, strict=True)).get(label, 0.0) for label in labels])
            for one in (before, after)]  # fmt: skip
    shares = [(one / max(one.sum(), 1.0)).tolist() for one in docs]
    found = [_class_drift(None, None, pa.array(labels, pa.string()), *docs, top=top)]
    unknown = {}
    vocabulary = prepare(spec, before, None)
    for feature in spec.term_features:
        name = str(feature.name)
        old, new = (one.features.get(name) for one in (before, after))
        if old is None or new is None:
            continue
        unknown[name] = _unknown(vocabulary.features[name], new), _seen_once(old)
        terms, first, second = _aligned(old, new)
        for label in (one for one in labels if one in set(before.labels) & set(after.labels)):
            counts = (
                each[:, [table.labels.index(label)]].toarray().ravel()
                for each, table in ((first, before), (second, after))
            )
            found.append(_class_drift(label, name, terms, *counts, top=top))
    return Drift(dict(zip(labels, zip(*shares, strict=True), strict=True)), unknown, found)


def _class_drift(
    label: str | None, feature: str | None, values: pa.Array, first: np.ndarray, second: np.ndarray, *, top: int
) -> ClassDrift:
    """Return how far the values of one class have moved."""
    there = np.flatnonzero(first + second)
    values, first, second = values.take(pa.array(there)), first[there], second[there]
    found = diverge(first, second)
    order = np.argsort(-np.abs(found.shares), kind="stable")

    def best(wanted: np.ndarray) -> list[MovedTerm]:
        places = order[wanted[order]][:top].tolist()
        return [MovedTerm(values[i].as_py(), first[i].item(), second[i].item(), found.shares[i].item()) for i in places]

    kinds = (first > 0) & (second > 0), second == 0, first == 0
    numbers = found.jsd, found.expected, found.limit, found.excess, found.largest, found.largest_limit
    return ClassDrift(label, feature, *numbers, *map(best, kinds))


def _aligned(first: FeatureCounts, second: FeatureCounts) -> tuple[pa.Array, sparse.csc_array, sparse.csc_array]:
    """Return the terms of both, and the documents of each that have them, terms x classes."""
    encoded = pa.chunked_array([one.terms.cast(pa.string()) for one in (first, second)]).dictionary_encode()
    terms = encoded.chunks[-1].dictionary
    made = []
    for one, chunk in zip((first, second), encoded.chunks, strict=True):
        rows = np.repeat(chunk.indices.to_numpy(), np.diff(one.indptr))
        made.append(sparse.csc_array((one.n_docs, (rows, one.classes)), shape=(len(terms), len(one.docs))))
    return terms, made[0], made[1]


def _unknown(vocabulary: FeatureCounts, counts: FeatureCounts) -> float:
    """Return the share of tokens whose term is not in a vocabulary."""
    tokens = counts.sum_by_term(counts.n_tokens)
    is_new = ~np.asarray(pc.is_in(counts.terms.cast(pa.string()), value_set=vocabulary.terms.cast(pa.string())))
    return float(tokens[is_new].sum() / max(tokens.sum(), 1.0))


def _seen_once(counts: FeatureCounts) -> float:
    """Return the share of tokens whose term was seen once."""
    tokens = counts.sum_by_term(counts.n_tokens)
    return float((tokens == 1).sum() / max(tokens.sum(), 1.0))
