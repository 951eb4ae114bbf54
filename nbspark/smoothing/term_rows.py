"""The same arithmetic as ``likelihoods``, on rows of counts a batch at a time: for models that stay a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.packing import INT, pack_numbers, unpack_numbers
from nbspark.arrays.strings import offsets_of
from nbspark.counting.checks import class_codes
from nbspark.counting.merging import merge
from nbspark.counting.table import FeatureCounts
from nbspark.events import EVENTS, Parameters
from nbspark.schemas import LOG_LIKELIHOODS, TERM_PARAMETERS
from nbspark.smoothing.likelihoods import FeatureParameters, Likelihoods, TermParameters, estimate_terms
from nbspark.smoothing.pseudo_counts import PseudoCounts
from nbspark.smoothing.totals import ModelTotals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbspark.events import Event
    from nbspark.features import TermFeature
    from nbspark.spec import Spec


def events_of(spec: Spec) -> dict[str, Event]:
    """Return the event model of each feature with a vocabulary, by the feature's name.

    They travel to the workers with the function that uses them: one that was registered here is not known there.
    """
    return {str(feature.name): EVENTS[feature.event] for feature in spec.term_features}


def estimate_rows(
    batches: Iterable[pa.RecordBatch],
    spec: Spec,
    events: Mapping[str, Event],
    totals: ModelTotals,
) -> Iterator[tuple[TermFeature, Parameters, TermParameters]]:
    """Yield what the event models make of rows of ``schemas.PACKED_COUNTS``, a feature and a batch at a time.

    Parameters
    ----------
    batches : iterable of RecordBatch
        Of one partition; pairs only; the rows of a term are merged.
    events : mapping of str to Event
        What ``events_of`` gave on the driver.
    """
    for feature, counts in counts_in_rows(batches, spec, totals.labels, totals.class_factors):
        name = str(feature.name)
        yield feature, *estimate_terms(spec, feature, events[name], counts, totals.features[name])


def counts_in_rows(
    batches: Iterable[pa.RecordBatch], spec: Spec, labels: Sequence[str], factors: np.ndarray | None
) -> Iterator[tuple[TermFeature, FeatureCounts]]:
    """Yield rows of ``schemas.PACKED_COUNTS`` as counts times class factors, a feature and a batch at a time."""
    names = pa.array(labels, pa.string())
    for rows in merge(batches):
        for feature in spec.term_features:
            own = rows.filter(pc.equal(rows.column("feature"), str(feature.name)))
            if own.num_rows:
                yield feature, _feature_counts(own, names, factors)


def _feature_counts(rows: pa.RecordBatch, labels: pa.StringArray, factors: np.ndarray | None) -> FeatureCounts:
    """Return one feature's merged rows as counts of their terms."""
    terms = rows.column("term").dictionary_encode()  # sorted, so the codes ascend
    classes = class_codes(rows.column("label"), labels)
    order = np.lexsort((classes, terms.indices.to_numpy()))
    each = 1.0 if factors is None else factors[classes[order]]
    return FeatureCounts(
        terms=terms.dictionary,
        indptr=np.searchsorted(terms.indices.to_numpy(), np.arange(len(terms.dictionary) + 1)),
        classes=classes[order],
        n_tokens=rows.column("n_tokens").to_numpy()[order] * each,
        n_docs=rows.column("n_docs").to_numpy()[order] * each,
        docs=np.zeros(len(labels)),
    )


def pack_terms(feature: str, terms: TermParameters) -> pa.RecordBatch:
    """Return rows of ``schemas.TERM_PARAMETERS``."""
    columns = [
        pa.repeat(feature, len(terms.terms)),
        terms.terms,
        pa.array(terms.base),
        pack_numbers(terms.classes, terms.indptr, INT),
        pack_numbers(terms.lift, terms.indptr),
    ]
    return pa.record_batch(columns, schema=TERM_PARAMETERS)


def unpack_terms(rows: pa.Table, features: Sequence[str]) -> list[TermParameters]:
    """Return each feature's rows of ``schemas.TERM_PARAMETERS``; rows of terms that the model lacks are left out."""
    out = []
    for name in features:
        own = pc.and_(pc.equal(rows["feature"], name), pc.is_valid(rows["base"]))
        # A column at a time: with thousands of classes the parameters of a block fill gigabytes, twice is enough.
        term, base, classes, lift = (
            rows[column].filter(own).combine_chunks() for column in ("term", "base", "classes", "lift")
        )
        lengths, lifts = unpack_numbers(lift)
        _, places = unpack_numbers(classes, INT)
        out.append(TermParameters(term, offsets_of(lengths), places, lifts, base.to_numpy()))
    return out


def pair_log_likelihoods(event: Event, terms: TermParameters, of_class: FeatureParameters) -> np.ndarray:
    """Return log P(t|c) of each pair that training saw, in nats; of a complement model what the term adds."""
    base = np.repeat(terms.finite_base, np.diff(terms.indptr))
    added = of_class.scale[terms.classes] * (of_class.floor[terms.classes] + base + terms.lift)
    return event.log_likelihood(added)


def log_likelihood_batch(
    feature: TermFeature, event: Event, terms: TermParameters, of_class: FeatureParameters, labels: list[str]
) -> pa.RecordBatch:
    """Return rows of ``schemas.LOG_LIKELIHOODS`` for the pairs of some terms."""
    values = pair_log_likelihoods(event, terms, of_class)
    columns = [
        pa.array(labels, pa.string()).take(pa.array(terms.classes)),
        pa.repeat(str(feature.name), len(values)),
        terms.terms.take(pa.array(np.repeat(np.arange(len(terms.terms)), np.diff(terms.indptr)))),
        pa.array(values),
    ]
    return pa.record_batch(columns, schema=LOG_LIKELIHOODS)


def unseen_log_likelihoods(
    spec: Spec, totals: ModelTotals, likelihoods: Likelihoods
) -> list[tuple[str, str, None, float]]:
    """Return rows of ``schemas.LOG_LIKELIHOODS`` for a term that a class has not seen.

    There are none for a feature in which it differs from term to term.
    """
    rows = []
    for feature, one in zip(spec.features, likelihoods.features, strict=True):
        if not feature.has_terms or not isinstance(one, FeatureParameters):
            continue
        event, alphas, name = EVENTS[feature.event], PseudoCounts.of(spec.alpha_of(feature)), str(feature.name)
        if event.unseen_alike and not alphas.of_term:
            values = event.unseen(totals.features[name], alphas.default, one.scale)
            rows += [(label, name, None, float(each)) for label, each in zip(likelihoods.labels, values, strict=True)]
    return rows
