"""The workers of a short command do without pandas, and nothing else changes for them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from nbspark.runtime.workers import NoPandas

# What a worker does, in a Python of its own: pyarrow asks for pandas once in its life.
WORKER = """
import sys
from nbspark.runtime.workers import NoPandas
sys.meta_path.insert(0, NoPandas())
import pyarrow as pa
import pyspark.worker
import nbspark.counting.counter, nbspark.counting.writing, nbspark.scoring.kernel
assert pa.array([1, None]).to_pylist() == [1, None]
print("pandas" in sys.modules, "nbspark.model" in sys.modules)
"""


def test_kernels_work_without_pandas_and_do_not_bring_it() -> None:
    done = subprocess.run([sys.executable, "-c", WORKER], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("False False\n", "")


def test_only_pandas_is_said_not_to_be_installed() -> None:
    assert NoPandas().find_spec("pandas_like") is None
    assert NoPandas().find_spec("numpy") is None
    with pytest.raises(ModuleNotFoundError, match="No module named 'pandas'"):
        NoPandas().find_spec("pandas")
