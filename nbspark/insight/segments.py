"""A text cut where the terms that decided begin and end, to be shown with them marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Segment(NamedTuple):
    """A piece of a text, and what the term there adds, in nats, or None where none is marked."""

    text: str
    contribution: float | None


def segments(text: str, terms: Iterable[Mapping[str, Any]]) -> list[Segment]:
    """Return a text in pieces, marked and unmarked ones, which put together are the text.

    Parameters
    ----------
    text : str
    terms : iterable of mapping
        With ``contribution`` and ``spans``, as ``schemas.EVIDENCE`` has them; the first goes before those that overlap
        it. What a term adds is shared by its occurrences.

    Examples
    --------
    >>> win = {"contribution": 2.0, "spans": [{"start": 0, "stop": 3}, {"start": 10, "stop": 13}]}
    >>> for segment in segments("Win cash, win", [win]):
    ...     print(segment)
    Segment(text='Win', contribution=1.0)
    Segment(text=' cash, ', contribution=None)
    Segment(text='win', contribution=1.0)
    """
    marked: dict[int, tuple[int, float]] = {}
    taken: set[int] = set()
    for term in terms:
        spans = term["spans"] or []
        for span in spans:
            places = range(span["start"], span["stop"])
            if taken.isdisjoint(places):
                taken.update(places)
                marked[span["start"]] = (span["stop"], term["contribution"] / len(spans))
    out, end = [], 0
    for start, (stop, nats) in sorted(marked.items()):
        out += [Segment(text[end:start], None)] if start > end else []
        out.append(Segment(text[start:stop], nats))
        end = stop
    return [*out, Segment(text[end:], None)] if end < len(text) else out
