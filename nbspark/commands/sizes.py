"""How much a command is going to read, as far as the local disk can tell before Spark starts. No pyspark in it."""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING

from nbspark.commands.checks import is_local
from nbspark.documents.formats import ENDINGS
from nbspark.files.paths import local_matches

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path

SHORT_BYTES = 32_000_000  # of files: docs/performance.md has the times; the best compiler pays from some 100 MB on
SHORT_FILES = 10_000  # more are not looked at one by one
_FORMATS = {None, "folders", *ENDINGS.values()}  # read without anybody else's Python


def is_short(args: argparse.Namespace) -> bool:
    """Say whether a command surely reads little: files on the local disk, of a format that is known, and small.

    The documents count and the model, compressed or not.
    """
    documents = getattr(args, "documents", None)
    model = getattr(args, "model", None)
    paths = [*(documents or ()), *([model] if model else ())]
    if not documents or args.format not in _FORMATS or not all(is_local(path, args) for path in paths):
        return False
    matches = [local_matches(path) for path in paths]
    sizes = [size for found in matches for match in found or () for size in _sizes(match)]
    return None not in matches and len(sizes) <= SHORT_FILES and sum(sizes) <= SHORT_BYTES


def _sizes(path: Path) -> list[int]:
    """Return the sizes of a file, or of the first files of a folder: one more than a short command may have."""
    return list(islice(_walk(path), SHORT_FILES + 1))


def _walk(path: Path) -> Iterator[int]:
    """Yield the sizes of a file, or of the files of a folder, links followed."""
    if path.is_dir():
        for folder, _, names in os.walk(path, followlinks=True):
            for name in names:
                yield _size(os.path.join(folder, name))  # noqa: PTH118 - of ten thousand files
    elif path.exists():
        yield _size(os.fspath(path))


def _size(path: str) -> int:
    """Return the size of a file, 0 where it has gone or is a link to nothing."""
    try:
        return os.stat(path).st_size  # noqa: PTH116 - of ten thousand files
    except OSError:
        return 0
