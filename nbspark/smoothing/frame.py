"""A model that stays a table: its totals, its limited vocabulary and what its terms add, as frames."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from nbspark.arrays.frame import spark_schema
from nbspark.arrays.moments import Moments
from nbspark.counting.frame import pack_counts, with_terms_together
from nbspark.counting.table import CountTable
from nbspark.events import EVENTS, Parameters, TermCounts, Totals
from nbspark.features import Numeric, Terms, Text
from nbspark.schemas import CLASS_SUMS, LOG_LIKELIHOODS, MOMENTS, TERM_PARAMETERS
from nbspark.smoothing.likelihoods import FeatureParameters, Likelihoods, ModelTotals, alphas, assemble, class_factors
from nbspark.smoothing.term_rows import estimate_rows, log_likelihood_batch, pack_terms, unseen_log_likelihoods
from nbspark.smoothing.vocabulary import has_limits, n_docs_bound

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import Column, DataFrame

    from nbspark.features import Categorical, Feature
    from nbspark.spec import Spec


def limited_pairs(counts: DataFrame, spec: Spec) -> DataFrame:
    """Return the pairs of the terms that the features' limits keep: ``vocabulary.limit`` on a frame; lazy."""
    pairs = counts.where(F.col("label").isNotNull() & F.col("term").isNotNull())
    limited = [feature for feature in spec.features if isinstance(feature, Text | Terms) and has_limits(feature)]
    if not limited:
        return pairs
    names = [str(feature.name) for feature in limited]
    kept = [_kept_terms(counts, feature) for feature in limited]
    vocabulary = reduce(lambda left, right: left.unionByName(right), kept)
    free = pairs.where(~F.col("feature").isin(names))
    return free.unionByName(pairs.join(vocabulary, on=["feature", "term"], how="left_semi"))


def _kept_terms(counts: DataFrame, feature: Text | Terms) -> DataFrame:
    """Return a limited feature's vocabulary: one row per term."""
    own = counts.where(F.col("label").isNotNull() & (F.col("feature") == str(feature.name)))
    n_docs = F.broadcast(own.where(F.col("term").isNull()).agg(F.sum("n_docs").alias("all_docs")))
    terms = own.where(F.col("term").isNotNull()).groupBy("feature", "term")
    stats = terms.agg(F.sum("n_tokens").alias("n_tokens"), F.sum("n_docs").alias("n_docs")).crossJoin(n_docs)
    by_rank = [F.desc("n_tokens"), F.asc("term")]
    if feature.drop_top:
        top = stats.orderBy(*by_rank).limit(feature.drop_top).select("feature", "term")
        stats = stats.join(top, on=["feature", "term"], how="left_anti")
    low, high = (_bound(bound, default) for bound, default in ((feature.min_docs, 0.0), (feature.max_docs, np.inf)))
    stats = stats.where((F.col("n_docs") >= low) & (F.col("n_docs") <= high) & (F.col("n_tokens") >= feature.min_count))
    if feature.max_terms is not None:
        stats = stats.orderBy(*by_rank).limit(feature.max_terms)
    return stats.select("feature", "term")


def _bound(bound: float | None, default: float) -> Column:
    """Return a bound as a number of documents."""
    return F.col("all_docs") * bound if isinstance(bound, float) else F.lit(n_docs_bound(bound, 0.0, default))


def collect_totals(counts: DataFrame, pairs: DataFrame, spec: Spec) -> tuple[ModelTotals, np.ndarray | None]:
    """Run the counts: return the totals of a model, and what multiplies each class's counts.

    Parameters
    ----------
    counts : DataFrame of ``schemas.COUNTS``
    pairs : DataFrame
        The pairs of its limited vocabulary.
    """
    small = CountTable.from_arrow(counts.where(F.col("label").isNotNull() & F.col("term").isNull()).toArrow())
    labels = pa.array(small.labels, pa.string())
    factors = class_factors(spec, small.labels, small.docs)
    each = np.ones(len(labels)) if factors is None else factors
    measures = [F.sum(name).alias(name) for name in ("n_tokens", "n_docs")]
    of_class = {
        (row["feature"], row["label"]): row for row in pairs.groupBy("feature", "label").agg(*measures).collect()
    }
    sizes = {
        row["feature"]: row["n_terms"]
        for row in pairs.groupBy("feature").agg(F.count_distinct("term").alias("n_terms")).collect()
    }

    def sums(name: str, measure: str) -> np.ndarray:
        found = [of_class.get((name, label)) for label in small.labels]
        return np.array([row[measure] if row else 0.0 for row in found]) * each

    features, tokens, moments = {}, np.zeros(len(labels)), {}
    for feature in spec.features:
        name = str(feature.name)
        docs = small.features[name].docs * each
        if isinstance(feature, Numeric):
            moments[name] = small.features[name].moments or [Moments()] * len(labels)
        else:
            n_terms = sizes.get(name, 0)
            alpha = _sum_of_alphas(pairs, spec, feature, n_terms)
            features[name] = Totals(sums(name, EVENTS[feature.event].counts), docs, n_terms, alpha)
            tokens = tokens + sums(name, "n_tokens")
    return ModelTotals(small.labels, small.docs * each, tokens, features, moments), factors


def _sum_of_alphas(pairs: DataFrame, spec: Spec, feature: Text | Terms | Categorical, n_terms: int) -> float:
    """Run the pairs if the pseudo-counts are a table: return their sum over the vocabulary."""
    alpha = spec.alpha if feature.alpha is None else feature.alpha
    named = list(alpha) if isinstance(alpha, dict) else []
    found: list[str] = []
    if named:
        own = pairs.where((F.col("feature") == str(feature.name)) & F.col("term").isin(named))
        found = [row["term"] for row in own.select("term").distinct().collect()]
    # A term that cannot be: every other term of the vocabulary has its pseudo-count.
    each = alphas(spec, feature, pa.array([*found, None], pa.string()))
    return float(each[:-1].sum() + (n_terms - len(found)) * each[-1])


def collect_likelihoods(pairs: DataFrame, spec: Spec, totals: ModelTotals, factors: np.ndarray | None) -> Likelihoods:
    """Run the pairs where an event model sums over all terms; return what every class adds."""
    n_classes = len(totals.labels)
    nothing = TermCounts(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0), np.zeros(0))
    parameters = {
        str(feature.name): EVENTS[feature.event].estimate(nothing, totals.features[str(feature.name)])
        for feature in spec.features
        if not isinstance(feature, Numeric)
    }

    def add_up(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        classes = pa.array(range(n_classes), pa.int32())
        for feature, one, _ in estimate_rows(batches, spec, totals, factors):
            columns = [pa.repeat(str(feature.name), n_classes), classes, pa.array(one.bias), pa.array(one.norm)]
            yield pa.record_batch(columns, schema=CLASS_SUMS)

    if any(_sums_over_terms(feature) for feature in spec.features):
        parts = pairs.transform(_terms_together).mapInArrow(add_up, spark_schema(CLASS_SUMS))
        sums = parts.groupBy("feature", "class").agg(F.sum("bias").alias("bias"), F.sum("norm").alias("norm"))
        found = {(row["feature"], row["class"]): row for row in sums.collect()}
        for name, one in parameters.items():
            rows = [found.get((name, code)) for code in range(n_classes)]
            bias, norm = (np.array([row[what] if row else 0.0 for row in rows]) for what in ("bias", "norm"))
            parameters[name] = Parameters(one.floor, one.base, one.lift, bias, norm)
    return assemble(spec, totals, parameters)


def _sums_over_terms(feature: Feature) -> bool:
    """Say whether a feature's event model adds something for terms that a document does not have."""
    return not isinstance(feature, Numeric) and (feature.norm or EVENTS[feature.event].has_bias)


def _terms_together(pairs: DataFrame) -> DataFrame:
    """Return the pairs packed, as ``estimate_rows`` reads them: those of a term in one partition."""
    return pairs.drop(*MOMENTS).transform(pack_counts).transform(with_terms_together)  # a term has no moments


def term_parameters(pairs: DataFrame, *, spec: Spec, totals: ModelTotals, factors: np.ndarray | None) -> DataFrame:
    """Return a frame of ``schemas.TERM_PARAMETERS``, one row per term of the vocabulary; lazy."""

    def estimate(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for feature, _, terms in estimate_rows(batches, spec, totals, factors):
            yield pack_terms(str(feature.name), terms)

    return pairs.transform(_terms_together).mapInArrow(estimate, spark_schema(TERM_PARAMETERS))


def log_likelihoods(
    pairs: DataFrame, *, spec: Spec, totals: ModelTotals, factors: np.ndarray | None, likelihoods: Likelihoods
) -> DataFrame:
    """Return a frame of ``schemas.LOG_LIKELIHOODS``: every pair, and a row a class for a term it has not seen; lazy."""
    of_class = {
        str(feature.name): one
        for feature, one in zip(spec.features, likelihoods.features, strict=True)
        if isinstance(one, FeatureParameters)
    }

    def explode(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for feature, _, terms in estimate_rows(batches, spec, totals, factors):
            yield log_likelihood_batch(feature, terms, of_class[str(feature.name)], totals.labels)

    schema = spark_schema(LOG_LIKELIHOODS)
    seen = pairs.transform(_terms_together).mapInArrow(explode, schema)
    rows = unseen_log_likelihoods(spec, likelihoods)
    return seen.unionByName(pairs.sparkSession.createDataFrame(rows, schema))
