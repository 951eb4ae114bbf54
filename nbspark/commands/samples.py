"""A few documents, to be looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as T

from nbspark.arrays.frame import column
from nbspark.commands.advice import SAMPLE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from nbspark.spec import Spec

_LONGEST = 500  # characters: the beginning shows the script


def sample_texts(documents: DataFrame, spec: Spec) -> list[dict[str, str | None]]:
    """Run as little as gives some documents, and return the beginnings of their texts by column."""
    names = [name for name in spec.columns() if isinstance(documents.schema[name].dataType, T.StringType)]
    if not names:
        return []
    beginnings = [F.left(column(name), F.lit(_LONGEST)).alias(f"column_{i}") for i, name in enumerate(names)]
    rows = documents.select(beginnings).limit(SAMPLE).collect()
    return [dict(zip(names, row, strict=True)) for row in rows]
