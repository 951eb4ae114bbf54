"""The join plan: the model stays a table, and each block of documents fetches the terms it needs.

Documents are cut into blocks inside Arrow batches. A block asks for each of its distinct terms once; a join
brings the term's weights; grouped by block, documents and weights meet, and the kernel of the broadcast plan
scores them. A frequent term is one row a block, not one a document, so nothing is skewed, and no worker ever
holds more of the model than one block of documents uses.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as T

from nbspark.counting.counter import gather
from nbspark.features import Numeric
from nbspark.frames import positional
from nbspark.occurrences import reader_of
from nbspark.scoring.columns import added_fields, with_predictions
from nbspark.scoring.term_rows import feature_terms
from nbspark.term_codes import PackedTerms, encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyspark.sql import DataFrame

    from nbspark.features import Feature
    from nbspark.occurrences import Occurrences, Reader
    from nbspark.scoring.kernel import Scorer

SALTS = 64  # documents wait for the join under this many keys a block, so that they spread over partitions


def score_join(
    documents: DataFrame,
    *,
    scorer: Scorer,
    weights: DataFrame,
    features: Sequence[Feature],
    keep: Sequence[str],
    truth: str | None = None,
) -> DataFrame:
    """Return the kept columns with the scorer's added; lazy, one row per document, in no order.

    Parameters
    ----------
    scorer : Scorer
        Holds priors and what every class adds; the terms come from ``weights``.
    weights : DataFrame of ``schemas.WEIGHTS``
    features : sequence of Feature
        In the order of the spec.
    keep : sequence of str
        Columns of the documents to keep.
    truth : str, optional
        The column of the true label; adds ``log_loss``.
    """
    kept = [documents.columns.index(name) for name in keep]
    positions = [documents.columns.index(feature.column) for feature in features]
    truth_position = None if truth is None else documents.columns.index(truth)
    with_terms = {str(feature.name): i for i, feature in enumerate(features) if not isinstance(feature, Numeric)}
    added = added_fields(documents, scorer, truth=truth is not None, kept=keep)
    inputs = positional(documents)

    def split(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        readers = {name: (positions[i], reader_of(features[i])) for name, i in with_terms.items()}
        for table in gather(batches):
            yield from block_rows(table, positions, readers)

    def score(rows: pa.Table) -> pa.Table:
        own = rows.filter(pc.is_valid(rows["document"]))["document"].combine_chunks()
        table = pa.Table.from_arrays([own.field(i) for i in range(own.type.num_fields)], names=own.type.names)
        known = rows.filter(pc.is_valid(rows["base"]))  # documents, and terms that the model does not know, have none
        part = scorer.with_terms(feature_terms(known, list(with_terms)))
        return with_predictions(table, part, positions, truth_position, kept)

    schema = T.StructType(
        [
            T.StructField("block", T.BinaryType()),
            T.StructField("feature", T.StringType()),
            T.StructField("term", T.StringType()),
            T.StructField("document", inputs.schema),
        ]
    )
    blocks = inputs.mapInArrow(split, schema).join(weights, on=["feature", "term"], how="left")
    fields = [*(inputs.schema.fields[i] for i in kept), *added]
    scored = blocks.groupBy("block").applyInArrow(score, T.StructType(fields))
    return scored.toDF(*keep, *(field.name for field in added))


def block_rows(
    table: pa.Table, positions: Sequence[int], readers: Mapping[str, tuple[int, Reader]]
) -> Iterator[pa.RecordBatch]:
    """Yield one block: a row per document, and a row per distinct term of it.

    The block's name is a hash of what its documents say, so a task that runs twice names it alike. Two equal
    blocks share a name and are scored together, which changes nothing: they need the same terms.

    Parameters
    ----------
    positions : sequence of int
        Of the columns of all features.
    readers : mapping of str to (int, Reader)
        Of each feature with a vocabulary, the position of its column and what reads it.
    """
    digest = hashlib.blake2b(digest_size=16)
    for position in positions:
        digest.update(pa.record_batch([table.column(position).combine_chunks()], names=["values"]).serialize())
    block = digest.digest()
    distinct = {
        name: distinct_terms(read(table.column(position).combine_chunks()))
        for name, (position, read) in readers.items()
    }
    own = table.to_struct_array().combine_chunks()
    n = len(own)
    waiting = pa.array([f"{block.hex()}-{i % SALTS}" for i in range(n)], pa.string())
    yield from _rows(block, pa.repeat("", n), waiting, own)
    for name, terms in distinct.items():
        yield from _rows(block, pa.repeat(name, len(terms)), terms, pa.nulls(len(terms), own.type))


def distinct_terms(parts: Iterable[Occurrences]) -> pa.StringArray:
    """Return each term of some documents once."""
    _, terms = encode([PackedTerms.of(part.terms) for part in parts])
    return terms


def _rows(block: bytes, feature: pa.Array, term: pa.Array, document: pa.Array) -> Iterator[pa.RecordBatch]:
    """Yield rows of a block, in batches that Spark holds easily."""
    columns = [pa.repeat(pa.scalar(block, pa.binary()), len(term)), feature, term, document]
    yield from pa.table(columns, names=["block", "feature", "term", "document"]).to_batches(max_chunksize=10_000)
