"""Scores of a batch of documents: terms looked up in the vocabulary, one sparse product, a softmax."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from nbspark.arrays.batches import join_given
from nbspark.arrays.ngram_index import NgramIndex, places_of_ngrams
from nbspark.arrays.runs import sums_between
from nbspark.arrays.strings import offsets_of
from nbspark.arrays.term_codes import PackedTerms
from nbspark.errors import SpecError
from nbspark.events.gaussian import Gaussians
from nbspark.features.occurrences import reader_of
from nbspark.features.values import as_numbers, as_text
from nbspark.schemas import LOG_LOSS, MODEL_VERSION, PREDICTIONS, PROBABILITIES, PROBABILITY_ARRAY, REASON, TOP_K
from nbspark.scoring.answers import best_classes, every_class
from nbspark.scoring.costs import CostMatrix
from nbspark.scoring.lifts import Lifts
from nbspark.scoring.thresholds import NO_THRESHOLDS, Thresholds
from nbspark.smoothing.calibration import UNCALIBRATED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbspark.features import Feature, Numeric, TermFeature
    from nbspark.smoothing.likelihoods import FeatureParameters, Likelihoods, TermParameters

BLOCK = 4_000_000  # numbers in one block of documents x classes: 32 MB


class TermScorer:
    """Adds the score of a feature with a vocabulary."""

    def __init__(self, feature: TermFeature, parameters: FeatureParameters) -> None:
        self._read = reader_of(feature)
        self._parameters = parameters
        self._terms = parameters.vocabulary.terms

    @cached_property
    def _impossible(self) -> np.ndarray:
        """Whether each term is impossible in a class that has not seen it; made on the worker, as all of these."""
        return self._parameters.vocabulary.is_impossible

    @cached_property
    def _base(self) -> np.ndarray:
        """What every class adds for each term."""
        return self._parameters.vocabulary.finite_base

    @cached_property
    def _has_base(self) -> bool:
        """Whether that is more than zeros, as it is not with a pseudo-count of 1."""
        return bool(self._base.any())

    @cached_property
    def _any_impossible(self) -> bool:
        """Whether a term is impossible in some class."""
        return bool(self._impossible.any())

    @cached_property
    def _index(self) -> NgramIndex:
        """The places of the terms; made on the worker, so that it need not travel."""
        return NgramIndex(self._terms, self._read.ngrams[1])

    @cached_property
    def _lifts(self) -> Lifts:
        """The lifts, ready to be summed."""
        return Lifts(self._parameters.vocabulary, len(self._parameters.floor))

    @cached_property
    def _seen(self) -> sparse.csr_array:
        """1 for each (term, class) seen in training, terms x classes, for terms that are impossible elsewhere."""
        vocabulary = self._parameters.vocabulary
        per_pair = np.repeat(self._impossible.astype(float), np.diff(vocabulary.indptr))
        shape = (len(self._terms), len(self._parameters.floor))
        return sparse.csr_array((per_pair, vocabulary.classes, vocabulary.indptr), shape=shape)

    def read(self, values: pa.Array) -> tuple[sparse.csr_array, np.ndarray, np.ndarray]:
        """Return the known terms of each document, and how many terms each has.

        Returns
        -------
        known : csr_array, shape (n_docs, n_terms of the vocabulary)
            How often each occurs; an element may be split over several entries.
        n_terms, n_known : int64 array, shape (n_docs,)
            Terms, repeats included, and those of them that are in the vocabulary.
        """
        packed, lengths, counts, repeats = [], [np.zeros(0, np.int64)], [], []
        for found in self._read(values):
            packed.append(PackedTerms.of(found.terms))
            lengths.append(np.diff(found.offsets))
            counts.append(found.n)
            repeats.append(found.repeats)
        sizes = list(map(len, packed))
        codes, ends = places_of_ngrams(self._index, packed, np.concatenate(lengths), self._read.ngrams)
        is_known = codes >= 0
        offsets = offsets_of(is_known)[ends]
        n = join_given(counts, sizes)
        known = sparse.csr_array(
            (np.ones(offsets[-1]) if n is None else n[is_known], codes[is_known], offsets),
            shape=(len(ends) - 1, len(self._terms)),
        )
        stands_for = join_given(repeats, sizes)
        if stands_for is None:
            return known, np.diff(ends), np.diff(offsets)
        n_terms, n_known = (sums_between(each, ends).astype(np.int64) for each in (stands_for, stands_for * is_known))
        return known, n_terms, n_known

    def score(self, known: sparse.csr_array) -> np.ndarray:
        """Return the feature's score, shape (n_docs, n_classes)."""
        parameters = self._parameters
        if parameters.frequency is not None:
            known.sum_duplicates()
            known.data = parameters.frequency(known.data)
        scores = self._lifts.sum_by_doc(known)
        scores += parameters.bias
        scores += np.outer(known.sum(axis=1), parameters.floor)
        if self._has_base:
            scores += (known @ self._base)[:, None]
        scores *= parameters.scale
        if self._any_impossible:
            occurs = known.copy()
            occurs.data = np.ones(len(occurs.data))  # fractions would not add up to the same sum in any order
            wanted = occurs @ self._impossible.astype(float)
            scores[(occurs @ self._seen).todense() < wanted[:, None]] = -np.inf
        return scores


class GaussianScorer:
    """Adds the score of a numeric feature."""

    def __init__(self, feature: Numeric, gaussians: Gaussians) -> None:
        self._column = feature.column
        self._gaussians = gaussians

    def read(self, values: pa.Array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the numbers, NaN where there is none; none of them is a term."""
        nothing = np.zeros(len(values), np.int64)
        return as_numbers(values, self._column), nothing, nothing

    def score(self, numbers: np.ndarray) -> np.ndarray:
        """Return the feature's score, shape (n_docs, n_classes)."""
        return self._gaussians.score(numbers)


def scorer_of(feature: Feature, parameters: FeatureParameters | Gaussians) -> TermScorer | GaussianScorer:
    """Return what adds the score of one feature."""
    if isinstance(parameters, Gaussians):
        assert not feature.has_terms
        return GaussianScorer(feature, parameters)
    assert feature.has_terms
    return TermScorer(feature, parameters)


def lengths_of(found: Sequence[Any]) -> np.ndarray:
    """Return how many known terms each document has, with their frequencies, given what each feature's scorer read."""
    lengths = np.zeros(found[0].shape[0])
    for one in found:
        if sparse.issparse(one):
            lengths += one.sum(axis=1)
    return lengths


class Scorer:
    """A model that scores batches of documents; ships to workers as it is.

    Parameters
    ----------
    features : sequence of Feature
    likelihoods : Likelihoods
    probabilities : bool or "array"
        Also give every class's probability, as a map, or as an array in string order of the labels.
    top_k : int
        Also give the k best classes; 0 for none.
    calibrated : bool
        Whether the model's calibration is applied.
    thresholds : Thresholds
        What a prediction must reach; if any is set, ``reason`` says which one was missed.
    costs : mapping, optional
        Of errors, see ``CostMatrix``: the prediction is the class of least expected cost.
    version : int, optional
        The model's, to be given beside each prediction.
    """

    def __init__(
        self,
        features: Sequence[Feature],
        likelihoods: Likelihoods,
        *,
        probabilities: bool | str = False,
        top_k: int = 0,
        calibrated: bool = True,
        thresholds: Thresholds = NO_THRESHOLDS,
        costs: Mapping[str, Mapping[str, float]] | None = None,
        version: int | None = None,
    ) -> None:
        if probabilities not in (True, False, "array"):
            raise SpecError(f'probabilities={probabilities!r} is not one of True, False and "array".')
        self.labels = likelihoods.labels
        self._specs = features
        self._likelihoods = likelihoods
        self._features = [scorer_of(*pair) for pair in zip(features, likelihoods.features, strict=True)]
        self._probabilities = probabilities
        self._calibration = likelihoods.calibration if calibrated else UNCALIBRATED
        self._top_k = min(top_k, len(self.labels))
        self._thresholds = thresholds
        self._costs = None if costs is None else CostMatrix(costs, self.labels)
        self._version = version

    def with_terms(self, vocabularies: Sequence[TermParameters]) -> Self:
        """Return the same scorer with other vocabularies, one a feature."""
        other = copy(self)
        other._likelihoods = self._likelihoods.with_terms(vocabularies)
        other._features = [scorer_of(*pair) for pair in zip(self._specs, other._likelihoods.features, strict=True)]
        return other

    def joint_log_likelihood(self, columns: Sequence[pa.Array]) -> np.ndarray:
        """Return log P(c) + log P(d|c), shape (n_docs, n_classes), for one column a feature; not calibrated."""
        return self.scores_and_lengths(columns)[0]

    def scores_and_lengths(self, columns: Sequence[pa.Array]) -> tuple[np.ndarray, np.ndarray]:
        """Return the same, and how many known terms each document has: what a calibration is fitted to."""
        found, _, _ = self._read(columns)
        lengths = lengths_of(found)
        return self._score(found), lengths

    def predict(self, columns: Sequence[pa.Array], truth: pa.Array | None = None) -> list[pa.Array]:
        """Return the columns of ``schemas.PREDICTIONS`` and those asked for, one element a document.

        Parameters
        ----------
        columns : sequence of Array
            One a feature, in the order of the spec.
        truth : Array, optional
            The true labels; adds ``schemas.LOG_LOSS``.
        """
        found, n_terms, n_known = self._read(columns)
        decided = self.decide(found, truth, n_known)
        numbers = [pa.array(n_terms, pa.int64()), pa.array(n_known, pa.int64())]
        version = [] if self._version is None else [pa.repeat(pa.scalar(self._version, pa.int32()), len(n_known))]
        return [*decided[:2], *numbers, *decided[2:], *version]

    def _read(self, columns: Sequence[pa.Array]) -> tuple[list[Any], np.ndarray, np.ndarray]:
        """Return what each feature's scorer reads, and the terms and the known terms of each document."""
        found, n_terms, n_known = zip(
            *(scorer.read(column) for scorer, column in zip(self._features, columns, strict=True)), strict=True
        )
        return list(found), np.sum(n_terms, axis=0), np.sum(n_known, axis=0)

    def decide(
        self, found: Sequence[Any], truth: pa.Array | None = None, n_known: np.ndarray | None = None
    ) -> list[pa.Array]:
        """Return the columns of ``predict`` but for terms and version, given what each feature's scorer read.

        Parameters
        ----------
        n_known : int array, shape (n_docs,), optional
            Known terms of each document, where there are thresholds.
        """
        true_codes = None if truth is None else self.codes_of(truth)
        rows = max(1, BLOCK // len(self.labels))
        blocks = []
        for start in range(0, max(1, found[0].shape[0]), rows):  # no documents are one empty block
            part = slice(start, start + rows)
            some = [one[part] for one in found]
            lengths = lengths_of(some)  # an event may change frequencies in place
            true, known = (None if one is None else one[part] for one in (true_codes, n_known))
            blocks.append(self._decide(self._score(some), lengths, true, known))
        return [pa.concat_arrays(list(arrays)) for arrays in zip(*blocks, strict=True)]

    def fields(self, *, truth: bool = False) -> list[pa.Field]:
        """Return the fields of the columns that ``predict`` returns."""
        every = PROBABILITY_ARRAY if self._probabilities == "array" else PROBABILITIES
        asked = [(self._probabilities, every), (self._top_k > 0, TOP_K), (truth, LOG_LOSS)]
        asked += [(bool(self._thresholds.names), REASON), (self._version is not None, MODEL_VERSION)]
        return [*PREDICTIONS, *(field for wanted, field in asked if wanted)]

    def _score(self, found: Sequence[Any]) -> np.ndarray:
        """Return prior and features added up, shape (n_docs, n_classes)."""
        scores = np.tile(self._likelihoods.log_prior, (found[0].shape[0], 1))
        for scorer, one in zip(self._features, found, strict=True):
            scores += scorer.score(one)
        return scores

    def codes_of(self, truth: pa.Array) -> np.ndarray:
        """Return each true label's class, -1 where it is null or unknown."""
        codes = pc.index_in(as_text(truth), pa.array(self.labels, pa.string()))
        return pc.fill_null(codes, -1).to_numpy()

    def _decide(
        self, scores: np.ndarray, lengths: np.ndarray, truth: np.ndarray | None, n_known: np.ndarray | None = None
    ) -> list[pa.Array]:
        """Return prediction, probability and what else was asked for; a tie goes to the first label."""
        raw, scores = scores, self._calibration.apply(scores, lengths)
        # By the raw scores, where calibration keeps their order: divided, two neighbours may have become one.
        ranking = raw if self._calibration.keeps_order else scores
        rows, best = np.arange(len(scores)), ranking.argmax(axis=1)
        highest = scores[rows, best]
        possible = np.isfinite(highest)
        shifted = scores - np.where(possible, highest, 0.0)[:, None]
        relative = np.exp(shifted)
        total = np.where(possible, relative.sum(axis=1), 1.0)
        wants_all = self._probabilities or self._top_k or self._thresholds.names or self._costs
        every = relative / total[:, None] if wants_all else relative
        chosen = best if self._costs is None else self._costs.cheapest(every)
        labels, given, reason = pa.array(self.labels, pa.string()), possible, []
        if self._thresholds.names:
            assert n_known is not None
            reason = [self._thresholds.missed(n_known, every, chosen, self.labels)]
            given = reason[0].is_null().to_numpy(zero_copy_only=False)
        out = [labels.take(pa.array(chosen, mask=~given)), pa.array(relative[rows, chosen] / total, mask=~possible)]
        if self._probabilities:
            out.append(every_class(every, labels, as_array=self._probabilities == "array"))
        if self._top_k:
            out.append(best_classes(every, ranking, labels, self._top_k))
        if truth is not None:
            loss = np.log(total) - shifted[rows, np.maximum(truth, 0)]
            out.append(pa.array(loss, mask=(truth < 0) | ~possible))
        return out + reason
