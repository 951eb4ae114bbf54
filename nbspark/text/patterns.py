r"""Tokens by a regular expression, as ``re.findall`` gives them.

The usual patterns, scikit-learn's among them, are runs of ``\w`` and go to the scanner; others go row by row.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pyarrow as pa

from nbspark.errors import SpecError
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
        The pattern does not parse, or has more than one group.

    Examples
    --------
    >>> pattern_tokenizer(r"(?u)\b\w\w+\b")(pa.array(["I won 2 prizes"])).to_pylist()
    [['won', 'prizes']]
    >>> pattern_tokenizer(r"#(\w+)")(pa.array(["#win #cash now"])).to_pylist()
    [['win', 'cash']]
    """
    find_all = compile_pattern(pattern).findall
    word_run = _WORD_RUN.fullmatch(pattern)
    if word_run:
        shortest = len(word_run[1]) // len(r"\w") + 1
        return lambda texts: find_runs(texts, is_regex_word).filter_length(shortest, None)
    if pattern == NOT_SPACE:
        return lambda texts: find_runs(texts, is_not_space)
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
    """Return the compiled pattern, or raise an error that shows where it does not parse."""
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise SpecError(f"pattern {pattern!r} does not parse at position {error.pos}: {error.msg}.") from error
    if compiled.groups > 1:
        raise SpecError(f"pattern {pattern!r} has {compiled.groups} groups; at most one. Write (?:...) for the others.")
    return compiled
