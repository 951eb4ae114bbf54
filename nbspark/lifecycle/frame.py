"""Documents of a frame to the counts that a change brings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nbspark.arrays.frame import column, require_columns, require_scalar
from nbspark.counting.frame import count_files, kernel_columns, partial_counts_of, with_parcels_together
from nbspark.counting.writing import encode_merged
from nbspark.lifecycle.documents import NEW_LABEL
from nbspark.store.frame import write_counts
from nbspark.store.learned import Learned, require_some

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from nbspark.counting.writing import WrittenFile
    from nbspark.spec import Spec
    from nbspark.store import Store


def count_documents(documents: DataFrame, spec: Spec, *, label: str | None = None) -> pa.Table:
    """Run documents: return their counts in this process, ``schemas.COUNT_FILES``."""
    spec = spec if label is None else replace(spec, label=label)
    return documents.transform(partial_counts_of, spec=spec).transform(count_files).toArrow()


def collect_documents(
    documents: DataFrame, spec: Spec, *, label: str | None = None, new: str | None = None
) -> pa.Table:
    """Run documents: return them in this process, as ``lifecycle.documents.kernel_table`` has them."""
    spec = spec if label is None else replace(spec, label=label)
    columns = kernel_columns(documents, spec)
    if new is not None:
        require_columns(documents, [new])
        require_scalar(documents, new, role="label")
        columns.append(column(new).alias(NEW_LABEL))
    return documents.select(*columns).toArrow()


def learn_documents(
    documents: DataFrame, spec: Spec, store: Store, folder: str, *, max_undecodable: float | None = None
) -> tuple[Learned, list[WrittenFile] | None]:
    """Run documents: write their counts to the folder of a new batch."""
    parcels = documents.transform(partial_counts_of, spec=spec).transform(with_parcels_together)
    learned, written = write_counts(parcels, store, folder, encode=encode_merged)
    return require_some(spec, learned, max_undecodable=max_undecodable), written
