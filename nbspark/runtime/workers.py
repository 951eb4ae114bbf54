"""The parent of the Python workers of a short command: pyspark's own, and its workers do without pandas.

pyarrow imports pandas, where that is installed, the first time that it makes an array: a third of the time that a
worker takes to start, for nothing, since no kernel uses it. Only what a command runs in a session that it has started
itself, on files that Spark or nbspark reads, comes to these workers: no function of a user's that may want pandas.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

MODULE = "nbspark.runtime.workers"  # what `spark.python.daemon.module` names


class NoPandas:
    """A finder of modules that says of pandas that it is not installed."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:  # noqa: ARG002 - Python's own signature
        """Find nothing, and raise for pandas, so that nobody else is asked."""
        if name == "pandas":
            raise ModuleNotFoundError("No module named 'pandas': these workers do without", name=name)


def main() -> None:
    """Fork workers, as pyspark's own module does, until Spark ends."""
    from pyspark import daemon

    sys.meta_path.insert(0, NoPandas())
    daemon.manager()


if __name__ == "__main__":
    main()
