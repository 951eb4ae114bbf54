"""The life of a stored model without Spark: documents in memory, counted in this process by the kernels of the workers.

``nbspark.local`` has these functions under its own name. Each opens the model, makes one new version, and is safe to
call again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark.features.stop_words import resolved
from nbspark.files.choose import files_for
from nbspark.lifecycle.apply import Outcome
from nbspark.lifecycle.batches import count_in_memory
from nbspark.lifecycle.documents import kernel_table
from nbspark.lifecycle.forget import forget as forget_counts
from nbspark.lifecycle.forget import relabel as relabel_counts
from nbspark.lifecycle.learn import learn as learn_batch
from nbspark.store import Store
from nbspark.store.learned import Learned, create_files, publish_first, require_date, require_learned, require_some

if TYPE_CHECKING:
    from os import PathLike

    import pyarrow as pa

    from nbspark.counting.writing import WrittenFile
    from nbspark.spec import Spec


def train(
    spec: Spec,
    documents: Any,
    path: str | PathLike[str],
    *,
    batch: str = "1",
    date: str | None = None,
    max_undecodable: float | None = None,
) -> Outcome:
    """Learn from labelled documents in memory into a new model on disk, without Spark.

    What is on the disk is what ``NaiveBayes.learn`` writes: either may go on with the model.

    Parameters
    ----------
    spec : Spec
        What to learn; a ``NaiveBayes`` is one.
    documents : mapping of columns, list of mappings, Arrow table or pandas frame
    path : str or PathLike
        A new folder.
    batch, date, max_undecodable
        As in ``NaiveBayes.learn``.

    Returns
    -------
    Outcome
        With the version; ``nbspark.local.load(path)`` scores with it.

    Raises
    ------
    DocumentsError, SpecError
        As in ``NaiveBayes.fit``; no model is then left behind.
    PathError
        The path is there already.

    Examples
    --------
    >>> import tempfile
    >>> from nbspark import Text, local
    >>> from nbspark.spec import Spec
    >>> folder = tempfile.TemporaryDirectory()
    >>> mails = {"topic": ["spam", "ham"], "body": ["win cash now", "lunch at noon"]}
    >>> path = f"{folder.name}/mails"
    >>> local.train(Spec("topic", [Text("body")]), mails, path, batch="mon").version.version
    1
    >>> local.learn(path, [{"topic": "ham", "body": "cash for lunch"}], batch="mail-17").version.version
    2
    >>> wrong = [{"topic": "ham", "right": "spam", "body": "cash for lunch"}]
    >>> local.relabel(path, wrong, old="topic", new="right").version.version
    3
    >>> local.load(path).predict(["lunch at noon"])["prediction"].to_pylist()
    ['ham']
    >>> folder.cleanup()
    """
    spec = resolved(spec)
    require_date(date)
    store = Store.create(path, spec.to_dict(), files_for(path))
    files = count(spec, documents)
    learned = require_learned(spec, Learned.of(files), max_undecodable=max_undecodable)
    with store.new_batch(batch) as folder:
        written = create_files(files, store.files, folder)
        version = publish_first(store, folder, batch=batch, learned=learned, written=written, date=date)
    return Outcome(version, changed=True)


def learn(
    path: str | PathLike[str],
    documents: Any,
    *,
    batch: str,
    date: str | None = None,
    replace: bool = False,
    again: bool = False,
    max_undecodable: float | None = None,
) -> Outcome:
    """Add documents in memory to a stored model as a batch; see ``ModelStore.learn``."""
    store = Store.open(path, files_for(path))
    return learn_batch(
        store,
        lambda folder: write_counts(store, documents, folder, max_undecodable=max_undecodable),
        batch=batch,
        date=date,
        replace=replace,
        again=again,
    )


def forget(path: str | PathLike[str], documents: Any, *, again: bool = False) -> Outcome:
    """Subtract documents in memory from a stored model; see ``ModelStore.forget``."""
    store = Store.open(path, files_for(path))
    spec = store.read_spec()
    return forget_counts(store, count(spec, documents), lambda: kernel_table(documents, spec), again=again)


def relabel(path: str | PathLike[str], documents: Any, *, old: str, new: str, again: bool = False) -> Outcome:
    """Take documents in memory from the label in one column to that in another; see ``ModelStore.relabel``."""
    store = Store.open(path, files_for(path))
    spec = store.read_spec()
    gone, come = count(spec, documents, label=old), count(spec, documents, label=new)
    return relabel_counts(store, gone, come, lambda: kernel_table(documents, spec, label=old, new=new), again=again)


def count(spec: Spec, documents: Any, *, label: str | None = None) -> pa.Table:
    """Return the counts of documents in memory, ``schemas.COUNT_FILES``; ``label`` names another column of labels."""
    return count_in_memory(spec, kernel_table(documents, spec, label=label).to_batches())


def write_counts(
    store: Store, documents: Any, folder: str, *, max_undecodable: float | None = None
) -> tuple[Learned, list[WrittenFile]]:
    """Write the counts of documents in memory to the folder of a new batch; return what they hold, and the files."""
    spec = store.read_spec()
    files = count(spec, documents)
    learned = require_some(spec, Learned.of(files), max_undecodable=max_undecodable)
    return learned, create_files(files, store.files, folder)
