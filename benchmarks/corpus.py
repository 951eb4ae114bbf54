"""Make a labelled corpus of any size: Zipf words, a share of them shifted by class, in Parquet files.

python benchmarks/corpus.py --output build/bench/corpus
python benchmarks/corpus.py --output build/bench/many --classes 5000 --vocabulary 1000000
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

CHUNK = 10_000  # documents made at a time
SHIFT = 1_009  # ranks by which a class's own words are shifted; prime, so that classes do not meet


def make(
    output: Path,
    *,
    documents: int = 200_000,
    tokens: float = 100.0,
    vocabulary: int = 200_000,
    exponent: float = 1.05,
    shifted: float = 0.2,
    classes: int = 20,
    files: int = 8,
    seed: int = 1,
) -> Path:
    """Write the corpus unless it is there, and return its folder: columns ``id``, ``label``, ``text``.

    Parameters
    ----------
    tokens : float
        Mean of the Poisson number of tokens in a document.
    vocabulary, exponent : int, float
        A word of rank r is drawn with probability proportional to r ** -exponent.
    shifted : float
        Share of the tokens whose rank is moved by the class, which is what makes classes differ.
    """
    if (output / "_DONE").exists():
        return output
    output.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(seed)
    cumulative = np.cumsum(np.arange(1, vocabulary + 1) ** -exponent)
    words = pa.array([f"w{rank:x}" for rank in range(vocabulary)], pa.string())
    labels = np.char.add("class", np.arange(classes).astype(str))
    bounds = np.linspace(0, documents, files + 1).astype(int)
    for part, (start, stop) in enumerate(itertools.pairwise(bounds)):
        with pq.ParquetWriter(output / f"part-{part:05d}.parquet", _SCHEMA) as writer:
            for first in range(start, stop, CHUNK):
                ids = np.arange(first, min(first + CHUNK, stop))
                lengths = random.poisson(tokens, len(ids))
                of_class = random.integers(0, classes, len(ids))
                rank = np.searchsorted(cumulative, random.random(lengths.sum()) * cumulative[-1])
                moved = random.random(len(rank)) < shifted
                rank = np.where(moved, (rank + SHIFT * (np.repeat(of_class, lengths) + 1)) % vocabulary, rank)
                tokens_of = pa.ListArray.from_arrays(np.r_[0, np.cumsum(lengths)].astype(np.int32), words.take(rank))
                text = pa.compute.binary_join(tokens_of, " ")
                writer.write_table(pa.table([ids, labels[of_class], text], schema=_SCHEMA))
    (output / "_DONE").touch()
    return output


_SCHEMA = pa.schema([("id", pa.int64()), ("label", pa.string()), ("text", pa.string())])


def main() -> None:
    """Make a corpus of the size asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True)
    for name, default in (("documents", 200_000), ("vocabulary", 200_000), ("classes", 20), ("files", 8), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    for name, default in (("tokens", 100.0), ("exponent", 1.05), ("shifted", 0.2)):
        parser.add_argument(f"--{name}", type=float, default=default)
    print(make(**vars(parser.parse_args())))


if __name__ == "__main__":
    main()
