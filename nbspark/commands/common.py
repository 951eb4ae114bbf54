"""What several commands share: the arguments that name documents, checks of paths, timing, printing."""

from __future__ import annotations

import argparse
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nbspark.documents import read_documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession


def add_documents(parser: argparse.ArgumentParser, flag: str = "--documents") -> None:
    """Add the arguments that say where documents are and how to read them."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(flag, dest="documents", metavar="PATH", help="a file, a folder or a pattern")
    source.add_argument("--table", metavar="NAME", help="a table of the catalog, for example db.docs")
    parser.add_argument(
        "--format",
        help="parquet, json, csv, text, orc, delta, ..., or folders (DIR/<class>/<file>); by the ending if not given",
    )
    parser.add_argument(
        "--option", action="append", type=key_value, default=[], metavar="KEY=VALUE", help="an option of Spark's reader"
    )
    parser.add_argument("--encoding", help="of csv, json, text and folders; UTF-8 if not given")


def documents_of(spark: SparkSession, args: argparse.Namespace) -> DataFrame:
    """Return the documents that the arguments name."""
    return read_documents(
        spark,
        path=args.documents,
        table=args.table,
        format=args.format,
        options=dict(args.option),
        encoding=args.encoding,
    )


def source_of(args: argparse.Namespace) -> str:
    """Name the documents in a message."""
    return str(args.documents or f"table {args.table}")


def key_value(text: str) -> tuple[str, str]:
    """Return both sides of ``KEY=VALUE``.

    >>> key_value("sep=a=b")
    ('sep', 'a=b')
    """
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"wants KEY=VALUE, found {text!r}")
    return key, value


@contextmanager
def timed(seconds: dict[str, float], step: str) -> Iterator[None]:
    """Note how long a step took, in seconds."""
    start = time.perf_counter()
    yield
    seconds[step] = round(time.perf_counter() - start, 3)


def print_facts(facts: dict[str, Any]) -> None:
    """Print one fact a line, their names aligned."""
    width = max(map(len, facts))
    for name, value in facts.items():
        print(f"{name:<{width}}  {value}")
