"""What became of scored documents, counted on what was written."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F
from pyspark.sql import types as T

from nbspark.arrays.frame import column
from nbspark.features import Categorical, Numeric
from nbspark.features.values import as_text
from nbspark.schemas import REASON
from nbspark.scoring.thresholds import IMPOSSIBLE
from nbspark.text.normalise import REPLACEMENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import Column, DataFrame

    from nbspark.model import Model


def count_rows(predictions: DataFrame, model: Model, *, abstains: bool = False) -> dict[str, Any]:
    """Run the predictions: return what became of each row, and how many terms were known.

    What only a column that was not kept can tell is left out.

    Parameters
    ----------
    abstains : bool
        Whether predictions may be withheld: ``reason`` says why there is none.
    """
    kept = [one for one in model.spec.features if one.column in predictions.columns]
    can_miss = {str(one.name): one.column for one in kept if isinstance(one, Categorical | Numeric)}
    texts = [told for one in kept if (told := _is_undecodable(predictions, one.column)) is not None]
    undecodable = reduce(or_, texts, F.lit(False))
    impossible = F.col(REASON.name) == IMPOSSIBLE if abstains else F.col("prediction").isNull()
    found = predictions.agg(
        F.count(F.lit(1)).alias("scored"),
        F.count_if(impossible).alias("impossible"),
        F.count_if(F.col("n_terms") == 0).alias("without_terms"),
        F.count_if((F.col("n_terms") > 0) & (F.col("n_known") == 0)).alias("all_unknown"),
        F.count_if(undecodable).alias("undecodable"),
        F.coalesce(F.sum("n_terms"), F.lit(0)).alias("n_terms"),
        F.coalesce(F.sum("n_known"), F.lit(0)).alias("n_known"),
        *(F.count_if(_is_missing(predictions, name)).alias(f"missing.{i}") for i, name in enumerate(can_miss.values())),
    ).collect()[0]
    per_label = predictions.groupBy("prediction").count().orderBy("prediction").collect()
    facts = found.asDict()
    terms = {name: facts.pop(name) for name in ("n_terms", "n_known")}
    if not texts:
        del facts["undecodable"]
    facts["missing"] = {name: facts.pop(f"missing.{i}") for i, name in enumerate(can_miss)}
    facts["unseen"] = count_unseen(predictions, model)
    if abstains:
        missed = predictions.groupBy(REASON.name).count().orderBy(REASON.name).collect()
        facts["withheld"] = {row[0]: row[1] for row in missed if row[0] not in (None, IMPOSSIBLE)}
    predicted = {row["prediction"]: row["count"] for row in per_label if row["prediction"] is not None}
    return {"rows": facts, "terms": terms, "predictions": predicted}


def _is_undecodable(documents: DataFrame, name: str) -> Column | None:
    """Return whether a text, a list of texts or a key of a map holds U+FFFD; None for a column of another type."""
    values, kind = column(name), documents.schema[name].dataType
    if isinstance(kind, T.MapType):
        values, kind = F.map_keys(values), T.ArrayType(kind.keyType)
    if isinstance(kind, T.StringType):
        found = values.contains(REPLACEMENT)
    elif isinstance(kind, T.ArrayType) and isinstance(kind.elementType, T.StringType):
        found = F.exists(values, lambda one: F.coalesce(one.contains(REPLACEMENT), F.lit(False)))
    else:
        return None
    return F.coalesce(found, F.lit(False))


def _is_missing(documents: DataFrame, name: str) -> Column:
    """Return whether a column has no value: null, or NaN."""
    values = column(name)
    if isinstance(documents.schema[name].dataType, T.FloatType | T.DoubleType):
        return values.isNull() | F.isnan(values)
    return values.isNull()


def count_unseen(documents: DataFrame, model: Model) -> dict[str, int]:
    """Run the documents: return for each categorical feature in how many rows its category is none of training's."""
    categorical = [one for one in model.spec.features if isinstance(one, Categorical)]
    columns = {str(one.name): one.column for one in categorical if one.column in documents.columns}
    if not columns:
        return {}

    def count_categories(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for name, values in zip(columns, batch.columns, strict=True):
                found = pc.value_counts(as_text(values).drop_null())
                parts = [pa.repeat(name, len(found)), found.field("values"), found.field("counts")]
                yield pa.record_batch(parts, names=["feature", "term", "n_rows"])

    values = documents.select([column(name).alias(f"column_{i}") for i, name in enumerate(columns.values())])
    categories = values.mapInArrow(count_categories, "feature string, term string, n_rows long")
    seen = model.counts.where(F.col("label").isNotNull() & F.col("term").isNotNull()).select("feature", "term")
    unseen = categories.join(seen, on=["feature", "term"], how="left_anti")
    found = unseen.groupBy("feature").agg(F.sum("n_rows").alias("n")).collect()
    return dict.fromkeys(columns, 0) | {row["feature"]: row["n"] for row in found}
