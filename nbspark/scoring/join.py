"""The join plan: the model stays a table, and each block of documents fetches the terms it needs.

Documents are cut into blocks inside Arrow batches. A block asks for each of its distinct terms once; a join
brings what the term adds; grouped by block, documents and terms meet, and the kernel of the broadcast plan
scores them. A frequent term is one row a block, not one a document, so nothing is skewed, and no worker ever
holds more of the model than one block of documents uses. Documents cross the join as a few rows of bytes.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from nbspark.arrays.batches import gather
from nbspark.arrays.frame import spark_schema
from nbspark.arrays.ngrams import TOKENS, distinct_ngrams
from nbspark.arrays.term_codes import PackedTerms
from nbspark.arrays.zones import in_utc
from nbspark.features.occurrences import reader_of
from nbspark.schemas import BLOCKS
from nbspark.smoothing.term_rows import unpack_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyspark.sql import DataFrame

    from nbspark.features import Feature
    from nbspark.features.occurrences import Occurrences, Reader
    from nbspark.scoring.frame import Columns
    from nbspark.scoring.kernel import Scorer

# The more documents share a block, the fewer rows are joined for each. A block and the terms it needs are in memory.
BLOCK_ROWS = 200_000
BLOCK_BYTES = 64 << 20
PART_BYTES = 4 << 20  # of documents in a row


def score_join(
    documents: DataFrame, *, scorer: Scorer, parameters: DataFrame, features: Sequence[Feature], columns: Columns
) -> DataFrame:
    """Return the kept columns with the scorer's added; lazy, one row per document, in no order.

    Parameters
    ----------
    scorer : Scorer
        Holds priors and what every class adds; the terms come from ``parameters``.
    parameters : DataFrame of ``schemas.TERM_PARAMETERS``
    features : sequence of Feature
        In the order of the spec.
    """
    with_terms = {
        str(feature.name): (position, feature)
        for position, feature in zip(columns.features, features, strict=True)
        if feature.has_terms
    }

    def split(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        readers = {name: (position, reader_of(feature)) for name, (position, feature) in with_terms.items()}
        for table in gather(batches, rows=BLOCK_ROWS, n_bytes=BLOCK_BYTES):
            yield from block_rows(table, columns.features, readers)

    def score(rows: pa.Table) -> pa.Table:
        packed = rows["documents"].drop_null().to_pylist()
        table = pa.concat_tables([pa.ipc.open_stream(part).read_all() for part in packed])
        part = scorer.with_terms(unpack_terms(rows, list(with_terms)))
        scored = pa.concat_tables([columns.with_predictions(some, part) for some in gather(table.to_batches())])
        return in_utc(scored)

    blocks = columns.select(documents).mapInArrow(split, spark_schema(BLOCKS))
    joined = blocks.join(parameters, on=["feature", "term"], how="left")
    scored = joined.groupBy("block").applyInArrow(score, columns.schema(documents, scorer))
    return columns.named(scored, documents)


def block_rows(
    table: pa.Table, positions: Sequence[int], readers: Mapping[str, tuple[int, Reader]]
) -> Iterator[pa.RecordBatch]:
    """Yield one block, ``schemas.BLOCKS``: rows that hold its documents, and a row per distinct term of them.

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
    n_parts = -(-table.nbytes // PART_BYTES)
    rows = max(1, -(-table.num_rows // max(1, n_parts)))
    parts = [_ipc(table.slice(start, rows)) for start in range(0, table.num_rows, rows)]
    # They wait for the join under keys of their own, so that they spread over the partitions.
    waiting = pa.array([f"{block.hex()}-{i}" for i in range(len(parts))], pa.string())
    yield from _rows(block, "", waiting, pa.array(parts, pa.binary()))
    for name, (position, read) in readers.items():
        terms = distinct_terms(read(table.column(position).combine_chunks()))
        yield from _rows(block, name, terms, pa.nulls(len(terms), pa.binary()))


def _ipc(table: pa.Table) -> bytes:
    """Return a table as bytes."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def distinct_terms(parts: Iterable[Occurrences]) -> pa.StringArray:
    """Return each term of some documents once."""
    packed, lengths, sizes = [], [np.zeros(0, np.int64)], TOKENS
    for part in parts:
        packed.append(PackedTerms.of(part.terms))
        lengths.append(np.diff(part.offsets))
        sizes = part.ngrams
    return distinct_ngrams(packed, np.concatenate(lengths), sizes)


def _rows(block: bytes, feature: str, term: pa.Array, documents: pa.Array) -> Iterator[pa.RecordBatch]:
    """Yield rows of a block, in batches that Spark holds easily."""
    n = len(term)
    columns = [pa.repeat(pa.scalar(block, pa.binary()), n), pa.repeat(feature, n), term, documents]
    yield from pa.table(columns, schema=BLOCKS).to_batches(max_chunksize=10_000)
