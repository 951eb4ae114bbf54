"""The order of steps from a column of texts to terms.

valid UTF-8 -> invisible characters removed -> normal form -> lower case -> accents -> tokens -> length ->
stop words -> n-grams
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from nbspark.arrays.ngrams import TOKENS
from nbspark.errors import SpecError
from nbspark.text.characters import char_ngrams, char_wb_ngrams
from nbspark.text.chinese import chinese_tokenizer
from nbspark.text.columns import pieces
from nbspark.text.ngrams import word_ngrams
from nbspark.text.normalise import text_normaliser
from nbspark.text.options import CHARACTER_TOKENS, TokenOptions, require_consistent
from nbspark.text.patterns import is_blank_free, pattern_tokenizer
from nbspark.text.scanner import find_runs, is_not_space, is_word
from nbspark.text.stop_words import StopWords
from nbspark.text.token_lists import TokenLists

TOKENIZER_VERSION = 1  # raised when the same options would give other terms


class Tokenizer:
    """Text to terms, the same for training, for every way of scoring, and outside Spark.

    Parameters
    ----------
    options : TokenOptions
        A ``nbspark.Text`` whose stop words are a list, or any object with the same attributes.

    Raises
    ------
    SpecError
        Options that do not go together, or a pattern that does not parse.
    SetupError
        Chinese words are asked for and rjieba is not installed.

    Examples
    --------
    >>> from nbspark.features import Text
    >>> tokenizer = Tokenizer(Text("body", ngrams=(1, 2), stop_words=["a"]))
    >>> tokenizer.tokenize("Win a prize!")
    ['win', 'prize', 'win prize']
    >>> tokenizer(pa.array(["Free cash", None])).to_pylist()
    [['free', 'cash', 'free cash'], []]
    """

    def __init__(self, options: TokenOptions) -> None:
        self.options = require_consistent(options)
        self._normalise = text_normaliser(options)
        self._lengths = options.min_length, options.max_length
        self.cut = _cutter(options)  # from normalised texts to tokens, those that are dropped later among them
        self._has_tokens = options.tokens not in CHARACTER_TOKENS
        self._word_ngrams = options.ngrams if self._has_tokens else TOKENS
        # Where tokens hold blanks, "a b" may be one token or two, and is one term: n-grams are strings then.
        holds_blanks = options.tokens == "pattern" and not is_blank_free(str(options.pattern))
        self.ngrams = TOKENS if holds_blanks else self._word_ngrams  # that ``parts`` leaves to be made of the tokens
        words = sorted(set(options.stop_words or ()))
        self._stop_words = StopWords(words, self._tokens_of(pa.array(words, pa.string())))

    def __call__(self, texts: pa.StringArray | pa.LargeStringArray | pa.ChunkedArray) -> TokenLists:
        """Return the terms of each text; null and ``""`` have none.

        Raises
        ------
        DocumentsError
            The array does not hold text.
        """
        return TokenLists.concat([word_ngrams(part, part.ngrams) for part in self.parts(texts)])

    def parts(self, texts: pa.StringArray | pa.LargeStringArray | pa.ChunkedArray) -> Iterator[TokenLists]:
        """Yield the tokens of some texts at a time, in order: what is not held is not in memory.

        Their n-grams of the sizes ``self.ngrams`` are the terms.
        """
        return map(self._tokenize, pieces(texts))

    def tokenize(self, text: str) -> list[str]:
        """Return the terms of one text."""
        # A str may hold lone surrogates, which UTF-8 cannot; they count as undecodable.
        raw = pa.array([text.encode("utf-8", "surrogatepass")], pa.binary())
        [terms] = self(raw.view(pa.string())).to_pylist()
        return terms

    @property
    def unmatched_stop_words(self) -> list[str]:
        """The stop words of which the steps before leave no token, so that they can never match."""
        return self._stop_words.unmatched

    def kept(self, tokens: TokenLists) -> np.ndarray:
        """Return the places of the tokens that are neither too short or long nor stop words, of those that were cut."""
        long_enough = tokens.has_length(*self._lengths)
        return np.flatnonzero(long_enough)[~self._stop_words.find(tokens.filter(long_enough))]

    def _tokens_of(self, texts: pa.StringArray) -> TokenLists:
        """Return the tokens of texts without nulls, stop words among them; or windows of characters."""
        tokens = self.cut(self._normalise(texts))
        return tokens.filter_length(*self._lengths) if self._has_tokens else tokens

    def _tokenize(self, texts: pa.StringArray) -> TokenLists:
        """Return the terms of texts without nulls."""
        terms = self._tokens_of(texts)
        if not self._has_tokens:
            return terms
        terms = self._stop_words.remove(terms)
        if self.ngrams != self._word_ngrams:
            return word_ngrams(terms, self._word_ngrams)
        return replace(terms, ngrams=self.ngrams)


def _cutter(options: TokenOptions) -> Callable[[pa.StringArray], TokenLists]:
    """Return the function from normalised texts to tokens, or to windows of characters."""
    match options.tokens:
        case "words":
            return lambda texts: find_runs(texts, is_word)
        case "whitespace":
            return lambda texts: find_runs(texts, is_not_space)
        case "pattern" if options.pattern is not None:
            return pattern_tokenizer(options.pattern)
        case "chars":
            return lambda texts: char_ngrams(texts, options.ngrams)
        case "chars_wb":
            return lambda texts: char_wb_ngrams(texts, options.ngrams)
        case "chinese":
            return chinese_tokenizer()
    raise SpecError(f"text: no tokenizer for tokens={options.tokens!r}, pattern={options.pattern!r}.")
