"""Chinese words, cut by rjieba (the extra ``zh``)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from nbspark.arrays.strings import buffers_of
from nbspark.errors import SetupError
from nbspark.text.scanner import class_mask, is_word
from nbspark.text.token_lists import TokenLists


def chinese_tokenizer() -> Callable[[pa.StringArray], TokenLists]:
    """Return a function from texts to their words; blanks and punctuation are dropped.

    Raises
    ------
    SetupError
        rjieba is not installed.

    Examples
    --------
    >>> chinese_tokenizer()(pa.array(["我来到北京清华大学。"])).to_pylist()
    [['我', '来到', '北京', '清华大学']]
    """
    try:
        import rjieba
    except ImportError as error:
        raise SetupError("tokens='chinese' needs the package rjieba: pip install 'nbspark[zh]'.") from error

    def tokenize(texts: pa.StringArray) -> TokenLists:
        segments = TokenLists.from_lists(rjieba.cut(text) for text in texts.to_pylist())
        return segments.filter(_has_word_character(segments.values))

    return tokenize


def _has_word_character(tokens: pa.StringArray) -> np.ndarray:
    """Tell for each token, none of them empty, whether a letter, mark or digit is in it."""
    data, offsets = buffers_of(tokens)
    if not len(data):
        return np.zeros(len(tokens), bool)
    return np.logical_or.reduceat(class_mask(data, is_word), offsets[:-1])
