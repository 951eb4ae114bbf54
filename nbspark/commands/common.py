"""What several commands share: reading their documents, and printing. No pyspark before documents are read."""

from __future__ import annotations

import sys
from functools import reduce
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession


def documents_of(spark: SparkSession, args: argparse.Namespace, *, wanted: Sequence[str], asked_by: str) -> DataFrame:
    """Return the documents that the arguments name, those of several paths united by the names of their columns.

    Raises
    ------
    DocumentsError
        A wanted column is missing; or of several paths, one has other columns or types.
    """
    from nbspark.arrays.names import require_equal_columns, require_names
    from nbspark.documents import read_documents

    read = {
        path: read_documents(
            spark, path=path, table=args.table, format=args.format, options=dict(args.option), encoding=args.encoding
        )
        for path in args.documents or [None]
    }
    for path, documents in read.items():
        require_names(wanted, documents.columns, asked_by=asked_by, where=path or f"table {args.table}")
    if len(read) > 1:
        require_equal_columns({str(path): dict(documents.dtypes) for path, documents in read.items()})
    return reduce(lambda left, right: left.unionByName(right), read.values())


def counted(n: int, noun: str) -> str:
    """Return a number of things.

    >>> counted(1, "row"), counted(1200, "row"), counted(2, "class"), counted(2, "batch")
    ('1 row', '1,200 rows', '2 classes', '2 batches')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}{'es' if noun.endswith(('s', 'ch')) else 's'}"


def each_of(counts: dict[str, int]) -> str:
    """Return counts by name in one line.

    >>> each_of({"dkim": 1200, "length": 3})
    'dkim 1,200, length 3'
    """
    return ", ".join(f"{name} {n:,}" for name, n in counts.items())


def print_facts(facts: dict[str, Any]) -> None:
    """Print one fact a line, their names aligned; a fact without a value is left out."""
    told = {name: value for name, value in facts.items() if value}
    width = max(map(len, told))
    for name, value in told.items():
        print(f"{name:<{width}}  {value}")


def seconds_line(seconds: dict[str, float]) -> str:
    """Return what each step took.

    >>> seconds_line({"start": 4.04, "learn": 2.5})
    'start 4.0, learn 2.5'
    """
    return ", ".join(f"{step} {n:.1f}" for step, n in seconds.items())


def print_warnings(warnings: Sequence[str]) -> None:
    """Print what a person should look at, apart from the summary."""
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
