"""What some counts hold, whether it can be a model, and counts in memory as the files of a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from nbspark.counting.facts import MISSING, READ, UNDECODABLE, UNLABELLED, add_up, class_docs, facts_of
from nbspark.counting.fingerprint import add_fingerprints
from nbspark.counting.writing import WrittenFile, part_name
from nbspark.errors import DocumentsError, StoreError
from nbspark.files.protocol import create_once
from nbspark.smoothing.totals import require_classes
from nbspark.store.versions import COUNTS_FOLDER, LearnedBatch, is_date

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from nbspark.files.protocol import Files
    from nbspark.spec import Spec
    from nbspark.store.layout import Store
    from nbspark.store.versions import Batch, Version


class Learned(NamedTuple):
    """What is in some counts.

    Attributes
    ----------
    rows : dict of str to int
        What became of the rows read, by ``counting.facts.ROW_FACTS``, and ``n_pairs``; rows in which a feature was
        missing are under ``missing.FEATURE``.
    class_docs : dict of str to float
        Documents of each class.
    fingerprint : str
        See ``counting.fingerprint``.
    """

    rows: dict[str, int]
    class_docs: dict[str, float]
    fingerprint: str

    @classmethod
    def of(cls, files: pa.Table) -> Learned:
        """Return what is in files of ``schemas.WRITTEN``."""
        facts = facts_of(files)
        return cls(add_up(facts), class_docs(facts), add_fingerprints(files["fingerprint"].to_pylist()))


def require_learned(spec: Spec, learned: Learned, *, max_undecodable: float | None = None) -> Learned:
    """Return what a new model learned, or raise an error if it is nothing, or if a prior does not fit the classes.

    Parameters
    ----------
    max_undecodable : float, optional
        The largest share of learned documents that may hold U+FFFD.

    Raises
    ------
    DocumentsError
        No row has a label, no labelled row has a term or a number, or too many documents are undecodable.
    SpecError
        A given prior or class weight lacks a class, or names one that no document has.
    """
    require_some(spec, learned, max_undecodable=max_undecodable)
    require_classes(spec, list(learned.class_docs))
    return learned


def require_some(spec: Spec, learned: Learned, *, max_undecodable: float | None = None) -> Learned:
    """Return what was learned, or raise DocumentsError if it is nothing, or too much of it is undecodable."""
    rows = learned.rows
    n_learned = rows[READ] - rows[UNLABELLED]
    if not n_learned:
        raise DocumentsError(
            f"documents: no row has a label ({rows[READ]:,} read), so there is nothing to learn. "
            "Check the label column."
        )
    numbers = [one for one in spec.numeric_features if rows[f"{MISSING}.{one.name}"] < n_learned]
    if not rows["n_pairs"] and not numbers:
        raise DocumentsError(
            f"documents: no term and no number in any of {n_learned:,} labelled rows. "
            "Check the feature columns and the tokenizer's options."
        )
    _require_decodable(rows, max_undecodable)
    return learned


def _require_decodable(rows: Mapping[str, int], limit: float | None) -> None:
    """Raise an error if too many of the learned documents hold U+FFFD."""
    n_learned = rows[READ] - rows[UNLABELLED]
    if limit is not None and rows[UNDECODABLE] > limit * n_learned:
        raise DocumentsError(
            f"documents: {rows[UNDECODABLE]:,} of {n_learned:,} hold U+FFFD, which stands for bytes that are not valid "
            "in the encoding. Read them in the encoding they have (--encoding gb18030, cp1252, ...), or learn them "
            "as they are (--allow-undecodable; in Python max_undecodable=1.0)."
        )


def create_files(counts: pa.Table, files: Files, folder: str) -> list[WrittenFile]:
    """Write counts in memory, ``schemas.COUNT_FILES``, to a batch's folder, on any file system."""
    written = []
    for i, row in enumerate(counts.select(["n_bytes", "sha256", "content"]).to_pylist()):
        written.append(WrittenFile(part_name(i), row["n_bytes"], row["sha256"]))
        create_once(files, f"{folder}/{COUNTS_FOLDER}/{written[-1].name}", row["content"])
    return written


def describe_learned(
    store: Store, folder: str, batch: str, date: str | None, learned: Learned, written: list[WrittenFile] | None
) -> Batch:
    """Return a batch whose counts were written to its folder."""
    entry = LearnedBatch(batch, date, learned.fingerprint)
    return store.describe_batch(batch, folder, learned.rows, written=written, learned=[entry])


def require_date(date: str | None) -> str | None:
    """Return the day of a batch, or raise StoreError if it is none."""
    if date is not None and not is_date(date):
        raise StoreError(f"date {date!r}: wants a day as YYYY-MM-DD, for example 2026-11-29.")
    return date


def publish_first(
    store: Store,
    folder: str,
    *,
    batch: str,
    learned: Learned,
    written: list[WrittenFile] | None,
    date: str | None = None,
    note: Mapping[str, Any] | None = None,
) -> Version:
    """Publish a batch's folder as the first version of a new model."""
    made = describe_learned(store, folder, batch, date, learned, written)
    return store.publish([made], note=note or {}, change={"kind": "train", "batch": batch})
