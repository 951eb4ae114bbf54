r"""Tokens by a regular expression, as ``re.findall`` gives them.

The usual patterns, scikit-learn's among them, are runs of ``\w`` and go to the scanner; others go row by row.
Those that could take long go to RE2, and where it does not match alike, those that could run for ever are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pyarrow as pa

from nbspark.errors import SpecError
from nbspark.text.backtracking import is_linear, may_explode
from nbspark.text.linear import find_tokens, re2_pattern
from nbspark.text.scanner import find_runs, is_not_space, is_regex_word
from nbspark.text.token_lists import TokenLists

# \w\w+ and its kin: greedy, so a match is a whole run of \w, if long enough; \b at its ends is always true.
_WORD_RUN = re.compile(r"(?:\(\?u\))?(?:\\b)?((?:\\w)*)\\w\+(?:\\b)?")

NOT_SPACE = r"\S+"


def pattern_tokenizer(pattern: str) -> Callable[[pa.StringArray], TokenLists]:
    r"""Return a function from texts to the tokens that ``re.findall(pattern, text)`` gives.

    Parameters
    ----------
    pattern : str
        With at most one group, whose content is then the token.

    Raises
    ------
    SpecError
        The pattern does not parse, has more than one group, or could run for ever.

    Examples
    --------
    >>> pattern_tokenizer(r"(?u)\b\w\w+\b")(pa.array(["I won 2 prizes"])).to_pylist()
    [['won', 'prizes']]
    >>> pattern_tokenizer(r"#(\w+)")(pa.array(["#win #cash now"])).to_pylist()
    [['win', 'cash']]
    """
    compiled = compile_pattern(pattern)
    word_run = _WORD_RUN.fullmatch(pattern)
    if word_run:
        shortest = len(word_run[1]) // len(r"\w") + 1
        return lambda texts: find_runs(texts, is_regex_word).filter_length(shortest, None)
    if pattern == NOT_SPACE:
        return lambda texts: find_runs(texts, is_not_space)
    linear = None if is_linear(pattern) else re2_pattern(pattern)
    if linear is not None:  # slower than re, but sure to end
        return lambda texts: find_tokens(texts, linear)
    find_all = compiled.findall
    # A pattern or its group may match nothing; the empty string is never a term.
    return lambda texts: TokenLists.from_lists(
        [token for token in find_all(text) if token] for text in texts.to_pylist()
    )


def is_blank_free(pattern: str) -> bool:
    r"""Say whether no token of a pattern can hold a blank: as far as is known without a search in it.

    >>> is_blank_free(r"\b\w\w+\b"), is_blank_free("[a-z ]+")
    (True, False)
    """
    return pattern == NOT_SPACE or _WORD_RUN.fullmatch(pattern) is not None


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Return the compiled pattern, or raise an error if it cannot be used.

    Raises
    ------
    SpecError
        It does not parse, and the message shows where; it has more than one group; or it could run for ever.
    """
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise SpecError(f"pattern {pattern!r} does not parse at position {error.pos}: {error.msg}.") from error
    if compiled.groups > 1:
        raise SpecError(f"pattern {pattern!r} has {compiled.groups} groups; at most one. Write (?:...) for the others.")
    if may_explode(pattern) and re2_pattern(pattern) is None:
        raise SpecError(
            f"pattern {pattern!r} repeats a group that can be cut in many ways, so a text can take for ever. Put a "
            r"character between the repetitions that nothing else in them matches, as in \w+(?:-\w+)*, or leave out "
            r"what only Python has ($, \b, look-around, (?i))."
        )
    return compiled
