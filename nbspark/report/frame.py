"""Mistakes out of scored documents: a few of each pair of labels that are confused, the surest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from nbspark.arrays.frame import NO_SCALAR, column
from nbspark.features.values import as_text
from nbspark.report.content import Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from nbspark.model import Model

PER_PAIR = 3
MOST = 200  # mistakes on a page
TOP = 40  # terms of a document whose place in the text is known
CHARACTERS = 2_000  # of a text that travels to the driver; the page shows fewer


def mistakes(model: Model, documents: DataFrame, *, label: str) -> list[Mistake]:
    """Run the documents: return some that did not get their label, and why.

    Of each (label, prediction) those that the wrong class leads by most; of many pairs one of each before a second,
    and the pairs with the most mistakes first.

    Parameters
    ----------
    documents : DataFrame
        The columns that the model reads, and the label.
    label : str
        The column with the true label.
    """
    texts = {
        str(one.name): one.column
        for one in model.spec.features
        if not isinstance(documents.schema[one.column].dataType, (*NO_SCALAR, T.UserDefinedType))
    }
    keep = list(dict.fromkeys([label, *texts.values()]))
    own = documents.select([column(name) for name in dict.fromkeys([label, *model.spec.columns()])])
    explained = model.explain(own, truth=label, errors_only=True, top=TOP, keep=keep)
    lead = F.coalesce(F.col("explanation.difference"), F.lit(0.0))
    cut = {
        f"text_{i}": F.substring(column(name).cast("string"), 1, CHARACTERS) for i, name in enumerate(texts.values())
    }
    wanted = explained.select(
        column(label).alias("label"), "prediction", "probability", "explanation", lead.alias("lead"),
        *(text.alias(name) for name, text in cut.items()),
    )  # fmt: skip
    order = [F.desc("lead"), F.xxhash64(*cut)]
    pair = Window.partitionBy("label", "prediction")
    numbers = {"rank": F.row_number().over(pair.orderBy(*order)), "n": F.count("*").over(pair)}
    ranked = wanted.withColumns(numbers)
    some = ranked.where(F.col("rank") <= PER_PAIR).orderBy("rank", F.desc("n"), *order).limit(MOST).toArrow()
    labels = as_text(pa.chunked_array(some["label"]).combine_chunks()).to_pylist()
    return [
        Mistake(
            true,
            row["prediction"],
            row["probability"],
            {name: row[f"text_{i}"] or "" for i, name in enumerate(texts)},
            row["explanation"],
        )
        for true, row in zip(labels, some.drop_columns(["label"]).to_pylist(), strict=True)
    ]
