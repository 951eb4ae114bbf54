"""A model's files: batches of counts, and the versions that list them.

>>> from nbspark.store import Store, files_for
>>> store = Store.create("models/news", {"label": "topic"}, files_for("models/news"))  # doctest: +SKIP
"""

from nbspark.store.files import FileInfo, Files, LocalFiles, files_for
from nbspark.store.layout import FORMAT, Store
from nbspark.store.versions import COUNTS_FOLDER, Batch, BatchFile, Version

__all__ = [
    "COUNTS_FOLDER",
    "FORMAT",
    "Batch",
    "BatchFile",
    "FileInfo",
    "Files",
    "LocalFiles",
    "Store",
    "Version",
    "files_for",
]
