"""Documents that did not get their label, with what decided marked in their text. No pyspark in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nbspark.insight.segments import segments
from nbspark.report.numbers import nats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbspark.report.content import Mistake
    from nbspark.report.matrix import Pair

CHARACTERS = 600  # of a text that is shown
STEPS = 4  # of how strong a mark is
N_TERMS = 8  # in the list under a text


@dataclass(frozen=True)
class Piece:
    """A piece of a text; ``kind`` is empty, or for and against the prediction with a strength: ``for3``."""

    text: str
    kind: str = ""
    told: str = ""


@dataclass(frozen=True)
class Shown:
    """A mistake on the page."""

    mistake: Mistake
    texts: Sequence[tuple[str, Sequence[Piece]]]
    parts: Sequence[tuple[str, str, bool]]


def shown(mistake: Mistake) -> Shown:
    """Return a mistake with its texts in pieces, and what decided as (name, nats, whether it is for the prediction).

    Examples
    --------
    >>> from nbspark.report.content import Mistake
    >>> win = {"feature": "body", "term": "win", "contribution": 2.0, "spans": [{"start": 0, "stop": 3}]}
    >>> why = {"terms": [win], "numbers": [], "prior": -0.5, "bias": 0.0, "n_other": 0, "other": 0.0}
    >>> found = shown(Mistake("ham", "spam", 0.8, {"body": "Win it"}, why))
    >>> [(piece.text, piece.kind) for piece in found.texts[0][1]]
    [('Win', 'for4'), (' it', '')]
    >>> found.parts
    [('win', '+2.00', True), ('prior', '−0.50', False)]
    """
    why = mistake.explanation
    if why is None:
        return Shown(mistake, [(name, [Piece(text[:CHARACTERS])]) for name, text in mistake.texts.items()], [])
    texts = []
    for name, text in mistake.texts.items():
        own = [one for one in why["terms"] if one["feature"] == name and one["contribution"]]
        cut = text[:CHARACTERS]
        inside = [{**one, "spans": [span for span in one["spans"] or [] if span["stop"] <= len(cut)]} for one in own]
        found = segments(cut, inside)
        most = max((abs(one.contribution) for one in found if one.contribution is not None), default=1.0)
        pieces = [_piece(one.text, one.contribution, most) for one in found]
        texts.append((name, [*pieces, *([Piece(" …")] if len(text) > len(cut) else [])]))
    parts = [(one["term"], one["contribution"]) for one in why["terms"][:N_TERMS]]
    parts += [(f"{one['feature']} = {one['value']:.6g}", one["contribution"]) for one in why["numbers"]]
    rest = why["terms"][N_TERMS:]
    n_other, other = why["n_other"] + len(rest), why["other"] + sum(one["contribution"] for one in rest)
    parts += [(f"{n_other:,} other term{'s' * (n_other > 1)}", other)] if n_other else []
    parts += [("prior", why["prior"])] + ([("absent terms", why["bias"])] if why["bias"] else [])
    return Shown(mistake, texts, [(name, nats(value), value > 0) for name, value in parts])


def _piece(text: str, contribution: float | None, most: float) -> Piece:
    """Return a piece with the strength of its mark."""
    if contribution is None:
        return Piece(text)
    strength = max(1, round(STEPS * abs(contribution) / most))
    return Piece(text, f"{'for' if contribution > 0 else 'against'}{strength}", nats(contribution))


def by_pair(mistakes: Sequence[Mistake]) -> dict[Pair, list[Shown]]:
    """Return the mistakes of each (label, prediction), the pair with the most first."""
    found: dict[Pair, list[Shown]] = {}
    for one in mistakes:
        found.setdefault((one.label, one.prediction), []).append(shown(one))
    return found
