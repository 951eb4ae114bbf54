"""A scheduled retrain: a batch split, counted, judged and published, by Spark or in this process."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from nbspark.errors import DocumentsError, SpecError
from nbspark.lifecycle.documents import as_table, note_of, require_columns_of
from nbspark.lifecycle.holdout import split_table
from nbspark.lifecycle.retrain import retrain
from nbspark.retrain.judging import judge_in_memory, judge_on_spark
from nbspark.smoothing.totals import require_classes
from nbspark.store.learned import describe_learned, require_date

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbspark.lifecycle.apply import Outcome
    from nbspark.lifecycle.gate import Gate
    from nbspark.lifecycle.retrain import Judge
    from nbspark.store import Store
    from nbspark.store.learned import Learned


def retrain_documents(
    store: Store,
    documents: Any,
    write: Callable[[Any, str], tuple[Learned, Any]],
    *,
    batch: str,
    gate: Gate,
    date: str | None = None,
    holdout: Any = "0.1",
    replace: bool = False,
    again: bool = False,
) -> Outcome:
    """Learn a batch and decide about it: see ``ModelStore.retrain``.

    Parameters
    ----------
    write : callable
        Counts documents and writes the counts to a folder.
    """
    require_date(date)
    share = share_of(holdout)
    learned_from, held_out = (documents, holdout) if share is None else _split(store, documents, share)
    with store.new_batch(batch) as folder:
        try:
            learned, written = write(learned_from, folder)
        except DocumentsError as error:
            if share is None or "nothing to learn" not in str(error):
                raise
            raise DocumentsError(f"without the share {share} that is held out: {error}") from error
        labels = list(learned.class_docs)
        if not store.versions():
            require_classes(store.read_spec(), labels)
        made = describe_learned(store, folder, batch, date, learned, written)
        outcome = retrain(
            store,
            made,
            _judge(store, held_out, gate, labels),
            gate=gate,
            replace=replace,
            again=again,
            holdout={"share": str(share)} if share is not None else {"share": None},
            note=note_of(documents),
        )
        if made not in outcome.version.batches:
            store.files.remove(folder)
    return outcome


def share_of(holdout: Any) -> Fraction | None:
    """Return the share of a batch that is held out, exactly as it is written; None if documents are given.

    >>> share_of(0.1), share_of("1/3"), share_of({"topic": ["ham"]})
    (Fraction(1, 10), Fraction(1, 3), None)
    """
    if not isinstance(holdout, str | int | float | Fraction):
        return None
    try:
        found = Fraction(str(holdout))
    except (ValueError, ZeroDivisionError):
        found = Fraction(0)
    if not 0 < found < 1:
        raise SpecError(f"holdout wants a share between 0 and 1, for example 0.1, or documents, found {holdout!r}.")
    return found


def _split(store: Store, documents: Any, share: Fraction) -> tuple[Any, Any]:
    """Return the documents to learn from, and those to judge on."""
    columns = list(dict.fromkeys(store.read_spec().columns()))
    if hasattr(documents, "mapInArrow"):
        from nbspark.arrays.frame import require_columns
        from nbspark.documents.split import split

        return split(require_columns(documents, columns), columns=columns, share=share)
    return split_table(require_columns_of(as_table(documents), columns), columns=columns, share=share)


def _judge(store: Store, documents: Any, gate: Gate, learned: list[str]) -> Judge:
    """Return who scores documents: Spark, or this process."""
    if hasattr(documents, "mapInArrow"):
        return judge_on_spark(store, documents, gate, learned)
    return judge_in_memory(store, as_table(documents), gate, learned)
