"""Readers of tables: categories and numbers, "?" is null."""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from corpora.base import Corpus

ADULT = (
    "age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation", "relationship",
    "race", "sex", "capital_gain", "capital_loss", "hours_per_week", "native_country",
)  # fmt: skip
ADULT_NUMBERS = ("age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week")


def adult(folder: Path) -> Corpus:
    """`adult.data.gz`: Kohavi and Becker (1996), UCI; 6 numbers and 8 categories, "?" is null."""
    content = gzip.decompress((folder / "adult.data.gz").read_bytes()).decode("ascii")
    corpus = _of_values(_cells(content), ADULT)  # the last line is empty
    for name in ADULT_NUMBERS:
        corpus.columns[name] = corpus.columns[name].cast(pa.float64())
    return corpus


def adult_complete(folder: Path) -> Corpus:
    """`adult.data.gz`: the same, only rows without a null, as the published figure."""
    every = adult(folder)
    keep = pa.array(np.all([column.is_valid() for column in every.columns.values()], axis=0))
    columns = {name: column.filter(keep) for name, column in every.columns.items()}
    return replace(every, columns=columns, labels=every.labels.filter(keep))


def mushroom(folder: Path) -> Corpus:
    """`agaricus-lepiota.data`: UCI; the class comes first."""
    cells = _cells((folder / "agaricus-lepiota.data").read_text(encoding="ascii"))
    return _of_values([[*row[1:], row[0]] for row in cells])


def car(folder: Path) -> Corpus:
    """`car.data`: UCI; the class comes last."""
    return _of_values(_cells((folder / "car.data").read_text(encoding="ascii")))


def arff(name: str) -> Callable[[Path], Corpus]:
    """Return the reader of arff/<name>.arff, the class last."""

    def read(folder: Path) -> Corpus:
        """`arff/NAME.arff`: UCI, in the format of WEKA; the class comes last."""
        # CRLF, comments with %, values in single quotes and blanks after commas.
        content = (folder / "arff" / f"{name}.arff").read_text(encoding="latin-1").replace("\r\n", "\n")
        [_, data] = re.split(r"^@data.*$", content, flags=re.MULTILINE | re.IGNORECASE)
        return _of_values(_cells(re.sub(r"^%.*$", "", data, flags=re.MULTILINE)))

    return read


def _cells(content: str) -> list[list[str]]:
    """Return the values of comma-separated rows; an empty line is no row."""
    rows = csv.reader(io.StringIO(content), skipinitialspace=True, quotechar="'")
    return [[value.strip() for value in row] for row in rows if row]


def _of_values(rows: Sequence[list[str]], names: Sequence[str] | None = None) -> Corpus:
    """Return a corpus of columns, the class last; "?" is null."""
    names = names or [f"a{i}" for i in range(1, len(rows[0]))]
    whole = [row for row in rows if len(row) == len(names) + 1]
    *columns, labels = zip(*whole, strict=True)
    arrays = [pa.array([None if value == "?" else value for value in column]) for column in columns]
    return Corpus(dict(zip(names, arrays, strict=True)), pa.array(labels), n_unread=len(rows) - len(whole))
