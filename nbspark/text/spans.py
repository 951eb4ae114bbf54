"""Where the terms of a text stand in it, by the tokenizer's own steps: a text at a time, for those that are shown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from nbspark.arrays.ngrams import JOINER
from nbspark.text.alignment import align, of_pieces, then
from nbspark.text.backtracking import is_linear
from nbspark.text.ngrams import windows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nbspark.text.alignment import Aligned
    from nbspark.text.tokenizer import Tokenizer


class Span(NamedTuple):
    """A term and its place: ``text[start:stop]``, in code points."""

    term: str
    start: int
    stop: int


def term_spans(tokenizer: Tokenizer, text: str) -> list[Span]:
    r"""Return the terms of a text in the tokenizer's order, each with its place in the text as it was written.

    An n-gram reaches from its first token to its last, with what is between them.

    Examples
    --------
    >>> from nbspark.features import Text
    >>> from nbspark.text import Tokenizer
    >>> for span in term_spans(Tokenizer(Text("body", ngrams=(1, 2))), "Cafe\u0301, PARIS"):
    ...     print(span)
    Span(term='café', start=0, stop=5)
    Span(term='paris', start=7, stop=12)
    Span(term='café paris', start=0, stop=12)
    """
    found = align(text, tokenizer.options)
    if tokenizer.options.tokens == "chars":
        return _windows_of([then(found, _with_single_blanks(found[0]))], tokenizer.options.ngrams)
    if tokenizer.options.tokens == "chars_wb":
        return _windows_of(_padded_words(found), tokenizer.options.ngrams, whole=True)
    normal, starts, stops = found
    tokens = tokenizer.cut(pa.array([normal], pa.string()))
    words = tokens.values.to_pylist()
    places = _places(tokenizer, normal, words)
    kept = [Span(words[i], int(starts[places[i][0]]), int(stops[places[i][1] - 1])) for i in tokenizer.kept(tokens)]
    _, runs = windows(np.array([0, len(kept)]), tokenizer.options.ngrams)
    return [
        Span(JOINER.join(span.term for span in kept[first:end]), kept[first].start, kept[end - 1].stop)
        for firsts, ends in runs
        for first, end in zip(firsts.tolist(), ends.tolist(), strict=True)
    ]


def _places(tokenizer: Tokenizer, text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Return the place of each token in a normalised text.

    Notes
    -----
    Each is looked for from the end of the one before. That finds the token itself and no likeness of it further left: a
    likeness would be made of characters of which a token is cut, and those would have been cut there. Only what a
    pattern says of the text around a token can speak against it, so patterns are searched for again.
    """
    pattern = tokenizer.options.pattern
    if pattern is not None and is_linear(pattern):
        compiled = re.compile(pattern)
        found = (match.span(compiled.groups) for match in compiled.finditer(text))
        return [(start, stop) for start, stop in found if stop > start]
    places = []
    stop = 0
    for word in words:
        start = text.index(word, stop)
        stop = start + len(word)
        places.append((start, stop))
    return places


def _with_single_blanks(text: str) -> Aligned:
    """Return a text with one blank for neighbouring ones, in the place of all of them."""
    runs = re.finditer(r"\s\s+|.", text, re.DOTALL)
    return of_pieces((run[0] if run.end() - run.start() == 1 else " ", *run.span()) for run in runs)


def _padded_words(found: Aligned) -> Iterable[Aligned]:
    """Yield the words of a text, a blank before and after each in the place where the word begins and ends."""
    text, starts, stops = found
    for word in re.finditer(r"\S+", text):
        inside = slice(*word.span())
        begin, end = starts[inside][0], stops[inside][-1]
        yield f" {word[0]} ", np.r_[begin, starts[inside], end], np.r_[begin, stops[inside], end]


def _windows_of(texts: Iterable[Aligned], sizes: tuple[int, int], *, whole: bool = False) -> list[Span]:
    """Return the windows of characters of all texts."""
    spans = []
    for text, starts, stops in texts:
        _, runs = windows(np.array([0, len(text)]), sizes, whole=whole)
        for firsts, ends in runs:
            places = zip(firsts.tolist(), ends.tolist(), starts[firsts].tolist(), stops[ends - 1].tolist(), strict=True)
            spans += [Span(text[first:end], start, stop) for first, end, start, stop in places]
    return spans
