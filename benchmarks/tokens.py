"""Tokens of real corpora against scikit-learn's, and the speed of the scanner.

    python benchmarks/tokens.py --data DIR [--limit N]

Every folder of DIR is a corpus and every line of its files a text, as the bytes lie on the disk: whatever
encoding they are in, with the labels, quotes and control characters of the file. Archives are opened. Files
in a folder called ``ugly`` are one text each, once as they are and once read as Latin-1. A text is equal when
its terms are the same in the same order. The exit code is 1 unless every text of every row is equal.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import io
import math
import re
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sklearn.feature_extraction.text import CountVectorizer

from nbspark import Text
from nbspark.text import Tokenizer

BATCH = 1_000  # texts compared at a time
DEFAULT = r"(?u)\b\w\w+\b"
AS_WRITTEN: dict[str, Any] = {"normalize": "none", "remove_invisible": False}

# What is compared: our options, scikit-learn's.
ANALYZERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "words": ({"pattern": DEFAULT}, {}),
    "bigrams": ({"pattern": DEFAULT, "ngrams": (1, 2)}, {"ngram_range": (1, 2)}),
    "accents": ({"pattern": DEFAULT, "strip_accents": "unicode"}, {"strip_accents": "unicode"}),
    "char": ({"tokens": "chars", "ngrams": (1, 3), **AS_WRITTEN}, {"analyzer": "char", "ngram_range": (1, 3)}),
    "char_wb": ({"tokens": "chars_wb", "ngrams": (2, 4), **AS_WRITTEN}, {"analyzer": "char_wb", "ngram_range": (2, 4)}),
}


def corpora(data: Path) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Yield the name and the texts of each corpus."""
    for folder in sorted(path for path in data.iterdir() if path.is_dir()):
        yield folder.name, (line for content in contents(folder) for line in content.split(b"\n"))
    for ugly in sorted(data.glob("*/ugly")):
        yield f"{ugly.parent.name} files, raw", contents(ugly)
        yield f"{ugly.parent.name} files, latin-1", (raw.decode("latin-1").encode() for raw in contents(ugly))


def contents(folder: Path) -> Iterator[bytes]:
    """Yield the bytes of every file under a folder, those in archives too; what describes the data is left out."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if "README" in path.name or path.name == "LICENSE":
            continue
        raw = path.read_bytes()
        if ".tar." in path.name:
            with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
                yield from (archive.extractfile(member).read() for member in archive if member.isfile())  # type: ignore[union-attr]
        elif path.suffix == ".zip":
            with zipfile.ZipFile(io.BytesIO(raw)) as zipped:
                yield from (zipped.read(name) for name in zipped.namelist())
        else:
            yield {".bz2": bz2.decompress, ".gz": gzip.decompress}.get(path.suffix, bytes)(raw)


def compare(texts: list[bytes], ours: dict[str, Any], theirs: dict[str, Any]) -> tuple[int, int, float, float]:
    """Return the number of our terms, how many texts have equal terms, and both times in seconds."""
    tokenizer = Tokenizer(Text("text", **ours))
    analyze = CountVectorizer(decode_error="replace", **theirs).build_analyzer()
    n_terms = n_equal = 0
    seconds = their_seconds = 0.0
    for start in range(0, len(texts), BATCH):
        batch = texts[start : start + BATCH]
        array = pa.array(batch, pa.binary()).view(pa.string())
        begin = time.perf_counter()
        terms = tokenizer(array)
        seconds += time.perf_counter() - begin
        begin = time.perf_counter()
        expected = [analyze(text) for text in batch]
        their_seconds += time.perf_counter() - begin
        n_terms += len(terms.values)
        n_equal += sum(one == other for one, other in zip(terms.to_pylist(), expected, strict=True))
    return n_terms, n_equal, seconds, their_seconds


def print_parity(data: Path, limit: int) -> bool:
    """Print one row per corpus and analyzer; return whether every text is equal."""
    print(f"\n{'corpus':<32}{'terms':<10}{'texts':>8}{'tokens':>12}{'equal %':>10}{'nbspark s':>11}{'sklearn s':>11}")
    all_equal = True
    for corpus, lines in corpora(data):
        every = list(lines)
        texts = every[:: max(1, math.ceil(len(every) / limit))]  # from all over the corpus
        for name, (ours, theirs) in ANALYZERS.items():
            n_terms, n_equal, seconds, their_seconds = compare(texts, ours, theirs)
            all_equal &= n_equal == len(texts)
            # Cut, not rounded: 100.00 means all.
            percent = n_equal * 10_000 // max(1, len(texts)) / 100
            print(
                f"{corpus:<32}{name:<10}{len(texts):>8,}{n_terms:>12,}{percent:>10.2f}"
                f"{seconds:>11.2f}{their_seconds:>11.2f}",
                flush=True,
            )
    return all_equal


def print_speed() -> None:
    """Print what the scanner takes for 20,000 documents of 100 ASCII words, beside other ways to do it."""
    random = np.random.default_rng(0)
    letters = random.integers(ord("a"), ord("z") + 1, (100_000, 9), np.uint8)
    words = [row[:size].tobytes().decode() for row, size in zip(letters, random.integers(2, 9, 100_000), strict=True)]
    share = 1 / np.arange(1, 100_001)
    documents = random.choice(words, (20_000, 100), p=share / share.sum())
    texts = pa.array([" ".join(row).capitalize() for row in documents.tolist()])
    rows = texts.to_pylist()
    find_all = re.compile(DEFAULT).findall
    ways: dict[str, Callable[[], object]] = {
        "nbspark, default": partial(Tokenizer(Text("text")), texts),
        "nbspark, scikit-learn's pattern": partial(Tokenizer(Text("text", pattern=DEFAULT)), texts),
        "nbspark, words and bigrams": partial(Tokenizer(Text("text", ngrams=(1, 2))), texts),
        "pyarrow split_pattern_regex": lambda: pc.split_pattern_regex(pc.ascii_lower(texts), r"[^\p{L}\p{N}]+"),
        "re.findall row by row": lambda: [find_all(row.lower()) for row in rows],
    }
    print(f"20,000 documents of 100 ASCII words, {texts.nbytes / 1e6:.1f} MB, best of 5:")
    for name, way in ways.items():
        print(f"  {name:<34}{min(_seconds(way) for _ in range(5)):>8.3f} s")


def _seconds(way: Callable[[], object]) -> float:
    """Return how long one call takes."""
    begin = time.perf_counter()
    way()
    return time.perf_counter() - begin


def main() -> int:
    """Run both; 0 if all terms are equal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder with one folder per corpus")
    parser.add_argument("--limit", type=int, default=20_000, help="texts per corpus")
    args = parser.parse_args()
    print_speed()
    return 0 if print_parity(args.data, args.limit) else 1


if __name__ == "__main__":
    sys.exit(main())
