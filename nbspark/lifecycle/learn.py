"""Learning a batch into a stored model, whoever counts it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark.lifecycle import changes
from nbspark.lifecycle.apply import Outcome, apply
from nbspark.store.learned import Learned, describe_learned, require_date

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nbspark.counting.writing import WrittenFile
    from nbspark.store import Store


def learn(
    store: Store,
    write: Callable[[str], tuple[Learned, list[WrittenFile] | None]],
    *,
    batch: str,
    date: str | None = None,
    replace: bool = False,
    again: bool = False,
    note: Mapping[str, Any] | None = None,
) -> Outcome:
    """Add a batch to a model; its cost is that of the batch.

    Parameters
    ----------
    write : callable
        Writes the counts of the documents to the folder that it is given. Returns what they hold, and the files; None
        in their place where Spark wrote them.
    batch, date, replace, again
        As in ``ModelStore.learn``.
    note : mapping, optional
        What the version says besides.
    """
    require_date(date)
    with store.new_batch(batch) as folder:
        learned, written = write(folder)
        made = describe_learned(store, folder, batch, date, learned, written)
        outcome = apply(store, lambda version: changes.add(version, made, replacing=replace, again=again), note=note)
        if not outcome.changed:
            store.files.remove(folder)
    return outcome
