"""The terms of single documents by name, known to the model or not, with their places in the text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nbspark.features import Text
from nbspark.features.occurrences import reader_of
from nbspark.text import Tokenizer
from nbspark.text.columns import pieces
from nbspark.text.normalise import decoded
from nbspark.text.spans import term_spans

if TYPE_CHECKING:
    import pyarrow as pa

    from nbspark.features import TermFeature


class Occurrence(NamedTuple):
    """How often a term is in a document, and where: ``schemas.SPANS``, None where it is no text."""

    n: float
    spans: list[dict[str, int]] | None


# From the number of a document to its terms, in the order in which they first occur.
Occurrences = Callable[[int], dict[str, Occurrence]]


def occurrences_of(feature: TermFeature, values: pa.Array) -> Occurrences:
    """Return what finds the terms of a document in a column, when it is asked.

    Examples
    --------
    >>> import pyarrow as pa
    >>> occurrences_of(Text("body"), pa.array(["win, WIN"]))(0)
    {'win': Occurrence(n=2.0, spans=[{'start': 0, 'stop': 3}, {'start': 5, 'stop': 8}])}
    """
    return _in_texts(feature, values) if isinstance(feature, Text) else _in_lists(feature, values)


def _in_texts(feature: Text, values: pa.Array) -> Occurrences:
    """Return what finds the terms of a text with their places."""
    tokenizer = Tokenizer(feature)
    texts = [text for piece in pieces(values) for text in decoded(piece)]

    def find(i: int) -> dict[str, Occurrence]:
        places: dict[str, list[dict[str, int]]] = {}
        for term, start, stop in term_spans(tokenizer, texts[i]):
            places.setdefault(term, []).append({"start": start, "stop": stop})
        return {term: Occurrence(float(len(spans)), spans) for term, spans in places.items()}

    return find


def _in_lists(feature: Any, values: pa.Array) -> Occurrences:
    """Return what finds the terms that documents have as terms, or the category."""
    [found] = reader_of(feature)(values)
    terms = found.terms.to_pylist()
    n = np.ones(len(terms)) if found.n is None else found.n

    def find(i: int) -> dict[str, Occurrence]:
        counts: dict[str, float] = {}
        for place in range(found.offsets[i], found.offsets[i + 1]):
            counts[terms[place]] = counts.get(terms[place], 0.0) + float(n[place])
        return {term: Occurrence(count, None) for term, count in counts.items()}

    return find
