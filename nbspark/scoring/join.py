"""The join plan: the model stays a table, and each block of documents fetches the terms it needs.

Documents are cut into blocks inside Arrow batches. A block asks for each of its distinct terms once; a join
brings the term's weights; grouped by block, documents and weights meet, and the kernel of the broadcast plan
scores them. A frequent term is one row a block, not one a document, so nothing is skewed, and no worker ever
holds more of the model than one block of documents uses.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F
from pyspark.sql import types as T

from nbspark.counting import gather
from nbspark.frames import positional, spark_schema
from nbspark.likelihoods import FeatureTerms, ModelTotals, weigh_rows
from nbspark.schemas import WEIGHTS
from nbspark.scoring.columns import added_fields, with_predictions
from nbspark.text import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame

    from nbspark.features import Feature
    from nbspark.scoring.kernel import Scorer
    from nbspark.spec import Spec

SALTS = 64  # documents wait for the join under this many keys a block, so that they spread over partitions


def term_weights(counts: DataFrame, *, spec: Spec, totals: ModelTotals) -> DataFrame:
    """Return a frame of ``schemas.WEIGHTS``, one row per term of the vocabulary; lazy.

    Parameters
    ----------
    counts : DataFrame of ``schemas.COUNTS``
    """
    pairs = counts.where(F.col("label").isNotNull() & F.col("term").isNotNull())
    packed = pairs.groupBy("feature", "term").agg(
        F.sort_array(F.collect_list(F.struct("label", "n_tokens", "n_docs"))).alias("pairs")
    )

    def weigh(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from weigh_rows(spec, totals, batch)

    return packed.mapInArrow(weigh, spark_schema(WEIGHTS))


def score_join(
    documents: DataFrame,
    *,
    scorer: Scorer,
    weights: DataFrame,
    features: Sequence[Feature],
    truth: str | None = None,
) -> DataFrame:
    """Return ``documents`` with the scorer's columns added; lazy, one row per document, in no order.

    Parameters
    ----------
    scorer : Scorer
        Holds priors and what every class adds; the terms come from ``weights``.
    weights : DataFrame of ``schemas.WEIGHTS``
    features : sequence of Feature
        In the order of the spec.
    truth : str, optional
        The column of the true label; adds ``log_loss``.
    """
    positions = [documents.columns.index(feature.column) for feature in features]
    truth_position = None if truth is None else documents.columns.index(truth)
    names = [str(feature.name) for feature in features]
    added = added_fields(documents, scorer, truth=truth is not None)
    inputs = positional(documents)

    def split(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        readers = [Tokenizer(feature) for feature in features]
        for table in gather(batches):
            yield from block_rows(table, positions, names, readers)

    def score(rows: pa.Table) -> pa.Table:
        own = rows.filter(pc.is_valid(rows["document"]))["document"].combine_chunks()
        table = pa.Table.from_arrays([own.field(i) for i in range(own.type.num_fields)], names=own.type.names)
        asked = rows.filter(pc.is_valid(rows["base"]))  # documents, and terms that the model does not know, have none
        return with_predictions(table, scorer.with_terms(block_weights(asked, names)), positions, truth_position)

    schema = T.StructType(
        [
            T.StructField("block", T.BinaryType()),
            T.StructField("feature", T.StringType()),
            T.StructField("term", T.StringType()),
            T.StructField("document", inputs.schema),
        ]
    )
    blocks = inputs.mapInArrow(split, schema).join(weights, on=["feature", "term"], how="left")
    scored = blocks.groupBy("block").applyInArrow(score, T.StructType([*inputs.schema.fields, *added]))
    return scored.toDF(*documents.columns, *(field.name for field in added))


def block_rows(
    table: pa.Table, positions: Sequence[int], names: Sequence[str], readers: Sequence[Tokenizer]
) -> Iterator[pa.RecordBatch]:
    """Yield one block: a row per document, and a row per distinct term of it.

    The block's name is a hash of what its documents say, so a task that runs twice names it alike. Two equal
    blocks share a name and are scored together, which changes nothing: they need the same terms.
    """
    digest = hashlib.blake2b(digest_size=16)
    distinct = []
    for position, read in zip(positions, readers, strict=True):
        values = table.column(position).combine_chunks()
        digest.update(pa.record_batch([values], names=["values"]).serialize())
        distinct.append(read(values).values.unique())
    block = digest.digest()
    own = table.to_struct_array().combine_chunks()
    n = len(own)
    waiting = pa.array([f"{block.hex()}-{i % SALTS}" for i in range(n)], pa.string())
    yield from _rows(block, pa.repeat("", n), waiting, own)
    for name, terms in zip(names, distinct, strict=True):
        yield from _rows(block, pa.repeat(name, len(terms)), terms, pa.nulls(len(terms), own.type))


def _rows(block: bytes, feature: pa.Array, term: pa.Array, document: pa.Array) -> Iterator[pa.RecordBatch]:
    """Yield rows of a block, in batches that Spark holds easily."""
    columns = [pa.repeat(pa.scalar(block, pa.binary()), len(term)), feature, term, document]
    yield from pa.table(columns, names=["block", "feature", "term", "document"]).to_batches(max_chunksize=10_000)


def block_weights(asked: pa.Table, names: Sequence[str]) -> list[FeatureTerms]:
    """Return each feature's known terms in a block, with what scoring adds for them."""
    out = []
    for name in names:
        part = asked.filter(pc.equal(asked["feature"], name)).combine_chunks()
        lifts = part["lift"].combine_chunks()
        out.append(
            FeatureTerms(
                terms=part["term"].combine_chunks(),
                indptr=np.r_[0, np.cumsum(pc.list_value_length(lifts).to_numpy())],
                classes=part["classes"].combine_chunks().flatten().to_numpy(),
                lift=lifts.flatten().to_numpy(),
                base=part["base"].to_numpy(),
            )
        )
    return out
