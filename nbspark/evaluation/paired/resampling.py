"""The paired bootstrap: the same documents drawn again for both models, and how far apart these then are.

Losses are summed where the documents are. How often a document is drawn, a Poisson number of mean 1, is a hash of its
content and of the resampling, so that it does not depend on partitions, order or tasks that ran twice (Chamandy et al.,
"Estimating uncertainty for massive data streams", Google, 2012). Of metrics that a table of counts gives, the counts
are drawn: drawing n documents anew is a multinomial over the table's rows.
"""

from __future__ import annotations

import math
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from nbspark.arrays.hashing import mix
from nbspark.schemas import PAIRED

if TYPE_CHECKING:
    from collections.abc import Sequence

REPLICATES = 1_000
SEED = 20_261_201
MOST_NATS = 100_000.0  # of one document: what a loss without end counts as
STEPS_PER_NAT = float(1 << 20)  # sums of so many are exact below 2^33 nats, in any order
BLOCK = 1_000  # documents at a time, so that each product is exact: 1,000 x 100,000 x 2^20 x 18 < 2^53
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# P(X <= k) of a Poisson number of mean 1, as 64-bit integers; a uniform one above the first k of them is k.
_CUMULATIVE = accumulate(math.exp(-1) / math.factorial(k) for k in range(18))
_THRESHOLDS = np.array([int(p * 2**64) for p in _CUMULATIVE if p < 1 - 2**-52], np.uint64)


def times_drawn(documents: np.ndarray, replicates: np.ndarray) -> np.ndarray:
    """Return how often each document is in each resampling, shape (n_docs, n_replicates); in resampling 0 once.

    >>> drawn = times_drawn(np.arange(5_000), np.arange(101))
    >>> set(drawn[:, 0].tolist()), round(float(drawn[:, 1:].mean()), 2), round(float(drawn[:, 1:].var()), 2)
    ({1.0}, 1.0, 1.0)
    """
    of_documents = mix(documents.astype(np.int64).view(np.uint64) + np.uint64(SEED))
    of_replicates = replicates.astype(np.uint64) * _GOLDEN
    uniform = mix(of_documents[:, None] + of_replicates[None, :])
    drawn = np.searchsorted(_THRESHOLDS, uniform.ravel(), side="right").reshape(uniform.shape).astype(float)
    drawn[:, replicates == 0] = 1.0
    return drawn


class Resampled:
    """Sums of both models' losses over each resampling; what only one model gives a loss is left out.

    Parameters
    ----------
    replicates : int
        Resamplings; 0 for none.
    """

    def __init__(self, replicates: int) -> None:
        self._numbers = np.arange(replicates + 1 if replicates else 0)
        self._sums = np.zeros((3, len(self._numbers)))  # documents, and steps of both models

    def add(self, documents: np.ndarray, champion: pa.Array, challenger: pa.Array) -> None:
        """Add documents: the hash of each, and its loss by each model in nats, null where there is none."""
        if not len(self._numbers):
            return
        has_both = np.asarray(pc.and_(champion.is_valid(), challenger.is_valid()))
        losses = [pc.fill_null(one, 0.0).to_numpy(zero_copy_only=False)[has_both] for one in (champion, challenger)]
        steps = [np.round(np.minimum(one, MOST_NATS) * STEPS_PER_NAT) for one in losses]
        documents = documents[has_both]
        rows = np.stack([np.ones(len(documents)), *steps])
        for start in range(0, len(documents), BLOCK):
            block = slice(start, start + BLOCK)
            self._sums += rows[:, block] @ times_drawn(documents[block], self._numbers)

    def rows(self) -> pa.Table:
        """Return the sums as rows of ``schemas.PAIRED``."""
        n = len(self._numbers)
        documents = pa.array(self._sums[0].astype(np.int64))
        champion, challenger = (pa.array(one / STEPS_PER_NAT) for one in self._sums[1:])
        no_text = pa.nulls(n, pa.string())
        columns = [no_text, no_text, no_text, documents, champion, documents, challenger, documents]
        return pa.table([pa.array(self._numbers, pa.int32()), *columns], schema=PAIRED)


def loss_differences(pairs: pa.Table) -> np.ndarray:
    """Return the challenger's mean log loss less the champion's in each resampling; the first of all documents.

    Empty where no document has a loss by both.
    """
    rows = pairs.filter(pairs["replicate"].is_valid()).sort_by("replicate")
    n_docs = rows["n_docs"].to_numpy()
    if not len(n_docs) or not n_docs[0]:
        return np.zeros(0)
    apart = rows["challenger_log_loss"].to_numpy() - rows["champion_log_loss"].to_numpy()
    return apart[n_docs > 0] / n_docs[n_docs > 0]


def macro_f1(n_docs: np.ndarray, labels: Sequence[str], predictions: Sequence[str | None]) -> np.ndarray:
    """Return the macro F1 of tables of counts: the mean over the classes that occur as a label or a prediction.

    Parameters
    ----------
    n_docs : array, shape (n_tables, n_rows)
    labels, predictions : sequence, one a row

    Examples
    --------
    Of spam one in two is found, and nothing else is called spam; ham: F1 2/3 and 2/3.

    >>> macro_f1(np.array([[1, 1, 1]]), ["spam", "spam", "ham"], ["spam", "ham", "ham"])
    array([0.66666667])
    """
    classes = {name: i for i, name in enumerate(sorted({*labels, *filter(None, predictions)}))}

    def by_class(names: Sequence[str | None]) -> np.ndarray:
        rows = [row for row, name in enumerate(names) if name is not None]
        places = [classes[name] for name in names if name is not None]
        member = sparse.csr_array((np.ones(len(rows)), (rows, places)), shape=(len(names), len(classes)))
        return np.asarray(np.asarray(n_docs, float) @ member)

    occurs = by_class(labels) + by_class(predictions)
    right = by_class([label if label == given else None for label, given in zip(labels, predictions, strict=True)])
    f1 = np.divide(2 * right, occurs, out=np.zeros_like(occurs), where=occurs > 0)
    return f1.sum(axis=1) / np.maximum((occurs > 0).sum(axis=1), 1)


def f1_differences(pairs: pa.Table, replicates: int = REPLICATES) -> np.ndarray:
    """Return the challenger's macro F1 less the champion's in each resampling; the first of all documents."""
    labelled = pairs.filter(pc.and_(pairs["replicate"].is_null(), pairs["label"].is_valid()))
    order = [(name, "ascending") for name in ("label", "champion", "challenger")]
    rows = labelled.sort_by(order).to_pydict()
    n_docs = np.array(rows["n_docs"])
    drawn = np.random.default_rng(SEED).multinomial(n_docs.sum(), n_docs / n_docs.sum(), replicates)
    apart = []
    for block in np.array_split(np.vstack([n_docs, drawn]), max(1, replicates // 100)):
        champion, challenger = (macro_f1(block, rows["label"], rows[model]) for model in ("champion", "challenger"))
        apart.append(challenger - champion)
    return np.concatenate(apart)
