"""Several processes that learn into one model at once; without Spark.

Run as a program, with a folder to work in: prints one JSON object, the batches of the newest version, how many
versions there are, and how many documents they hold.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from nbspark.model_store import ModelStore
from tests.lifecycle.replay import DAYS, train

N_WRITERS = 5
N_BATCHES = 10


def write(path: Path, writer: int) -> None:
    """Learn batches, one after the other."""
    model = ModelStore(path)
    for i in range(N_BATCHES):
        words = f"writer{writer} batch{i}"
        model.learn({"y": ["spam", "ham"], "t": [words, "noon"]}, batch=f"{writer}-{i}")


def main(root: Path) -> None:
    """Let all writers write, each in a process of its own, and print what came of it."""
    path = root / "model"
    train(path, dict(list(DAYS.items())[:1]))
    children = []
    for writer in range(N_WRITERS):
        if not (child := os.fork()):
            write(path, writer)
            os._exit(0)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    model = ModelStore(path)
    model.verify()
    newest = model.versions()[-1]
    print(
        json.dumps(
            {
                "exit codes": codes,
                "batches": sorted(held.batch for one in newest.batches for held in one.holds),
                "versions": len(model.versions()),
                "learned": newest.rows["rows_read"],
                "folders": len(model.store.files.names(f"{model.store.root}/batches")),
            }
        )
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
