"""Forgetting: documents are subtracted from the batches that hold them, whose files are written anew without them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.counting.facts import READ
from nbspark.errors import StoreError
from nbspark.features.values import as_text
from nbspark.lifecycle.apart import assign, wanted_apart
from nbspark.lifecycle.apply import Outcome, apply
from nbspark.lifecycle.batches import as_files, count_rows, read_batch, rows_of, write_batch
from nbspark.lifecycle.changes import Change, Unchanged
from nbspark.lifecycle.documents import NEW_LABEL
from nbspark.lifecycle.holding import Wanted
from nbspark.lifecycle.subtract import impossible, labelled, negative, without
from nbspark.schemas import LABEL_COLUMN
from nbspark.store.learned import Learned

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbspark.spec import Spec
    from nbspark.store import Batch, Store, Version

MOST_DOCUMENTS = 10_000  # that are looked for one by one, in this process
COMPACT = "nbspark model compact"


def forget(store: Store, files: pa.Table, documents: Callable[[], pa.Table], *, again: bool = False) -> Outcome:
    """Subtract the counts of documents, ``schemas.COUNT_FILES``, and publish what is left.

    Parameters
    ----------
    documents : callable
        Returns the documents themselves, as ``lifecycle.documents.kernel_table`` has them; asked if no single batch
        holds them all.
    again : bool
        Subtract even if the newest version was made by forgetting the very same documents.

    Raises
    ------
    StoreError
        Some of it was never learned, no batches can be told that hold them, or nothing would be left.
    """
    change = {"kind": "forget", "documents": Learned.of(files).fingerprint}
    return _subtract(store, _Request(rows_of(files), None, documents), change, again=again)


def relabel(
    store: Store, gone: pa.Table, come: pa.Table, documents: Callable[[], pa.Table], *, again: bool = False
) -> Outcome:
    """Subtract the counts of documents under their old labels and add those under the new ones, in one version.

    ``documents`` has both labels: the new ones as ``lifecycle.documents.NEW_LABEL``.
    """
    change = {"kind": "relabel", "from": Learned.of(gone).fingerprint, "to": Learned.of(come).fingerprint}
    return _subtract(store, _Request(rows_of(gone), rows_of(come), documents), change, again=again)


class _Request(NamedTuple):
    """What is to be subtracted and what comes in its place, of all documents together; and the documents."""

    gone: pa.Table
    come: pa.Table | None
    documents: Callable[[], pa.Table]


def _subtract(store: Store, request: _Request, change: dict[str, str], *, again: bool) -> Outcome:
    """Publish the newest version less some counts, and with others."""
    made: dict[tuple[str, str], Batch] = {}  # by what is replaced and by what, for the next try after a lost race

    def write(old: Batch, rows: pa.Table) -> Batch:
        files = as_files(rows.to_batches())
        key = old.folder, Learned.of(files).fingerprint
        if key not in made:
            folder = store.new_batch_folder(old.holds[-1].batch)
            made[key] = write_batch(store, folder, files, learned=old.holds)
        return replace(made[key], weight=old.weight)

    def forgotten(version: Version) -> Change | Unchanged:
        if dict(version.change) == change and not again:
            return Unchanged(f"version {version.version} was made by this very change (--again does it once more)")
        if not any(pc.any(one["label"].is_valid()).as_py() for one in (request.gone, request.come) if one is not None):
            return Unchanged("no document has a label")
        new = _in_one_batch(store, version, request) or _in_several(store, version, request)
        empty = {i for i, rows in new.items() if not pc.any(rows["label"].is_valid()).as_py()}
        if len(empty) == len(version.batches):
            raise StoreError("nothing would be left: a model wants a document or more. Remove its folder.")
        left = [(i, old) for i, old in enumerate(version.batches) if i not in empty]
        return Change(tuple(write(old, new[i]) if i in new else old for i, old in left), change)

    outcome = apply(store, forgotten)
    _remove_unused(store, outcome.version, [f"{store.root}/{one.folder}" for one in made.values()])
    return outcome


def _in_one_batch(store: Store, version: Version, request: _Request) -> dict[int, pa.Table] | None:
    """Return what is left of the newest batch that holds all of the documents, by its place; None if there is none.

    Raises
    ------
    StoreError
        All batches together do not hold them.
    """
    wanted = labelled(request.gone)
    whole = Wanted(wanted, np.zeros(wanted.num_rows, int))
    there = whole.nothing()
    for i in reversed(range(len(version.batches))):
        counts = read_batch(store, version.batches[i])
        held = whole.of(counts)
        there += held
        if whole.held(held)[0] and whole.take(held, [0]):
            rows = without(counts, [negative(wanted), *([] if request.come is None else [request.come])])
            if not impossible(rows):
                return {i: rows}
    if missing := whole.missing(there):
        raise StoreError(
            f"{', '.join(missing)} would fall below zero: some of these documents were never learned. "
            "Nothing was changed."
        )
    return None


def _in_several(store: Store, version: Version, request: _Request) -> dict[int, pa.Table]:
    """Return what is left of each batch that gives documents back, one document at a time, by its place.

    Raises
    ------
    StoreError
        A document is in no batch as a whole, or there are too many to look for each.
    """
    n_documents = int(pc.sum(_of_fact(request.gone, READ)["n_docs"]).as_py())
    if n_documents > MOST_DOCUMENTS:
        raise StoreError(
            f"no single batch holds these {n_documents:,} documents, and up to {MOST_DOCUMENTS:,} are looked for one "
            f"by one. Forget them in parts, or fold the batches first ({COMPACT}). Nothing was changed."
        )
    spec, documents = store.read_spec(), request.documents()
    is_labelled = as_text(documents[LABEL_COLUMN]).is_valid()
    others, documents = documents.filter(pc.invert(is_labelled)), documents.filter(is_labelled)
    batches = version.batches
    taken, left = assign(wanted_apart(spec, documents), [partial(read_batch, store, one) for one in batches])
    if left:
        raise StoreError(
            f"{len(left):,} of {n_documents:,} documents are in no batch as a whole, though all batches together "
            f"have what they count. Fold the batches first ({COMPACT}), then forget. Nothing was changed."
        )
    new = {}
    for i, numbers in enumerate(taken):
        part = documents.take(pa.array(numbers, pa.int64()))
        if request.come is not None and i == len(batches) - 1:
            part = pa.concat_tables([part, others])  # they had no label, and belong to no batch yet
        if not part.num_rows:
            continue
        rows = without(read_batch(store, batches[i]), _changes(spec, part, is_relabel=request.come is not None))
        if wrong := impossible(rows):
            raise StoreError(f"{', '.join(wrong)} would fall below zero in {batches[i].batch!r}. Nothing was changed.")
        new[i] = rows
    return new


def _changes(spec: Spec, documents: pa.Table, *, is_relabel: bool) -> list[pa.Table]:
    """Return what documents take from the counts of their batch, and what they bring under their new labels."""
    found = [negative(labelled(count_rows(spec, documents.to_batches())))]
    if is_relabel:
        place = documents.schema.get_field_index(LABEL_COLUMN)
        found.append(count_rows(spec, documents.set_column(place, LABEL_COLUMN, documents[NEW_LABEL]).to_batches()))
    return found


def _of_fact(counts: pa.Table, fact: str) -> pa.Table:
    """Return the rows of a fact."""
    return counts.filter(pc.and_(counts["label"].is_null(), pc.fill_null(pc.equal(counts["feature"], fact), False)))


def _remove_unused(store: Store, version: Version, folders: list[str]) -> None:
    """Remove the folders that a lost race left without a use."""
    used = {f"{store.root}/{one.folder}" for one in version.batches}
    for folder in folders:
        if folder not in used:
            store.files.remove(folder)
