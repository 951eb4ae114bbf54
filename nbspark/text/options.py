"""What the tokenizer reads of a text feature."""

from __future__ import annotations

from typing import Protocol

from nbspark.errors import SpecError

CHARACTER_TOKENS = ("chars", "chars_wb")


class TokenOptions(Protocol):
    """The options of a text feature; ``nbspark.Text`` has them all, with their defaults."""

    @property
    def tokens(self) -> str | None:
        """How to cut: words, whitespace, pattern, chars, chars_wb or chinese."""

    @property
    def pattern(self) -> str | None:
        """The regular expression of ``tokens="pattern"``."""

    @property
    def ngrams(self) -> tuple[int, int]:
        """Shortest and longest run of neighbouring tokens, or characters."""

    @property
    def lowercase(self) -> bool:
        """Whether upper and lower case are the same."""

    @property
    def normalize(self) -> str | None:
        """NFC, NFD, NFKC, NFKD or none."""

    @property
    def strip_accents(self) -> str:
        """As in scikit-learn: none, unicode or ascii."""

    @property
    def remove_invisible(self) -> bool | None:
        """Whether default-ignorable characters are removed."""

    @property
    def min_length(self) -> int:
        """Of a token, in code points."""

    @property
    def max_length(self) -> int | None:
        """Of a token, in code points."""

    @property
    def stop_words(self) -> str | tuple[str, ...] | None:
        """The tokens to drop; a language's name has been resolved to its list."""


def require_consistent(options: TokenOptions) -> TokenOptions:
    """Return the options, or raise one error that lists every one that cannot be followed as it stands."""
    wrong = word_options_of_characters(options)
    if isinstance(options.stop_words, str):
        wrong.append(f"stop_words={options.stop_words!r} names a language: call resolved() on the feature first")
    if wrong:
        raise SpecError(f"text: {'; '.join(wrong)}.")
    return options


def word_options_of_characters(options: TokenOptions) -> list[str]:
    """Return what is wrong with options of words that are given for character n-grams."""
    if options.tokens not in CHARACTER_TOKENS:
        return []
    given = {
        "min_length": options.min_length > 1,
        "max_length": options.max_length is not None,
        "stop_words": bool(options.stop_words),
    }
    return [f"tokens={options.tokens!r} cuts no words: leave out {name}" for name in given if given[name]]
