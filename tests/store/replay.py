"""A first training that dies at each of its file-system events in turn, and its retry; without Spark.

Run as a program, with a folder to work in: prints one JSON object, what became of the retries by path and death.
Python's audit hook tells the events. Before the n-th of them the training is killed, which takes a process of its own,
forked from this one; or the disk is full from then on; or the user interrupts.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import stat
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from nbspark import Text
from nbspark.counting.table import CountTable
from nbspark.counting.writing import encode_counts
from nbspark.counts import CountsInMemory
from nbspark.errors import NbsparkError, PathError
from nbspark.files.local import LocalFiles
from nbspark.model import Model
from nbspark.schemas import COUNT_FILES
from nbspark.spec import Spec
from nbspark.store import Store
from nbspark.store.frame import Learned, publish_learned
from tests.builders import count_rows, documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SPEC = Spec("label", (Text("body"),))
COUNTS = count_rows(SPEC, [documents(["spam", "ham", None], ["win win cash", None, "win"])])
# Two files, as of two tasks.
FILES = pa.Table.from_batches(
    [file for half in (COUNTS[:3], COUNTS[3:]) for file in encode_counts(half.combine_chunks().to_batches())],
    COUNT_FILES,
)

CREATIONS = {"os.mkdir", "os.link", "os.rename", "fsync", "open to write"}
EVENTS = {*CREATIONS, "open", "os.listdir", "os.scandir", "os.remove", "os.rmdir"}


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


class Death:
    """What happens to a training before its file-system event of a number."""

    def __init__(self, kind: str, at: int) -> None:
        self.kind = kind
        self.at = at
        self.n_events = 0

    def meet(self, event: str, fd: int = -1) -> None:
        """Count an event, and die if it is the one; a disk stays full."""
        self.n_events += 1
        if self.kind == "disk full" and self.n_events >= self.at and event in CREATIONS:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "a file")
        if self.n_events == self.at and self.kind == "interrupted":
            raise KeyboardInterrupt
        if self.n_events == self.at and self.kind == "killed":
            if event == "fsync" and stat.S_ISREG(os.fstat(fd).st_mode):
                os.ftruncate(fd, os.fstat(fd).st_size // 2)  # in the middle of writing
            os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def watched(death: Death, path: Path) -> Iterator[None]:
    """Let a death meet the events below a folder."""
    WATCHED.append((death, path))
    try:
        yield
    finally:
        WATCHED.clear()


WATCHED: list[tuple[Death, Path]] = []


def hook(event: str, args: tuple[Any, ...]) -> None:
    """Report an event of Python's own to whoever watches."""
    for death, path in WATCHED:
        is_writing = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR)
        # What lies elsewhere is Python's own business; a relative path is one inside a folder that is being removed.
        if event in EVENTS and isinstance(args[0], str | Path) and Path(path, args[0]).is_relative_to(path):
            death.meet("open to write" if is_writing else event)


def fsync(fd: int) -> None:
    """Count the bringing of a file to the disk, and leave it: nobody pulls the plug here."""
    for death, _ in WATCHED:
        death.meet("fsync", fd)


def dies(train: Callable[[Path], None], path: Path, kind: str, at: int) -> bool:
    """Train, and die before the event of a number; return whether there was such an event."""
    death = Death(kind, at)
    if kind == "killed":
        child = os.fork()
        if child:
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    try:
        with watched(death, path):
            train(path)
    except (NbsparkError, OSError, KeyboardInterrupt):
        pass
    finally:
        if kind == "killed":
            os._exit(0)
    return death.n_events >= at


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
    os.fsync = fsync  # type: ignore[assignment]
    sys.addaudithook(hook)
    kinds = ("killed", "disk full", "interrupted")
    found = {f"{train.__name__}, {kind}": replay(train, root, kind) for kind in kinds for train in (learn, save)}
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
