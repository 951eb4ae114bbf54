"""What several commands share: the arguments that name documents, checks of paths, timing, printing."""

from __future__ import annotations

import argparse
import json
import time
from contextlib import contextmanager
from pathlib import Path
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


def counted(n: int, noun: str) -> str:
    """Return a number of things.

    >>> counted(1, "row"), counted(1200, "row"), counted(2, "class")
    ('1 row', '1,200 rows', '2 classes')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}{'es' if noun.endswith('s') else 's'}"


def each_of(counts: dict[str, int]) -> str:
    """Return counts by name in one line.

    >>> each_of({"dkim": 1200, "length": 3})
    'dkim 1,200, length 3'
    """
    return ", ".join(f"{name} {n:,}" for name, n in counts.items())


def write_json(path: str, content: dict[str, Any]) -> None:
    """Write a file to be read by people and programs, its folder made where there is none."""
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def print_facts(facts: dict[str, Any]) -> None:
    """Print one fact a line, their names aligned."""
    width = max(map(len, facts))
    for name, value in facts.items():
        print(f"{name:<{width}}  {value}")
