"""Stop words as the tokenizer sees them: each is the run of tokens that it becomes, and that run is removed.

So "isn't" removes the tokens "isn" and "t" where they stand side by side, and no other "t".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbspark.text.token_lists import TokenLists


class StopWords:
    """Stop words, found in the tokens of documents.

    Parameters
    ----------
    words : sequence of str
        As the user gave them.
    tokens : TokenLists
        What the tokenizer makes of each.

    Attributes
    ----------
    unmatched : list of str
        Those of which the tokenizer leaves nothing, so that they can never match.

    Examples
    --------
    >>> from nbspark.text.token_lists import TokenLists
    >>> stop = StopWords(["the", "isn't", "..."], TokenLists.from_lists([["the"], ["isn", "t"], []]))
    >>> stop.unmatched
    ['...']
    >>> stop.remove(TokenLists.from_lists([["this", "isn", "t", "the", "t"], ["isn"], ["t"]])).to_pylist()
    [['this', 't'], ['isn'], ['t']]
    """

    def __init__(self, words: Sequence[str], tokens: TokenLists) -> None:
        runs = tokens.to_pylist()
        self.unmatched = [word for word, run in zip(words, runs, strict=True) if not run]
        self._single = pa.array(sorted({run[0] for run in runs if len(run) == 1}), pa.string())
        long = sorted({tuple(run) for run in runs if len(run) > 1})
        self._tokens = pa.array(sorted({token for run in long for token in run}), pa.string())
        self._longest = max(map(len, long), default=1)
        self._steps, self._ends = self._beginnings(long)

    def __len__(self) -> int:
        return len(self._single) + int(self._ends.sum())

    def _beginnings(self, runs: Sequence[tuple[str, ...]]) -> tuple[np.ndarray, np.ndarray]:
        """Return the beginnings of runs, numbered: how each is made, and whether it is a whole run.

        Beginning b is another one and a token after it: ``steps[b]`` is (number of that beginning) * n_tokens + token.
        The empty beginning has number 0, and the others are sorted by their step.
        """
        code_of = {token: code for code, token in enumerate(self._tokens.to_pylist())}
        number: dict[tuple[str, ...], int] = {(): 0}
        steps, ends = [-1], [False]
        for length in range(1, self._longest + 1):
            level = sorted(
                {run[:length] for run in runs if len(run) >= length}, key=lambda run: (number[run[:-1]], run[-1])
            )
            for run in level:
                number[run] = len(steps)
                steps.append(number[run[:-1]] * len(code_of) + code_of[run[-1]])
                ends.append(run in runs)
        return np.array(steps, np.int64), np.array(ends, bool)

    def remove(self, tokens: TokenLists) -> TokenLists:
        """Return the tokens of documents that belong to no stop word."""
        return tokens.filter(~self.find(tokens)) if len(self) else tokens

    def find(self, tokens: TokenLists) -> np.ndarray:
        """Return whether each token of documents belongs to a stop word."""
        is_stop = np.asarray(pc.is_in(tokens.values, value_set=self._single))
        return is_stop | self._in_runs(tokens) if len(self._tokens) else is_stop

    def _in_runs(self, tokens: TokenLists) -> np.ndarray:
        """Return whether each token belongs to a run: every place is followed for as long as a run may begin there."""
        codes = pc.fill_null(pc.index_in(tokens.values, value_set=self._tokens), -1).to_numpy(zero_copy_only=False)
        inside = np.zeros(len(codes), bool)
        starts = np.flatnonzero(codes >= 0)
        ends_of_docs = tokens.offsets[np.searchsorted(tokens.offsets, starts, side="right")]
        at = np.zeros(len(starts), np.int64)  # the beginning that was read so far, from each start
        for length in range(self._longest):
            place = starts + length
            goes_on = place < ends_of_docs
            starts, ends_of_docs, at, place = (one[goes_on] for one in (starts, ends_of_docs, at, place))
            goes_on = codes[place] >= 0
            starts, ends_of_docs, at, place = (one[goes_on] for one in (starts, ends_of_docs, at, place))
            step = at * len(self._tokens) + codes[place]
            at = np.searchsorted(self._steps, step)
            known = self._steps[np.minimum(at, len(self._steps) - 1)] == step
            starts, ends_of_docs, at = starts[known], ends_of_docs[known], at[known]
            for back in range(length + 1):
                inside[starts[self._ends[at]] + back] = True
        return inside
