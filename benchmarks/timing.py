"""The clock of the benchmarks."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def timed(do: Callable[[], Result]) -> tuple[float, Result]:
    """Do something and return the seconds it took, and what it returned."""
    start = time.perf_counter()
    found = do()
    return time.perf_counter() - start, found
