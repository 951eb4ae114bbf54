"""Two models on the same documents: paired counts, and what is drawn anew from them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from sklearn.metrics import f1_score

from nbspark.evaluation.metrics import measure
from nbspark.evaluation.outcomes import as_tallies
from nbspark.evaluation.paired.frame import pairs_of
from nbspark.evaluation.paired.pairs import add_pairs, confusion_of, count_pairs, discordant
from nbspark.evaluation.paired.resampling import f1_differences, loss_differences, times_drawn

ROWS = {
    "label": ["spam", "spam", "ham", "ham", "eggs", None],
    "champion": ["spam", "ham", "ham", "ham", None, "ham"],
    "champion_log_loss": [0.5, 2.0, 0.25, 1.0, None, None],
    "challenger": ["ham", "spam", "ham", "spam", "eggs", "ham"],
    "challenger_log_loss": [1.0, 0.5, 0.25, float("inf"), 0.5, None],
    "document": [1, 2, 3, 4, 5, 6],
}
BATCH = pa.record_batch(ROWS)


def counted(*batches: pa.RecordBatch, replicates: int = 0) -> pa.Table:
    return add_pairs(pa.Table.from_batches(list(count_pairs(batches, replicates=replicates))))


def test_the_counts_of_both_models_are_their_own_confusions():
    table = counted(BATCH)
    champion, challenger = (measure(as_tallies(confusion_of(table, name))) for name in ("champion", "challenger"))
    assert (champion.n_docs, champion.accuracy, challenger.accuracy) == (5, 3 / 5, 3 / 5)
    assert (champion.log_loss, champion.n_log_loss) == ((0.5 + 2.0 + 0.25 + 1.0) / 4, 4)
    assert (challenger.log_loss, challenger.n_log_loss) == (float("inf"), 5)
    assert champion.n_unpredicted == 1
    # Only the champion is right about documents 1 and 4, only the challenger about 2 and 5; the last has no label.
    assert discordant(table) == (2, 2)


def test_a_resampling_is_the_same_however_the_documents_come():
    whole = counted(BATCH, replicates=20).sort_by("replicate")
    parts = counted(BATCH.slice(3), BATCH.slice(0, 3), replicates=20).sort_by("replicate")
    of_drawn = pa.compute.is_valid(whole["replicate"])
    assert whole.filter(of_drawn).equals(parts.filter(pa.compute.is_valid(parts["replicate"])))
    # Four documents have a loss by both; one without end counts as 100,000 nats.
    assert loss_differences(whole)[0] == (0.5 - 1.5 + 0.0 + 99_999.0) / 4
    drawn = times_drawn(np.arange(1, 5), np.arange(1, 21))
    apart = (np.array([0.5, -1.5, 0.0, 99_999.0]) @ drawn)[drawn.sum(axis=0) > 0] / drawn.sum(axis=0)[
        drawn.sum(axis=0) > 0
    ]
    assert loss_differences(whole)[1:].tolist() == pytest.approx(apart.tolist())
    assert len(loss_differences(counted(BATCH))) == 0


def test_the_first_difference_of_f1_is_that_of_scikit_learn():
    table = counted(BATCH)
    truth = [name for name in ROWS["label"] if name]
    champion, challenger = (
        f1_score(truth, [name or "none" for name in ROWS[model][:5]], average="macro", labels=["eggs", "ham", "spam"])
        for model in ("champion", "challenger")
    )
    apart = f1_differences(table)
    assert apart[0] == pytest.approx(challenger - champion)
    assert len(apart) > 900  # now and then none of five documents is drawn
    assert set(f1_differences(table.set_column(3, "challenger", table["champion"]))) == {0.0}


def test_spark_counts_the_same_pairs(spark):
    rows = list(zip(*ROWS.values(), strict=True))
    scored = spark.createDataFrame(
        rows,
        "label string, champion string, champion_log_loss double, challenger string, challenger_log_loss double,"
        "document bigint",
    ).repartition(3)
    order = [(name, "ascending") for name in ("replicate", "label", "champion", "challenger")]
    found = pairs_of(scored, replicates=3).toArrow().cast(counted(BATCH).schema)
    assert found.sort_by(order).equals(counted(BATCH, replicates=3).sort_by(order).combine_chunks())
