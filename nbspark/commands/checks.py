"""What is checked before Spark starts: paths on a local disk, models, names of columns. No pyspark in it.

What is not on a local disk passes here, and is checked by Spark.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from nbspark.arrays.names import require_equal_columns, require_names
from nbspark.documents.columns import columns_of
from nbspark.documents.encodings import require_encoding
from nbspark.errors import PathError
from nbspark.files.choose import files_for
from nbspark.files.paths import local_matches, require_apart, require_something
from nbspark.files.protocol import scheme_of
from nbspark.store import Store

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from nbspark.spec import Spec

HASHED_BYTES = 100_000_000  # of a model; more than a second of reading is left to the run itself


def is_local(path: str, args: argparse.Namespace) -> bool:
    """Say whether a path is surely on a disk of this machine.

    One without a scheme is on Spark's default file system, which only a site's settings make another than the disk.
    """
    if os.environ.get("SPARK_REMOTE"):
        return False
    return scheme_of(path) == "file" or (not scheme_of(path) and not _may_have_default_file_system(args))


def _may_have_default_file_system(args: argparse.Namespace) -> bool:
    """Say whether Spark's default file system can be another one than the local disk."""
    if "PYSPARK_GATEWAY_PORT" in os.environ:  # spark-submit was given who knows what
        return True
    if "pyspark" in sys.modules:
        from pyspark.sql import SparkSession

        from nbspark.files.hadoop import default_scheme

        session = SparkSession.getActiveSession()
        if session is not None:
            return default_scheme(session) != "file"
    given = [*(key for key, _ in args.conf), os.environ.get("PYSPARK_SUBMIT_ARGS", "")]
    spark_home = os.environ.get("SPARK_HOME")
    folders = [os.environ.get(name) for name in ("SPARK_CONF_DIR", "HADOOP_CONF_DIR", "YARN_CONF_DIR")]
    folders.append(f"{spark_home}/conf" if spark_home else None)
    files = [Path(folder, name) for folder in folders if folder for name in ("core-site.xml", "spark-defaults.conf")]
    given += [file.read_text(encoding="utf-8", errors="replace") for file in files if file.is_file()]
    return any("fs.default" in text for text in given)


def check_documents(args: argparse.Namespace, *, wanted: Sequence[str], asked_by: str) -> None:
    """Raise if there are no documents at a local path, or if they lack a column that is wanted.

    Raises
    ------
    PathError
        There is nothing at a path, or one path is given twice.
    DocumentsError
        A column is missing, of several paths one has other columns, or there is no such encoding.
    """
    if args.encoding is not None:
        require_encoding(args.encoding)
    local = [path for path in args.documents or [] if is_local(path, args)]
    for path in local:
        require_something(path)
    found = Counter(str(match) for path in local for match in local_matches(path) or [path])
    twice = sorted(match for match, n in found.items() if n > 1)
    if twice:
        raise PathError(f"documents: {', '.join(twice)} is given twice, and would count twice. Give it once.")
    read = {path: columns_of(path, args.format, dict(args.option), args.encoding) for path in local}
    columns = {path: names for path, names in read.items() if names is not None}
    for path, names in columns.items():
        require_names(wanted, names, asked_by=asked_by, where=path)
    if len(columns) > 1:
        require_equal_columns({path: dict.fromkeys(names) for path, names in columns.items()})


def check_apart(args: argparse.Namespace, outputs: Mapping[str, str], inputs: Mapping[str, str] | None = None) -> None:
    """Raise if an output is one of the inputs, inside one, or has one inside."""
    paths = args.documents or []
    documents = {"documents" if len(paths) == 1 else f"documents ({i})": path for i, path in enumerate(paths, start=1)}
    require_apart(outputs=outputs, inputs=documents | dict(inputs or {}))


def check_model(path: str, args: argparse.Namespace) -> Spec | None:
    """Return the spec of a local model whose files are all there and whole, or None if it is not local.

    Raises
    ------
    StoreError
        There is no model, or files of it are missing or damaged.
    """
    if not is_local(path, args):
        return None
    store = Store.open(path, files_for(path))
    version = store.to_read(store.latest())
    spec = store.read_spec()
    n_bytes = sum(file.n_bytes for batch in version.batches for file in batch.files)
    store.verify(version, checksums=n_bytes <= HASHED_BYTES)
    return spec


def check_new_model(path: str, spec: Spec, args: argparse.Namespace) -> None:
    """Raise if a model with this spec cannot be made at a path: nothing is there, or what a failed run left.

    Raises
    ------
    PathError
        A model is there, or something else.
    StoreError
        The batch has no proper name.
    """
    if not is_local(path, args):
        return
    files = files_for(path)
    require_unpublished(path, Store.open(path, files).versions() if files.exists(f"{path}/spec.json") else [])
    Store.create(path, spec.resolved().to_dict(), files).new_batch_folder(args.batch)


def require_unpublished(path: str, versions: Sequence[int]) -> None:
    """Raise if a model has versions: training makes a new one."""
    if versions:
        raise PathError(
            f"model {path}: version {versions[-1]} is published there, and a model is never overwritten. To score with "
            f"it: nbspark score --model {path}. To add documents: nbspark learn --model {path} --batch ID. "
            "To train another one give --model a new path, or remove that folder first."
        )
