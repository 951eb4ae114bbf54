"""Challenger and champion on the same documents: on Spark, or in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from nbspark.errors import DocumentsError
from nbspark.evaluation.metrics import measure
from nbspark.evaluation.outcomes import as_tallies
from nbspark.evaluation.paired.pairs import (
    CHALLENGER,
    CHAMPION,
    SCORED,
    add_pairs,
    confusion_of,
    count_pairs,
    discordant,
    of_documents,
)
from nbspark.evaluation.paired.resampling import REPLICATES, f1_differences, loss_differences
from nbspark.evaluation.significance import mcnemar
from nbspark.lifecycle.documents import require_columns_of
from nbspark.lifecycle.gate import METRICS, bootstrap_p_value
from nbspark.lifecycle.holdout import content_hashes
from nbspark.lifecycle.retrain import Judgement
from nbspark.local import read_counts
from nbspark.schemas import PAIRED
from nbspark.scoring.kernel import Scorer
from nbspark.smoothing.likelihoods import smooth
from nbspark.store.options import under_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame

    from nbspark.lifecycle.gate import Gate
    from nbspark.lifecycle.retrain import Judge
    from nbspark.store import Store, Version

HASH = SCORED[-1]


def replicates_of(gate: Gate) -> int:
    """Return how often the documents are resampled while they are counted: for means of losses only."""
    return REPLICATES if gate.metric == "log_loss" else 0


def judge_on_spark(store: Store, documents: DataFrame, gate: Gate, learned: Sequence[str]) -> Judge:
    """Return a judge that scores a frame of documents by Spark.

    Parameters
    ----------
    learned : sequence of str
        The labels of the documents that the challenger learned and the champion may not have.
    """
    from pyspark.sql import functions as F

    from nbspark.arrays.frame import column
    from nbspark.documents.split import content_hash
    from nbspark.evaluation.paired.frame import pairs_of
    from nbspark.model import stored_model

    spec, spark = store.read_spec(), documents.sparkSession
    features = list(dict.fromkeys(spec.columns()))
    own = {name: f"nbspark.{name}" for name in SCORED}  # names that no column of the documents should have
    hashed = content_hash(documents, features).alias(own[HASH])
    inputs = documents.select(*map(column, features), column(spec.label).alias(own["label"]), hashed)

    def judge(challenger: Version, champion: Version | None) -> Judgement:
        scored, known = inputs, {}
        for name, version in ((CHALLENGER, challenger), (CHAMPION, champion)):
            if version is None:
                nothing = {own[name]: F.lit(None).cast("string"), own[f"{name}_log_loss"]: F.lit(None).cast("double")}
                scored = scored.withColumns(nothing)
                continue
            model = stored_model(spec, store, version, spark)
            known[name] = model.labels
            kept = scored.columns
            scored = model.transform(scored, truth=own["label"], keep=kept).select(
                *map(column, kept),
                F.col("prediction").alias(own[name]),
                F.col("log_loss").alias(own[f"{name}_log_loss"]),
            )
        named = scored.select([column(own[name]).alias(name) for name in SCORED])
        return judged(pairs_of(named, replicates=replicates_of(gate)).toArrow(), known, gate, learned)

    return judge


def judge_in_memory(store: Store, documents: pa.Table, gate: Gate, learned: Sequence[str]) -> Judge:
    """Return a judge that scores a table of documents in this process; parameters as of ``judge_on_spark``."""
    spec = store.read_spec()
    require_columns_of(documents, [spec.label, *spec.columns()])
    columns = [documents[one.column].combine_chunks() for one in spec.features]
    labels = documents[spec.label].combine_chunks()
    hashes = pa.array(content_hashes(documents, spec.columns()).view("int64"))

    def judge(challenger: Version, champion: Version | None) -> Judgement:
        found = {"label": labels, HASH: hashes}
        known: dict[str, Sequence[str]] = {}
        for name, version in ((CHALLENGER, challenger), (CHAMPION, champion)):
            if version is None:
                found |= {name: pa.nulls(len(labels), pa.string())}
                found |= {f"{name}_log_loss": pa.nulls(len(labels), pa.float64())}
                continue
            own = under_options(spec, version.options)
            scorer = Scorer(own.features, smooth(own, read_counts(store, version)))
            prediction, *_, log_loss = scorer.predict(columns, labels)
            found |= {name: prediction, f"{name}_log_loss": log_loss}
            known[name] = scorer.labels
        batch = pa.record_batch([found[name] for name in SCORED], names=list(SCORED))
        counted = pa.Table.from_batches(list(count_pairs([batch], replicates=replicates_of(gate))), PAIRED)
        return judged(add_pairs(counted), known, gate, learned)

    return judge


def judged(pairs: pa.Table, known: Mapping[str, Sequence[str]], gate: Gate, learned: Sequence[str]) -> Judgement:
    """Return what paired counts say of a challenger, and of a champion if there is one.

    Parameters
    ----------
    pairs : Table of ``schemas.PAIRED``
    known : mapping of str to sequence of str
        The labels of the challenger, and of the champion.
    learned : sequence of str
        Those of the new documents.

    Raises
    ------
    DocumentsError
        No document has a label that both know; or all labels of the new documents are new.
    """
    if CHAMPION in known and not set(learned) & set(known[CHAMPION]):
        raise DocumentsError(
            f"documents: all their labels ({_some(learned)}) are new; the champion knows {_some(known[CHAMPION])}. "
            "Check the label column; if they are meant, add them by nbspark learn."
        )
    if not of_documents(pairs).num_rows:
        raise DocumentsError(
            "holdout: it holds no document, so nothing can be judged. Hold out a larger share, or give documents "
            "(--holdout-documents)."
        )
    metrics: dict[str, dict[str, Any]] = {}
    for name, labels in known.items():
        found = measure(as_tallies(confusion_of(pairs, name)), known_labels=labels, intervals=False)
        if sum(found.unseen_labels.values()) == found.n_docs:
            raise DocumentsError(
                f"holdout: none of its labels ({_some(list(found.unseen_labels))}) is known to the {name} "
                f"({_some(labels)}). Check the label column."
            )
        plain = found.to_dict()
        metrics[name] = {"n_docs": found.n_docs, **{metric: plain[metric] for metric in METRICS}}
    return Judgement(metrics[CHALLENGER], metrics.get(CHAMPION), _p_value(pairs, gate) if CHAMPION in known else None)


def _p_value(pairs: pa.Table, gate: Gate) -> float:
    """Return the p-value of the gate's test."""
    if gate.metric == "accuracy":
        return mcnemar(*discordant(pairs), alternative="greater")
    differences = loss_differences(pairs) if gate.metric == "log_loss" else f1_differences(pairs)
    if not len(differences):
        raise DocumentsError("holdout: no document has a label that champion and challenger both know: no log loss.")
    return bootstrap_p_value(differences, higher_is_better=METRICS[gate.metric])


def _some(labels: Sequence[str]) -> str:
    """Return the first labels, for a message."""
    return ", ".join(map(repr, labels[:5])) + (", ..." if len(labels) > 5 else "")
