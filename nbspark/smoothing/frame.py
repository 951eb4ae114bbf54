"""A model that stays a table: its totals, its limited vocabulary and what its terms add, as frames."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from nbspark.arrays.decimals import LARGEST, UNITS
from nbspark.arrays.frame import spark_schema
from nbspark.arrays.moments import Moments
from nbspark.counting.checks import require_features, require_known_labels, require_sums
from nbspark.counting.frame import pack_counts, with_terms_together
from nbspark.counting.table import CountTable
from nbspark.events import EVENTS, Parameters, TermCounts
from nbspark.features import Terms, Text
from nbspark.schemas import CLASS_SUMS, LOG_LIKELIHOODS, MOMENTS, TERM_PARAMETERS
from nbspark.smoothing.likelihoods import FeatureParameters, Likelihoods, assemble
from nbspark.smoothing.pseudo_counts import PseudoCounts
from nbspark.smoothing.term_rows import (
    estimate_rows,
    events_of,
    log_likelihood_batch,
    pack_terms,
    unseen_log_likelihoods,
)
from nbspark.smoothing.totals import ModelTotals, class_factors, totals_of
from nbspark.smoothing.vocabulary import has_limits, require_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyspark.sql import Column, DataFrame, Row

    from nbspark.features import TermFeature
    from nbspark.spec import Spec


def limited_pairs(counts: DataFrame, spec: Spec) -> DataFrame:
    """Return the pairs of the terms that the features' limits keep: ``vocabulary.limit`` on a frame; lazy."""
    pairs = counts.where(F.col("label").isNotNull() & F.col("term").isNotNull())
    limited = _limited(spec)
    if not limited:
        return pairs
    names = [str(feature.name) for feature in limited]
    kept = [_kept_terms(counts, feature) for feature in limited]
    vocabulary = reduce(lambda left, right: left.unionByName(right), kept)
    free = pairs.where(~F.col("feature").isin(names))
    return free.unionByName(pairs.join(vocabulary, on=["feature", "term"], how="left_semi"))


def _limited(spec: Spec) -> list[Text | Terms]:
    """Return the features that limit their vocabulary."""
    return [feature for feature in spec.features if isinstance(feature, Text | Terms) and has_limits(feature)]


def _kept_terms(counts: DataFrame, feature: Text | Terms) -> DataFrame:
    """Return a limited feature's vocabulary: one row per term."""
    own = counts.where(F.col("label").isNotNull() & (F.col("feature") == str(feature.name)))
    n_docs = F.broadcast(own.where(F.col("term").isNull()).agg(_sum("n_docs").alias("all_docs")))
    terms = own.where(F.col("term").isNotNull()).groupBy("feature", "term")
    stats = terms.agg(_sum("n_tokens"), _sum("n_docs")).crossJoin(n_docs)
    by_rank = [F.desc("n_tokens"), F.asc("term")]
    if feature.drop_top:
        top = stats.orderBy(*by_rank).limit(feature.drop_top).select("feature", "term")
        stats = stats.join(top, on=["feature", "term"], how="left_anti")
    if feature.min_docs is not None:
        stats = stats.where((_shares() if isinstance(feature.min_docs, float) else F.col("n_docs")) >= feature.min_docs)
    if feature.max_docs is not None:
        stats = stats.where((_shares() if isinstance(feature.max_docs, float) else F.col("n_docs")) <= feature.max_docs)
    stats = stats.where(F.col("n_tokens") >= feature.min_count)
    if feature.max_terms is not None:
        stats = stats.orderBy(*by_rank).limit(feature.max_terms)
    return stats.select("feature", "term")


def _sum(name: str) -> Column:
    """Return a sum of counts: ``decimals.sums`` on a frame."""
    found = F.sum(name)
    for units in reversed(UNITS):
        total = F.sum(F.rint(F.col(name) * units))
        found = F.when(F.abs(total) < LARGEST, total / units).otherwise(found)
    return F.when(F.max(F.rint(name) != F.col(name)), found).otherwise(F.sum(name)).alias(name)


def _shares() -> Column:
    """Return documents as shares of all: ``vocabulary.shares`` on a frame."""
    docs, all_docs = F.col("n_docs"), F.col("all_docs")
    is_whole = (docs == F.rint(docs)) & (all_docs == F.rint(all_docs))
    return F.when(is_whole, docs / all_docs).otherwise(F.rint(docs * UNITS[1]) / F.rint(all_docs * UNITS[1]))


def collect_totals(counts: DataFrame, pairs: DataFrame, spec: Spec) -> ModelTotals:
    """Run the counts: return the totals of a model.

    Parameters
    ----------
    counts : DataFrame of ``schemas.COUNTS``
    pairs : DataFrame
        The pairs of its limited vocabulary.

    Raises
    ------
    SpecError
        A feature's limits keep none of its terms, or a given prior or class weight does not fit the classes.
    StoreError
        The rows cannot be counts of the model.
    """
    small = CountTable.from_arrow(counts.where(F.col("label").isNotNull() & F.col("term").isNull()).toArrow())
    labels = pa.array(small.labels, pa.string())
    factors = class_factors(spec, small.labels, small.docs)
    each = np.ones(len(labels)) if factors is None else factors
    sums_of_class = pairs.groupBy("feature", "label").agg(_sum("n_tokens"), _sum("n_docs"))
    of_class = {(row["feature"], row["label"]): row for row in sums_of_class.collect()}
    _require_sound(spec, small, of_class)
    sizes = {
        row["feature"]: row["n_terms"]
        for row in pairs.groupBy("feature").agg(F.count_distinct("term").alias("n_terms")).collect()
    }

    for limited in _limited(spec):
        if not sizes.get(str(limited.name)):
            own = counts.where(F.col("term").isNotNull() & (F.col("feature") == str(limited.name)))
            require_terms(
                limited, before=own.where(F.col("label").isNotNull()).select("term").distinct().count(), after=0
            )

    def sums(name: str, measure: str) -> np.ndarray:
        found = [of_class.get((name, label)) for label in small.labels]
        return np.array([row[measure] if row else 0.0 for row in found]) * each

    features, tokens = {}, np.zeros(len(labels))
    for feature in spec.term_features:
        name = str(feature.name)
        docs = small.features[name].docs * each
        n, n_terms = sums(name, EVENTS[feature.event].counts), sizes.get(name, 0)
        features[name] = totals_of(spec, feature, n, docs, n_terms, _collect_named(pairs, spec, feature))
        tokens = tokens + sums(name, "n_tokens")
    moments = {
        str(feature.name): small.features[str(feature.name)].moments or [Moments()] * len(labels)
        for feature in spec.numeric_features
    }
    return ModelTotals(small.labels, small.docs * each, tokens, features, moments, factors)


def _require_sound(spec: Spec, small: CountTable, of_class: Mapping[tuple[str, str], Row]) -> None:
    """Raise StoreError if the sums of pairs, by feature and label, do not fit the totals: ``checks`` on a frame."""
    require_known_labels(pa.array(sorted({label for _, label in of_class} - set(small.labels)), pa.string()))
    found = {*small.features, *(feature for feature, _ in of_class)}
    require_features(found, (str(feature.name) for feature in spec.features))
    require_sums((label, row["n_tokens"], row["n_docs"]) for (_, label), row in of_class.items())


def _collect_named(pairs: DataFrame, spec: Spec, feature: TermFeature) -> list[str]:
    """Run the pairs if the pseudo-counts are a table: return the terms of the vocabulary that it names."""
    named = list(PseudoCounts.of(spec.alpha_of(feature)).of_term)
    if not named:
        return []
    own = pairs.where((F.col("feature") == str(feature.name)) & F.col("term").isin(named))
    return [row["term"] for row in own.select("term").distinct().collect()]


def collect_likelihoods(pairs: DataFrame, spec: Spec, totals: ModelTotals) -> Likelihoods:
    """Run the pairs where an event model sums over all terms; return what every class adds."""
    n_classes = len(totals.labels)
    events = events_of(spec)
    nothing = TermCounts(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0), np.zeros(0))
    parameters = {name: event.estimate(nothing, totals.features[name]) for name, event in events.items()}

    def add_up(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        classes = pa.array(range(n_classes), pa.int32())
        for feature, one, _ in estimate_rows(batches, spec, events, totals):
            columns = [pa.repeat(str(feature.name), n_classes), classes, pa.array(one.bias), pa.array(one.norm)]
            yield pa.record_batch(columns, schema=CLASS_SUMS)

    if any(feature.norm or events[str(feature.name)].sums_over_terms for feature in spec.term_features):
        parts = pairs.transform(terms_together).mapInArrow(add_up, spark_schema(CLASS_SUMS))
        sums = parts.groupBy("feature", "class").agg(F.sum("bias").alias("bias"), F.sum("norm").alias("norm"))
        found = {(row["feature"], row["class"]): row for row in sums.collect()}
        for name, one in parameters.items():
            rows = [found.get((name, code)) for code in range(n_classes)]
            bias, norm = (np.array([row[what] if row else 0.0 for row in rows]) for what in ("bias", "norm"))
            parameters[name] = Parameters(one.floor, one.base, one.lift, bias, norm)
    return assemble(spec, totals, parameters)


def terms_together(pairs: DataFrame) -> DataFrame:
    """Return the pairs packed, as ``term_rows`` reads them: those of a term in one partition."""
    return pairs.drop(*MOMENTS).transform(pack_counts).transform(with_terms_together)  # a term has no moments


def term_parameters(pairs: DataFrame, *, spec: Spec, totals: ModelTotals) -> DataFrame:
    """Return a frame of ``schemas.TERM_PARAMETERS``, one row per term of the vocabulary; lazy."""
    events = events_of(spec)

    def estimate(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for feature, _, terms in estimate_rows(batches, spec, events, totals):
            yield pack_terms(str(feature.name), terms)

    return pairs.transform(terms_together).mapInArrow(estimate, spark_schema(TERM_PARAMETERS))


def log_likelihoods(pairs: DataFrame, *, spec: Spec, totals: ModelTotals, likelihoods: Likelihoods) -> DataFrame:
    """Return a frame of ``schemas.LOG_LIKELIHOODS``: every pair, and a row a class for a term it has not seen; lazy."""
    events = events_of(spec)
    of_class = {
        str(feature.name): one
        for feature, one in zip(spec.features, likelihoods.features, strict=True)
        if isinstance(one, FeatureParameters)
    }

    def explode_terms(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for feature, _, terms in estimate_rows(batches, spec, events, totals):
            name = str(feature.name)
            yield log_likelihood_batch(feature, events[name], terms, of_class[name], totals.labels)

    schema = spark_schema(LOG_LIKELIHOODS)
    seen = pairs.transform(terms_together).mapInArrow(explode_terms, schema)
    rows = unseen_log_likelihoods(spec, totals, likelihoods)
    return seen.unionByName(pairs.sparkSession.createDataFrame(rows, schema))
