"""Whether files of counts can be what a version says, from what their footers tell."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from nbspark.counting.facts import N_PAIRS
from nbspark.schemas import COUNTS
from nbspark.store.checksums import THREADS
from nbspark.store.plain import shown
from nbspark.store.versions import twice

if TYPE_CHECKING:
    from nbspark.files.protocol import Files
    from nbspark.store.versions import Batch


class Footer(NamedTuple):
    """What a file of counts says of its rows, or what is wrong with it.

    Attributes
    ----------
    most, fewest : int
        How many rows with a label and a term it can have.
    """

    most: int = 0
    fewest: int = 0
    wrong: str = ""


def impossible_counts(files: Files, folder: str, batch: Batch) -> list[str]:
    """Return a line for each file of a batch that holds no counts, and one if they are more or fewer than is said."""
    names = [file.name for file in batch.files]
    with ThreadPoolExecutor(THREADS) as pool:
        footers = list(pool.map(lambda name: read_footer(files, f"{folder}/{name}"), names))
    wrong = [f"{name}: {footer.wrong}" for name, footer in zip(names, footers, strict=True) if footer.wrong]
    said = batch.rows[N_PAIRS]
    most, fewest = sum(footer.most for footer in footers), sum(footer.fewest for footer in footers)
    if not wrong and not fewest <= said <= most:
        wrong.append(f"{N_PAIRS} {said}, but its files have {most} rows with a term")
    return wrong


def read_footer(files: Files, path: str) -> Footer:
    """Return what a Parquet file says of its rows."""
    try:
        with files.open(path) as file:
            parquet = pq.ParquetFile(file)
            schema, metadata = parquet.schema_arrow, parquet.metadata
    except (pa.ArrowException, OSError) as error:
        return Footer(wrong=f"no Parquet file: {str(error).splitlines()[0].rstrip('.')}")
    if wrong := _wrong_columns(schema):
        return Footer(wrong=wrong)
    n_rows = metadata.num_rows
    n_terms = n_rows - _fewest_nulls(metadata, schema.get_field_index("term"))
    n_labels = n_rows - _fewest_nulls(metadata, schema.get_field_index("label"))
    # Rows without a label are no pairs, though some of them have a term.
    return Footer(most=min(n_terms, n_labels), fewest=n_terms + n_labels - n_rows)


def _wrong_columns(schema: pa.Schema) -> str:
    """Return how columns differ from those of counts."""
    found = {field.name: "string" if pa.types.is_large_string(field.type) else str(field.type) for field in schema}
    wanted = {field.name: str(field.type) for field in COUNTS}
    wrong = [f"no column {name}" for name in wanted if name not in found]
    wrong += [f"unknown column {shown(name)}" for name in found if name not in wanted]
    wrong += [f"{name} is {found[name]}, not {kind}" for name, kind in wanted.items() if found.get(name, kind) != kind]
    wrong += [f"column {shown(name)} twice" for name in twice(schema.names)]
    return ", ".join(wrong)


def _fewest_nulls(metadata: pq.FileMetaData, column: int) -> int:
    """Return how many nulls a column has at least; a writer may leave out to say it."""
    groups = (metadata.row_group(i).column(column).statistics for i in range(metadata.num_row_groups))
    return sum(one.null_count for one in groups if one is not None and one.has_null_count)
