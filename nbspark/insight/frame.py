"""What is found where documents and terms are, and told in this process: best terms, facts about documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from nbspark.arrays.frame import column, spark_schema
from nbspark.counting.frame import kernel_columns, merge_partial, partial_counts_of
from nbspark.features import Text
from nbspark.insight.giveaways import giveaways
from nbspark.insight.quality import Observed, findings, merge_findings
from nbspark.insight.top_terms import ranked
from nbspark.insight.verdicts import NearDuplicates
from nbspark.schemas import FINDINGS, GIVEAWAYS, TOP_TERMS
from nbspark.smoothing.frame import terms_together
from nbspark.smoothing.term_rows import counts_in_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from nbspark.insight.top_terms import Ranking
    from nbspark.spec import Spec


def collect_top_terms(pairs: DataFrame, spec: Spec, ranking: Ranking, *, n: int, label: str | None) -> pa.Table:
    """Run the pairs of a model: return the terms that say most for each class, ``schemas.TOP_TERMS``."""

    def rank(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for feature, counts in counts_in_rows(batches, spec, ranking.labels, None):
            yield from ranking.best(feature, counts).to_batches()

    best = pairs.transform(terms_together).mapInArrow(rank, spark_schema(TOP_TERMS)).toArrow()
    return ranked(best.cast(TOP_TERMS), n=n, label=label)


def observe(documents: DataFrame, spec: Spec) -> Observed:
    """Run the documents: return what they are like, in one pass and one shuffle of a row a document."""

    def find(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return findings(batches, spec)

    rows = documents.select(*kernel_columns(documents, spec)).mapInArrow(find, spark_schema(FINDINGS))
    together = rows.repartition("kind", "column", "key")
    return Observed().add(together.mapInArrow(merge_findings, spark_schema(FINDINGS)).toArrow())


def giveaways_of(documents: DataFrame, spec: Spec, class_docs: Mapping[str, float]) -> pa.Table:
    """Run the documents: return the ``schemas.GIVEAWAYS`` among their terms and categories."""

    def find(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return giveaways(batches, class_docs)

    counts = documents.transform(partial_counts_of, spec=spec).transform(merge_partial)
    return counts.mapInArrow(find, spark_schema(GIVEAWAYS)).toArrow().cast(GIVEAWAYS)


SHINGLE = 5  # characters: of any script, words or not
LONGEST = 2_000  # characters of a document that are compared
BITS = 18  # of a shingle's hash
TABLES = 4  # MinHash functions: of documents as similar as asked for at least 0.998 share one (1 - 0.2^4)


def near_duplicates_of(documents: DataFrame, spec: Spec, *, similarity: float, n: int = 5) -> NearDuplicates:
    """Run the documents: return how many pairs of distinct texts have nearly the same shingles of characters.

    Parameters
    ----------
    similarity : float
        Jaccard, of the sets of shingles, at least.
    n : int
        How many pairs to show.
    """
    from pyspark.ml.feature import HashingTF, MinHashLSH

    texts = [F.coalesce(column(one.column), F.lit("")) for one in spec.features if isinstance(one, Text)]
    whole = F.concat_ws(" ", *texts)
    plain = F.substring(F.trim(F.regexp_replace(F.lower(whole), r"\s+", " ")), 1, LONGEST)
    label = column(spec.label).cast("string").alias("label")
    # Equal ones are counted elsewhere; a text with several labels is a pair of documents.
    distinct = documents.select(plain.alias("text"), label).distinct().where(F.length("text") >= SHINGLE)
    starts = F.sequence(F.lit(1), F.length("text") - F.lit(SHINGLE - 1))
    shingles = F.transform(starts, lambda i: F.substring(F.col("text"), i, F.lit(SHINGLE)))
    hashed = HashingTF(inputCol="shingles", outputCol="features", numFeatures=1 << BITS, binary=True)
    vectors = hashed.transform(distinct.withColumn("shingles", shingles)).drop("shingles")
    hashing = MinHashLSH(inputCol="features", outputCol="hashes", numHashTables=TABLES, seed=1).fit(vectors)
    pairs = hashing.approxSimilarityJoin(vectors, vectors, 1.0 - similarity, distCol="distance")
    one, other = F.struct("datasetA.text", "datasetA.label"), F.struct("datasetB.text", "datasetB.label")
    pairs = pairs.where(F.col("datasetA.text") < F.col("datasetB.text"))
    differ = F.coalesce(F.col("datasetA.label") != F.col("datasetB.label"), F.lit(False))
    found = pairs.select(
        one.alias("one"), other.alias("other"), differ.alias("differ"), (1 - F.col("distance")).alias("s")
    )
    counted = F.count_if("differ").alias("n_conflicting")
    found = found.cache()  # or the join would run for the examples again
    try:
        each = found.select(F.explode(F.array("one", "other")).alias("text"), "differ")  # two rows a pair
        total = each.agg(F.count(F.lit(1)).alias("n"), counted, F.count_distinct("text").alias("n_docs")).collect()[0]
        rows = found.orderBy(F.desc("differ"), F.desc("s"), "one", "other").limit(n).collect()
    finally:
        found.unpersist()
    shown = [(row["one"]["text"], row["one"]["label"], row["other"]["text"], row["other"]["label"]) for row in rows]
    return NearDuplicates(total["n_docs"], total["n"] // 2, total["n_conflicting"] // 2, similarity, shown)
