"""Whether the files of a batch still hold what they held when it was published."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from nbspark.store.versions import BatchFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbspark.files.protocol import Files

THREADS = 8  # that read files: hashlib, Arrow and the JVM all work outside Python's lock


def describe_files(files: Files, folder: str) -> tuple[BatchFile, ...]:
    """Return every file below a folder with its size and SHA-256, sorted by name."""
    infos = files.walk(folder)
    sums = _sha256_of(files, [f"{folder}/{info.path}" for info in infos])
    return tuple(BatchFile(info.path, info.n_bytes, sha256) for info, sha256 in zip(infos, sums, strict=True))


def discrepancies(
    files: Files,
    folder: str,
    listed: Sequence[BatchFile],
    *,
    checksums: bool,
    sizes: Mapping[str, int] | None = None,
) -> list[str]:
    """Return a line for each file below a folder that is missing, not listed, or not what was listed.

    Parameters
    ----------
    sizes : mapping of str to int, optional
        The files that are there, where the folder was listed already.
    """
    if sizes is None:
        sizes = {info.path: info.n_bytes for info in files.walk(folder)}
    names = {file.name for file in listed}
    wrong = [f"{file.name}: missing" for file in listed if file.name not in sizes]
    # Spark reads folders: a file too many would be counted.
    wrong += [f"{name}: not part of the version" for name in sizes if name not in names]
    there = [file for file in listed if file.name in sizes]
    wrong += [f"{file.name}: {sizes[file.name]} bytes, not {file.n_bytes}" for file in there if not _same(file, sizes)]
    if checksums:
        same = [file for file in there if _same(file, sizes)]
        sums = _sha256_of(files, [f"{folder}/{file.name}" for file in same])
        wrong += [
            f"{file.name}: other content of the same size"
            for file, sha256 in zip(same, sums, strict=True)
            if sha256 != file.sha256
        ]
    return wrong


def _same(file: BatchFile, sizes: Mapping[str, int]) -> bool:
    """Say whether a file has its listed size."""
    return sizes[file.name] == file.n_bytes


def _sha256_of(files: Files, paths: Sequence[str]) -> list[str]:
    """Return the SHA-256 of each file, several at a time."""
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(files.sha256, paths))
