"""A model's files: batches of counts, and the versions that list them.

>>> from nbspark.files.choose import files_for
>>> from nbspark.store import Store
>>> store = Store.create("models/news", {"label": "topic"}, files_for("models/news"))  # doctest: +SKIP
"""

from nbspark.store.layout import Store
from nbspark.store.spec_file import FORMAT
from nbspark.store.versions import COUNTS_FOLDER, Batch, BatchFile, LearnedBatch, Version

__all__ = ["COUNTS_FOLDER", "FORMAT", "Batch", "BatchFile", "LearnedBatch", "Store", "Version"]
