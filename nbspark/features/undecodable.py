"""Which documents hold text that was not valid in its encoding."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from nbspark.arrays.runs import sums_between
from nbspark.text import has_replacement_character


def is_undecodable(values: pa.Array) -> np.ndarray:
    """Tell which rows hold U+FFFD, or bytes that become one, in a text, a list of texts or the keys of a map.

    Returns
    -------
    bool array, shape (n_rows,)
        False for null, and for columns of other types.

    Examples
    --------
    >>> is_undecodable(pa.array([["win", "caf\ufffd"], [], None]))
    array([ True, False, False])
    >>> is_undecodable(pa.array([1, 2]))
    array([False, False])
    """
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view():
        return has_replacement_character(values)
    found = np.zeros(len(values), bool)
    if not (pa.types.is_list(kind) or pa.types.is_map(kind)):
        return found
    present = values.is_valid().to_numpy(zero_copy_only=False)
    valid = values.drop_null()
    if len(valid):
        starts = valid.offsets.to_numpy()
        texts = (valid.keys if pa.types.is_map(kind) else valid.values)[int(starts[0]) : int(starts[-1])]
        found[present] = sums_between(is_undecodable(texts).astype(float), starts - starts[0]) > 0
    return found
