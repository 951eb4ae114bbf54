"""Probabilities of many classes as the columns that people get."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from nbspark.schemas import TOP_K


def every_class(probabilities: np.ndarray, labels: pa.StringArray, *, as_array: bool) -> pa.MapArray | pa.ListArray:
    """Return every class's probability, in string order of the labels: a map by label, or an array."""
    n_docs, n_classes = probabilities.shape
    offsets = pa.array(np.arange(0, n_docs * n_classes + 1, n_classes), pa.int32())
    if as_array:
        return pa.ListArray.from_arrays(offsets, pa.array(probabilities.ravel()))
    keys = labels.take(pa.array(np.tile(np.arange(n_classes), n_docs)))
    return pa.MapArray.from_arrays(offsets, keys, pa.array(probabilities.ravel()))


def best_classes(probabilities: np.ndarray, ranking: np.ndarray, labels: pa.StringArray, k: int) -> pa.ListArray:
    """Return the k best classes by a ranking, best first, ties in string order, with their probabilities."""
    order = np.argsort(-ranking, axis=1, kind="stable")[:, :k]
    offsets = pa.array(np.arange(0, order.size + 1, k), pa.int32())
    values = [labels.take(pa.array(order.ravel())), pa.array(np.take_along_axis(probabilities, order, 1).ravel())]
    return pa.ListArray.from_arrays(offsets, pa.StructArray.from_arrays(values, fields=list(TOP_K.type.value_type)))
