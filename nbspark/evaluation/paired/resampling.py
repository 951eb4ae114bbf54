"""The paired bootstrap: the same documents drawn again for both models, and how far apart these then are.

Losses are summed where the documents are. How often a document is drawn, a Poisson number of mean 1, is a hash of its
content and of the resampling, so that it does not depend on partitions, order or tasks that ran twice (Chamandy et al.,
"Estimating uncertainty for massive data streams", Google, 2012). Of metrics that a table of counts gives, the counts
are drawn, when they are there: a sum of such numbers is one of a larger mean.
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
from nbspark.evaluation.intervals import replicates
from nbspark.evaluation.rates import Margins, overall
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


def times_drawn(documents: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return how often each document is in each resampling, shape (n_docs, n_replicates); in resampling 0 once.

    >>> drawn = times_drawn(np.arange(5_000), np.arange(101))
    >>> set(drawn[:, 0].tolist()), round(float(drawn[:, 1:].mean()), 2), round(float(drawn[:, 1:].var()), 2)
    ({1.0}, 1.0, 1.0)
    """
    of_documents = mix(documents.astype(np.int64).view(np.uint64) + np.uint64(SEED))
    of_numbers = numbers.astype(np.uint64) * _GOLDEN
    uniform = mix(of_documents[:, None] + of_numbers[None, :])
    drawn = np.searchsorted(_THRESHOLDS, uniform.ravel(), side="right").reshape(uniform.shape).astype(float)
    drawn[:, numbers == 0] = 1.0
    return drawn


class Resampled:
    """Sums of both models' losses over each resampling; what only one model gives a loss is left out.

    Parameters
    ----------
    n : int
        Resamplings; 0 for none.
    """

    def __init__(self, n: int) -> None:
        self._numbers = np.arange(n + 1 if n else 0)
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


def f1_differences(pairs: pa.Table) -> np.ndarray:
    """Return the challenger's macro F1 less the champion's in each resampling; the first of all documents."""
    labelled = pairs.filter(pc.and_(pairs["replicate"].is_null(), pairs["label"].is_valid()))
    rows = labelled.sort_by([(name, "ascending") for name in ("label", "champion", "challenger")]).to_pydict()
    n_docs = np.array(rows["n_docs"], float)
    drawn = np.vstack([n_docs, replicates(n_docs, n_docs)])
    champion, challenger = (
        overall(_margins(drawn, rows["label"], rows[model]))["macro_f1"] for model in ("champion", "challenger")
    )
    return np.asarray(challenger - champion)[~np.isnan(champion)]


def _margins(n_docs: np.ndarray, labels: list[str], predictions: list[str | None]) -> Margins:
    """Return what tables of counts sum to, shape (n_tables, n_rows), given the rows' labels and predictions."""
    classes = {name: i for i, name in enumerate(sorted({*labels, *(one for one in predictions if one is not None)}))}

    def by_class(names: Sequence[str | None]) -> np.ndarray:
        rows = [row for row, name in enumerate(names) if name is not None]
        places = [classes[name] for name in names if name is not None]
        member = sparse.csr_array((np.ones(len(rows)), (rows, places)), shape=(len(names), len(classes)))
        return np.asarray(n_docs @ member)

    right = [label if label == given else None for label, given in zip(labels, predictions, strict=True)]
    return Margins(by_class(labels), by_class(predictions), by_class(right), n_docs.sum(axis=-1))
