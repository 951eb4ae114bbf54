"""What a model learned, as a list: the terms that say most for each class."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.runs import run_starts
from nbspark.errors import SpecError, nearest
from nbspark.insight.measures import chi2, log_odds, mutual_information, npmi
from nbspark.schemas import TOP_TERMS
from nbspark.smoothing.likelihoods import FeatureParameters, estimate_terms, smooth
from nbspark.smoothing.term_rows import events_of, pair_log_likelihoods
from nbspark.smoothing.totals import class_factors, counted, model_totals, prepare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbspark.counting.table import CountTable, FeatureCounts
    from nbspark.events import Event, Totals
    from nbspark.features import TermFeature
    from nbspark.smoothing.likelihoods import Likelihoods
    from nbspark.smoothing.totals import ModelTotals
    from nbspark.spec import Spec

LIKELIHOOD = "likelihood"
OF_TOKENS = {"log_odds": log_odds}  # or of whatever else the event model counts
OF_DOCS = {"chi2": chi2, "mutual_information": mutual_information, "npmi": npmi}
MEASURES = (*OF_TOKENS, LIKELIHOOD, *OF_DOCS)
ON_BOTH_SIDES = ("chi2", "mutual_information")  # large, too, where a class lacks a term: only what it has is listed


def top_terms(
    spec: Spec, counts: CountTable, *, n: int = 10, by: str = "log_odds", label: str | None = None
) -> pa.Table:
    """Return the terms that say most for each class, by feature: ``schemas.TOP_TERMS``.

    Parameters
    ----------
    n : int
        Terms of each class and feature, at most: only terms that the class has seen are listed.
    by : {"log_odds", "likelihood", "chi2", "mutual_information", "npmi"}
        See ``measures``; ``likelihood`` is log P(t|c) as the model has it.
    label : str, optional
        One class only.

    Raises
    ------
    SpecError
        There is no such measure, or no such class.
    """
    require_asked(n=n, by=by, label=label, labels=counts.labels)
    spec = spec_of_measure(spec, by)
    factors = class_factors(spec, counts.labels, counts.docs)
    totals = model_totals(spec, prepare(spec, counts, factors), factors)
    ranking = Ranking(spec, totals, smooth(spec, counts).without_terms() if by == LIKELIHOOD else None, n=n, by=by)
    limited = prepare(spec, counts, None)
    best = [ranking.best(feature, limited.features[str(feature.name)]) for feature in spec.term_features]
    return ranked(pa.concat_tables([TOP_TERMS.empty_table(), *best]), n=n, label=label)


def require_asked(*, n: int, by: str, label: str | None, labels: Sequence[str]) -> None:
    """Raise an error that names what is nearest, if what is asked for is not known."""
    if by not in MEASURES:
        raise SpecError(f"top_terms: no measure {nearest(by, MEASURES)}; known: {', '.join(MEASURES)}.")
    if n < 1:
        raise SpecError(f"top_terms: n wants a number >= 1, found {n}.")
    if label is not None and label not in labels:
        raise SpecError(f"top_terms: no class {nearest(label, labels)}; classes: {list(labels)[:20]}.")


def spec_of_measure(spec: Spec, by: str) -> Spec:
    """Return the spec under which a measure reads the counts: but for the likelihood, class weights are for scores."""
    return spec if by == LIKELIHOOD else replace(spec, class_weight=None)


class Ranking:
    """What finds the best terms among some of a feature's; travels to workers.

    Parameters
    ----------
    spec : Spec
        That of ``spec_of_measure``, as are the totals.
    totals : ModelTotals
    likelihoods : Likelihoods or None
        What every class adds, without terms, for ``likelihood``.
    n, by
        As of ``top_terms``.
    """

    def __init__(self, spec: Spec, totals: ModelTotals, likelihoods: Likelihoods | None, *, n: int, by: str) -> None:
        self._spec, self._totals, self._n, self._by = spec, totals, n, by
        self._events = events_of(spec)
        names = [str(feature.name) for feature in spec.features]
        self._of_class = dict(zip(names, likelihoods.features, strict=True)) if likelihoods else {}

    @property
    def labels(self) -> list[str]:
        """The classes."""
        return self._totals.labels

    def best(self, feature: TermFeature, counts: FeatureCounts) -> pa.Table:
        """Return the best terms of each class among those whose counts are given, before any class weight."""
        name = str(feature.name)
        event, totals = self._events[name], self._totals.features[name]
        if self._by != LIKELIHOOD:
            score = scores_of(counts, event, totals, self._by)
        else:
            factors = self._totals.class_factors
            each = 1.0 if factors is None else factors[counts.classes]
            weighted = replace(counts, n_tokens=counts.n_tokens * each, n_docs=counts.n_docs * each)
            of_class = self._of_class[name]
            assert isinstance(of_class, FeatureParameters)
            _, terms = estimate_terms(self._spec, feature, event, weighted, totals)
            score = pair_log_likelihoods(event, terms, of_class)
        return best_of(name, counts, score, self.labels, self._n)


def scores_of(counts: FeatureCounts, event: Event, totals: Totals, by: str) -> np.ndarray:
    """Return what each pair has by a measure; -inf where it speaks against the class."""
    n_ct = counts.n_docs if by in OF_DOCS else counted(event, counts)
    of_class = totals.docs if by in OF_DOCS else totals.n
    n_t = np.repeat(counts.sum_by_term(n_ct), np.diff(counts.indptr))
    n_c, n = of_class[counts.classes], np.full(len(n_ct), of_class.sum())
    score = {**OF_TOKENS, **OF_DOCS}[by](n_ct, n_t, n_c, n)
    return np.where(n_ct * n > n_t * n_c, score, -np.inf) if by in ON_BOTH_SIDES else score


def best_of(feature: str, counts: FeatureCounts, score: np.ndarray, labels: Sequence[str], n: int) -> pa.Table:
    """Return the best ``n`` pairs of each class, ``schemas.TOP_TERMS``; equal ones by their documents, then the term.

    Examples
    --------
    >>> from nbspark.counting.table import FeatureCounts
    >>> terms, classes = pa.array(["cash", "win"]), np.array([0, 1, 1])
    >>> counts = FeatureCounts(terms, np.array([0, 2, 3]), classes, np.ones(3), np.ones(3), np.ones(2))
    >>> best_of("body", counts, np.array([0.1, 0.2, 0.3]), ["ham", "spam"], 1).select(["label", "term"]).to_pylist()
    [{'label': 'ham', 'term': 'cash'}, {'label': 'spam', 'term': 'win'}]
    """
    terms = np.repeat(np.arange(len(counts.terms)), np.diff(counts.indptr))
    order = np.lexsort((terms, -counts.n_docs, -score, counts.classes))
    order = order[score[order] > -np.inf]
    rank = places_in_runs(run_starts(counts.classes[order]))
    order, rank = order[rank <= n], rank[rank <= n]
    all_docs = counts.sum_by_term(counts.n_docs)
    columns = [
        pa.array(labels, pa.string()).take(pa.array(counts.classes[order])),
        pa.repeat(feature, len(order)),
        pa.array(rank, pa.int32()),
        counts.terms.take(pa.array(terms[order])).cast(pa.string()),
        *(pa.array(one[order]) for one in (score, counts.n_tokens, counts.n_docs)),
        pa.array(all_docs[terms[order]]),
    ]
    return pa.table(columns, schema=TOP_TERMS)


def ranked(found: pa.Table, *, n: int, label: str | None) -> pa.Table:
    """Return the best of what was found in parts, ranked anew."""
    if label is not None:
        found = found.filter(pc.equal(found["label"], label))
    keys = [("label", "ascending"), ("feature", "ascending"), ("score", "descending"), ("n_docs", "descending")]
    found = found.sort_by([*keys, ("term", "ascending")])
    starts = np.zeros(len(found), bool)
    for name in ("label", "feature"):
        starts |= run_starts(found[name].combine_chunks().dictionary_encode().indices.to_numpy())
    rank = pa.array(places_in_runs(starts), pa.int32())
    return found.set_column(2, TOP_TERMS.field("rank"), rank).filter(pc.less_equal(rank, n))


def places_in_runs(starts: np.ndarray) -> np.ndarray:
    """Return the place of each element in its run, from 1.

    >>> places_in_runs(np.array([True, False, True])).tolist()
    [1, 2, 1]
    """
    begins = np.flatnonzero(starts)
    return np.arange(len(starts)) - np.repeat(begins, np.diff([*begins, len(starts)])) + 1
