"""What two models said of the same documents, counted: the combiner of each Arrow batch, and what the table tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from nbspark.evaluation.paired.resampling import Resampled
from nbspark.evaluation.tallies import STEPS
from nbspark.features.values import as_text
from nbspark.schemas import CONFUSION, PAIRED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CHAMPION, CHALLENGER = "champion", "challenger"
KEYS = ("replicate", "label", CHAMPION, CHALLENGER)
SUMS = tuple(name for name in PAIRED.names if name not in KEYS)
# What is counted: the true label, each model's prediction and loss in nats, and a hash of the document's content.
SCORED = ("label", CHAMPION, "champion_log_loss", CHALLENGER, "challenger_log_loss", "document")


def count_pairs(scored: Iterable[pa.RecordBatch], *, replicates: int = 0) -> Iterator[pa.RecordBatch]:
    """Yield the ``schemas.PAIRED`` of batches of documents.

    Parameters
    ----------
    scored : iterable of RecordBatch
        The columns ``SCORED``.
    replicates : int
        How often the documents are resampled; 0 for not at all. These rows come once, at the end.

    Examples
    --------
    >>> batch = pa.record_batch({"label": ["spam", "spam"], "champion": ["spam", "ham"], "champion_log_loss": [0.5, 2.],
    ...     "challenger": ["spam", "spam"], "challenger_log_loss": [0.25, 0.5], "document": [7, 8]})
    >>> for row in next(count_pairs([batch])).to_pylist():
    ...     print(*row.values())
    None spam spam spam 1 0.5 1 0.25 1
    None spam ham spam 1 2.0 1 0.5 1
    """
    resampled = Resampled(replicates)
    for batch in scored:
        yield from add_pairs(_rows(batch)).to_batches()
        labelled = batch.filter(pc.is_valid(batch["label"]))
        resampled.add(labelled["document"].to_numpy(), labelled["champion_log_loss"], labelled["challenger_log_loss"])
    yield from resampled.rows().to_batches()


def add_pairs(rows: pa.Table) -> pa.Table:
    """Return rows of ``schemas.PAIRED`` added up, one per key."""
    added = rows.group_by(list(KEYS), use_threads=False).aggregate([(name, "sum") for name in SUMS])
    return pa.table([added[name] if name in KEYS else added[f"{name}_sum"] for name in PAIRED.names], schema=PAIRED)


def _rows(batch: pa.RecordBatch) -> pa.Table:
    """Return one row of ``schemas.PAIRED`` a document."""
    columns = {
        "replicate": pa.nulls(len(batch), pa.int32()),
        "label": as_text(batch["label"]),
        "n_docs": pa.array([1] * len(batch), pa.int64()),
    }
    for model in (CHAMPION, CHALLENGER):
        loss = batch[f"{model}_log_loss"].cast(pa.float64())
        steps = pc.divide(pc.round(pc.multiply(loss, STEPS)), STEPS)
        columns[model] = as_text(batch[model])
        columns[f"{model}_log_loss"] = pc.fill_null(steps, 0.0)
        columns[f"n_{model}_log_loss"] = loss.is_valid().cast(pa.int64())
    return pa.table(columns).select(PAIRED.names).cast(PAIRED)


def of_documents(pairs: pa.Table) -> pa.Table:
    """Return the rows that count documents, without those of resamplings."""
    return pairs.filter(pairs["replicate"].is_null())


def confusion_of(pairs: pa.Table, model: str) -> pa.Table:
    """Return one model's ``schemas.CONFUSION``."""
    found = of_documents(pairs).group_by(["label", model], use_threads=False)
    added = found.aggregate([("n_docs", "sum"), (f"{model}_log_loss", "sum"), (f"n_{model}_log_loss", "sum")])
    return added.rename_columns(["label", "prediction", *CONFUSION.names[2:]]).cast(CONFUSION)


class Discordant(NamedTuple):
    """Documents that one of two models is right about: which the one, and which the other."""

    only_champion: int
    only_challenger: int


def discordant(pairs: pa.Table) -> Discordant:
    """Return McNemar's two counts, of the documents that have a label; a null prediction is wrong."""
    rows = of_documents(pairs)
    right = {
        model: pc.fill_null(pc.equal(rows[model], rows["label"]), False).combine_chunks()
        for model in (CHAMPION, CHALLENGER)
    }

    def count(one: str, other: str) -> int:
        only = rows.filter(pc.and_not(right[one], right[other]))
        return int(pc.sum(only["n_docs"]).as_py() or 0)

    return Discordant(count(CHAMPION, CHALLENGER), count(CHALLENGER, CHAMPION))
