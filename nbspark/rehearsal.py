"""Each command once, on a handful of documents: the run whose classes ``nbspark.runtime.archive`` keeps.

``python -m nbspark.rehearsal DIR`` leaves its files in the folder DIR.
"""

from __future__ import annotations

import sys
from pathlib import Path

from nbspark.cli import main

DOCUMENTS = "label,text\n" + "spam,win cash now\nham,lunch at noon\n" * 3


def rehearse(folder: str) -> int:
    """Train from CSV, score to Parquet and evaluate in one session; return the first exit code that is not 0."""
    documents, model, scored = (str(Path(folder, name)) for name in ("docs.csv", "model", "scored"))
    Path(documents).write_text(DOCUMENTS, encoding="utf-8")
    return (
        main(["train", "--documents", documents, "--label", "label", "--text", "text", "--model", model])
        or main(["score", "--documents", documents, "--model", model, "--output", scored, "--probabilities"])
        or main(["evaluate", "--predictions", scored, "--label", "label", "--model", model])
    )


if __name__ == "__main__":
    sys.exit(rehearse(sys.argv[1]))
