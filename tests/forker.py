"""The parent of the tests' Python workers: it imports what they need once, and each of them is a fork of it.

A worker ends with every job that fails or leaves rows unread, and the next one would begin with all of its imports.
"""

from __future__ import annotations

import importlib
import os

from pyspark import daemon

MODULES = [
    "pyspark.worker",
    "pandas",  # pyarrow imports it with its first array
    "nbspark.counting.writing",
    "nbspark.evaluation.frame",
    "nbspark.insight.frame",
    "nbspark.scoring.kernel",
    "nbspark.smoothing.frame",
]

if __name__ == "__main__":
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # what is forked should have no threads
    for name in MODULES:
        importlib.import_module(name)
    daemon.manager()
