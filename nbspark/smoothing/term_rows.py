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
from nbspark.features import Numeric
from nbspark.schemas import LOG_LIKELIHOODS, TERM_PARAMETERS
from nbspark.smoothing.likelihoods import (
    FeatureParameters,
    Likelihoods,
    ModelTotals,
    TermParameters,
    alphas,
    estimate_terms,
)

if TYPE_CHECKING:
    from nbspark.features import Categorical, Terms, Text
    from nbspark.spec import Spec


def estimate_rows(
    batches: Iterable[pa.RecordBatch], spec: Spec, totals: ModelTotals, factors: np.ndarray | None
) -> Iterator[tuple[Text | Terms | Categorical, Parameters, TermParameters]]:
    """Yield what the event models make of rows of ``schemas.PACKED_COUNTS``, a feature and a batch at a time.

    Parameters
    ----------
    batches : iterable of RecordBatch
        Of one partition; pairs only; the rows of a term are merged.
    factors : float64 array, shape (n_classes,), optional
        What multiplies each class's counts.
    """
    labels = pa.array(totals.labels, pa.string())
    for rows in merge(batches):
        for feature in spec.features:
            if isinstance(feature, Numeric):
                continue
            own = rows.filter(pc.equal(rows.column("feature"), str(feature.name)))
            if own.num_rows:
                counts = _feature_counts(own, labels, factors)
                yield feature, *estimate_terms(spec, feature, counts, totals.features[str(feature.name)])


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


def log_likelihood_batch(
    feature: Text | Terms | Categorical, terms: TermParameters, of_class: FeatureParameters, labels: list[str]
) -> pa.RecordBatch:
    """Return rows of ``schemas.LOG_LIKELIHOODS`` for the pairs of some terms."""
    per_term = np.diff(terms.indptr)
    base = np.repeat(np.where(np.isneginf(terms.base), 0.0, terms.base), per_term)
    added = of_class.scale[terms.classes] * (of_class.floor[terms.classes] + base + terms.lift)
    values = _log_likelihood(feature, added)
    columns = [
        pa.array(labels, pa.string()).take(pa.array(terms.classes)),
        pa.repeat(str(feature.name), len(values)),
        terms.terms.take(pa.array(np.repeat(np.arange(len(per_term)), per_term))),
        pa.array(values),
    ]
    return pa.record_batch(columns, schema=LOG_LIKELIHOODS)


def unseen_log_likelihoods(spec: Spec, likelihoods: Likelihoods) -> list[tuple[str, str, None, float]]:
    """Return rows of ``schemas.LOG_LIKELIHOODS`` for a term that a class has not seen.

    There are none for a feature in which it differs from term to term.
    """
    rows = []
    for feature, one in zip(spec.features, likelihoods.features, strict=True):
        if isinstance(feature, Numeric) or not isinstance(one, FeatureParameters) or not _has_one_base(spec, feature):
            continue
        with np.errstate(divide="ignore"):
            base = np.log(alphas(spec, feature, pa.array([None], pa.string())))
        values = _log_likelihood(feature, one.scale * (one.floor + base))
        name = str(feature.name)
        rows += [(label, name, None, float(each)) for label, each in zip(likelihoods.labels, values, strict=True)]
    return rows


def _has_one_base(spec: Spec, feature: Text | Terms | Categorical) -> bool:
    """Say whether all terms of a feature that a class has not seen have one likelihood."""
    alpha = spec.alpha if feature.alpha is None else feature.alpha
    return EVENTS[feature.event].one_base and not isinstance(alpha, dict)


def _log_likelihood(feature: Text | Terms | Categorical, added: np.ndarray) -> np.ndarray:
    """Return log P(t|c) of what a term adds to a class's score.

    Where absent terms are evidence too, that is log(P / (1 - P)): what the term adds to an empty document's score.
    """
    return -np.logaddexp(0.0, -added) if EVENTS[feature.event].has_bias else added
