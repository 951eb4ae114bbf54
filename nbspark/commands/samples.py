"""A few terms of a model and a few texts of documents, to be looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import functions as F
from pyspark.sql import types as T

from nbspark.arrays.frame import column
from nbspark.files.choose import files_for
from nbspark.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import DataFrame

    from nbspark.model import Model
    from nbspark.spec import Spec

N_TEXTS = 200
N_CHARACTERS = 500  # of a text: the beginning shows the script
N_TERMS = 2_000


def sample_texts(documents: DataFrame, spec: Spec) -> dict[str, list[str | None]]:
    """Run as little as gives some documents, and return the beginnings of their texts by feature."""
    of_text = [one for one in spec.features if isinstance(documents.schema[one.column].dataType, T.StringType)]
    beginnings = [F.left(column(one.column), F.lit(N_CHARACTERS)).alias(f"column_{i}") for i, one in enumerate(of_text)]
    rows = documents.select(beginnings).limit(N_TEXTS).collect() if of_text else []
    return {str(one.name): [row[i] for row in rows] for i, one in enumerate(of_text)}


def sample_terms(model: Model) -> dict[str, list[str | None]]:
    """Return terms of a stored model by feature, from its first files, without Spark; nothing if it is not local."""
    assert model.path is not None
    store = Store.open(model.path, files_for(model.path, model.counts.sparkSession))
    files = store.local_counts_files(store.latest())
    terms: dict[str, list[str | None]] = {}
    n_terms = 0
    for rows in _row_groups([path for path, _ in files or []]):
        # What lies side by side may be alike: some of all parts.
        some = rows.take(pa.array(range(0, len(rows), max(1, len(rows) // N_TERMS)), pa.int64()))
        for row in some.to_pylist():
            if row["label"] is not None and row["term"] is not None:
                terms.setdefault(row["feature"], []).append(row["term"])
                n_terms += 1
        if n_terms >= N_TERMS:
            break
    return terms


def _row_groups(paths: Iterable[str]) -> Iterator[pa.Table]:
    """Yield what stored files hold of terms, part by part."""
    for path in paths:
        with pq.ParquetFile(path) as file:
            for i in range(file.num_row_groups):
                yield file.read_row_group(i, columns=["feature", "term", "label"])
