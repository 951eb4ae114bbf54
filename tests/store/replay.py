"""A first training that dies at each of its file-system events in turn, and its retry; without Spark.

Run as a program, with a folder to work in: prints one JSON object, what became of the retries by path and death.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from nbspark import Text
from nbspark.counting.table import CountTable
from nbspark.counting.writing import encode_counts
from nbspark.counts import CountsInMemory
from nbspark.errors import PathError
from nbspark.files.local import LocalFiles
from nbspark.model import Model
from nbspark.schemas import COUNT_FILES
from nbspark.spec import Spec
from nbspark.store import Store
from nbspark.store.frame import Learned, publish_learned
from tests.builders import count_rows, documents
from tests.deaths import dies, watch_this_process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SPEC = Spec("label", (Text("body"),))
COUNTS = count_rows(SPEC, [documents(["spam", "ham", None], ["win win cash", None, "win"])])
# Two files, as of two tasks.
FILES = pa.Table.from_batches(
    [file for half in (COUNTS[:3], COUNTS[3:]) for file in encode_counts(half.combine_chunks().to_batches())],
    COUNT_FILES,
)


class Frame:
    """As much of a DataFrame of count files as a training uses."""

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        self.batches = batches

    def mapInArrow(self, function: Callable[..., Iterator[pa.RecordBatch]], schema: Any) -> Frame:  # noqa: N802
        return Frame(function(self.batches))

    def toArrow(self) -> pa.Table:  # noqa: N802
        return pa.Table.from_batches(list(self.batches))


def learn(path: Path) -> None:
    """Do what `NaiveBayes.learn` does when the documents are counted."""
    store = Store.create(path, SPEC.to_dict(), LocalFiles())
    publish_learned(Frame(iter(FILES.to_batches())), store, SPEC, encode=iter, batch="1")  # type: ignore[arg-type]


def save(path: Path) -> None:
    """Save a fitted model."""
    frame: Any = SimpleNamespace(sparkSession=None)
    counts = CountsInMemory(SPEC, lambda: CountTable.from_arrow(COUNTS), lambda: frame, FILES)
    Model(SPEC, counts, Learned.of(FILES).rows).save(path)


def retry(train: Callable[[Path], None], path: Path) -> str:
    """Train again, and compare the counts with those of a clean run; return what became of it."""
    try:
        train(path)
        found = "succeeded"
    except PathError as error:
        found = "was published" if "there already" in str(error) else str(error)
    store = Store.open(path, LocalFiles())
    assert store.versions() == [1]
    version = store.latest()
    store.verify(version)
    counts = pa.concat_tables([pq.read_table(file) for file, _ in store.local_counts_files(version) or []])
    by_key = [("label", "ascending"), ("feature", "ascending"), ("term", "ascending")]
    assert counts.sort_by(by_key).equals(COUNTS.sort_by(by_key))
    return found


def replay(train: Callable[[Path], None], root: Path, kind: str) -> list[str]:
    """Let a training die at each of its events; return what became of each retry."""
    found: list[str] = []
    while dies(train, path := root / f"model{len(found)}", kind, len(found) + 1):
        found.append(retry(train, path))
        shutil.rmtree(path)
    shutil.rmtree(path)
    return found


def main(root: Path) -> None:
    """Print what became of all retries."""
    watch_this_process()
    kinds = ("killed", "disk full", "interrupted")
    found = {f"{train.__name__}, {kind}": replay(train, root, kind) for kind in kinds for train in (learn, save)}
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
