"""Why a document got its prediction rather than another class: the terms that decided it, and where they stand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from nbspark.errors import SpecError, nearest
from nbspark.insight.contributions import between, term_shares
from nbspark.insight.occurrences import occurrences_of
from nbspark.schemas import EXPLANATION, IS_ERROR, PREDICTIONS
from nbspark.scoring.kernel import BLOCK, Scorer, lengths_of
from nbspark.smoothing.likelihoods import FeatureParameters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbspark.features import Feature
    from nbspark.insight.occurrences import Occurrences
    from nbspark.smoothing.likelihoods import Likelihoods


NO_LABEL = -2  # where a true label is null; one that the model does not know is -1


class Explainer(Scorer):
    """A scorer that also says why; goes wherever a scorer does, in both plans and without Spark.

    Parameters
    ----------
    features, likelihoods
        As of ``Scorer``.
    top : int or None
        List so many terms of a document, those that add or take most, and as many unknown ones; None for all.
    against : str, optional
        Compare the prediction with this class; with the runner-up unless given, or where it is the prediction.
    errors_only : bool
        Explain documents only whose prediction is not the true label.

    Raises
    ------
    SpecError
        There is no such class.
    """

    def __init__(
        self,
        features: Sequence[Feature],
        likelihoods: Likelihoods,
        *,
        top: int | None = 10,
        against: str | None = None,
        errors_only: bool = False,
    ) -> None:
        super().__init__(features, likelihoods)
        if against is not None and against not in self.labels:
            raise SpecError(f"explain: no class {nearest(against, self.labels)}; classes: {self.labels[:20]}.")
        if top is not None and top < 0:
            raise SpecError(f"explain: top wants a number >= 0, or None for all terms, found {top}.")
        self._top = top
        self._against = against
        self._errors_only = errors_only

    def fields(self, *, truth: bool = False) -> list[pa.Field]:
        """Return the fields of the columns that ``predict`` returns."""
        return [*PREDICTIONS, EXPLANATION, *([IS_ERROR] if truth else [])]

    def predict(self, columns: Sequence[pa.Array], truth: pa.Array | None = None) -> list[pa.Array]:
        """Return the columns of ``schemas.PREDICTIONS``, and why, one element a document.

        Parameters
        ----------
        columns : sequence of Array
            One a feature, in the order of the spec.
        truth : Array, optional
            The true labels: a document that got another one is compared with its true class, if the model knows it.
        """
        read, n_terms, n_known = self._read(columns)
        named = [occurrences_of(one, column) for one, column in zip(self._specs, columns, strict=True) if one.has_terms]
        true = None if truth is None else np.where(truth.is_null(), NO_LABEL, self.codes_of(truth))
        rows = max(1, BLOCK // len(self.labels))
        blocks = []
        for start in range(0, max(1, len(n_terms)), rows):  # no documents are one empty block
            part = slice(start, start + rows)
            found = [one[part] for one in read]
            blocks.append(self._explain(found, named, start, None if true is None else true[part]))
        decided = [pa.concat_arrays(list(arrays)) for arrays in zip(*blocks, strict=True)]
        return [*decided[:2], pa.array(n_terms, pa.int64()), pa.array(n_known, pa.int64()), *decided[2:]]

    def _explain(
        self, found: Sequence[Any], named: Sequence[Occurrences], start: int, true: np.ndarray | None
    ) -> list[pa.Array]:
        """Return prediction, probability, explanation and, with true classes, whether it is an error, of a block."""
        scores = self._score([one.copy() for one in found])
        lengths = lengths_of(found)
        # Biases of calibration can put another class first; what it adds is not of the document, and not explained.
        ranking = scores if self._calibration.keeps_order else self._calibration.apply(scores, lengths)
        one, other = self._compared(ranking, true)
        possible = np.isfinite(scores[np.arange(len(scores)), one])
        unlabelled = np.ones(len(scores), bool) if true is None else true == NO_LABEL
        wrong = ~unlabelled & ((one != true) | ~possible)
        wanted = possible & (other >= 0) & (wrong | (not self._errors_only))
        other = np.maximum(other, 0)
        parts = _Parts(self._specs, self._likelihoods, self._features, found, one, other)
        explanations = [
            self._explanation(parts, i, [find(start + i) for find in named], self.labels[other[i]], difference)
            if wanted[i]
            else None
            for i, difference in enumerate(between(scores, one, other).tolist())
        ]
        out = [*self._decide(scores, lengths, None), pa.array(explanations, EXPLANATION.type)]
        return out if true is None else [*out, pa.array(wrong, mask=unlabelled)]

    def _compared(self, scores: np.ndarray, true: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Return the best class of each document and the one to compare it with, -1 where there is no other."""
        order = np.argsort(-scores, axis=1, kind="stable")
        best = order[:, 0]
        runner_up = order[:, 1] if len(self.labels) > 1 else np.full(len(best), -1)
        other = runner_up
        if self._against is not None:
            against = self.labels.index(self._against)
            other = np.where(best == against, runner_up, against)
        return best, other if true is None else np.where((true >= 0) & (true != best), true, other)

    def _explanation(
        self, parts: _Parts, i: int, named: Sequence[dict[str, Any]], against: str, difference: float
    ) -> dict[str, Any]:
        """Return an element of ``schemas.EXPLANATION``."""
        terms, unknown = [], []
        for (feature, shares, names), occurring in zip(parts.of_terms(i), named, strict=True):
            for term, n, nats in zip(names, *shares, strict=True):
                spans = occurring[term].spans
                terms.append({"feature": feature, "term": term, "n": n, "contribution": nats, "spans": spans})
            new = occurring.keys() - set(names)
            unknown += [{"feature": feature, "term": term, **occurring[term]._asdict()} for term in new]
        terms.sort(key=lambda one: (-abs(one["contribution"]), one["feature"], one["term"]))
        unknown.sort(key=lambda one: (-one["n"], one["feature"], one["term"]))
        others = terms[len(terms) if self._top is None else self._top :]
        return {
            "against": against,
            "difference": difference,
            "prior": float(parts.prior[i]),
            "bias": float(parts.bias[i]),
            "terms": terms[: self._top],
            "n_other": len(others),
            "other": math.fsum(one["contribution"] for one in others),
            "numbers": parts.of_numbers(i),
            "unknown": unknown[: self._top],
        }


class _Parts:
    """The differences between two classes' scores, part by part, of a block of documents."""

    def __init__(
        self,
        features: Sequence[Feature],
        likelihoods: Likelihoods,
        scorers: Sequence[Any],
        found: Sequence[Any],
        one: np.ndarray,
        other: np.ndarray,
    ) -> None:
        self.prior = between(np.tile(likelihoods.log_prior, (len(one), 1)), one, other)
        self.bias = np.zeros(len(one))
        self._terms, self._numbers = [], []
        for feature, parameters, scorer, values in zip(features, likelihoods.features, scorers, found, strict=True):
            name = str(feature.name)
            if isinstance(parameters, FeatureParameters):
                of_class = parameters.scale * parameters.bias
                self.bias += of_class[one] - of_class[other]
                shares = term_shares(parameters, values, one, other)
                self._terms.append((name, shares, parameters.vocabulary.terms))
            else:
                self._numbers.append((name, values, between(scorer.score(values), one, other)))

    def of_terms(self, i: int) -> list[tuple[str, tuple[list[float], list[float]], list[str]]]:
        """Return, by feature, how often each known term of a document occurs, what it adds, and the terms."""
        out = []
        for name, shares, terms in self._terms:
            inside = slice(shares.indptr[i], shares.indptr[i + 1])
            names = terms.take(pa.array(shares.terms[inside])).to_pylist()
            out.append((name, (shares.n[inside].tolist(), shares.nats[inside].tolist()), names))
        return out

    def of_numbers(self, i: int) -> list[dict[str, Any]]:
        """Return what the numbers of a document add, those that it has."""
        return [
            {"feature": name, "value": float(values[i]), "contribution": float(nats[i])}
            for name, values, nats in self._numbers
            if not math.isnan(values[i])
        ]
