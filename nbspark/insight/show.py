"""Explanations as lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark.insight.segments import segments

if TYPE_CHECKING:
    from collections.abc import Mapping


def explanation_lines(
    row: Mapping[str, Any], *, number: int, about: Mapping[str, Any], texts: Mapping[str, str]
) -> list[str]:
    r"""Return an explained document: what decided, a line a part, and its texts with the terms marked.

    Parameters
    ----------
    row : mapping
        ``schemas.PREDICTIONS`` and ``schemas.EXPLANATION``.
    number : int
        Of the document.
    about : mapping
        Columns that tell which document it is.
    texts : mapping of str to str
        By feature, or the beginning of it.

    Examples
    --------
    >>> spans = [{"start": 0, "stop": 3}]
    >>> win = {"feature": "body", "term": "win", "n": 1.0, "contribution": 1.5, "spans": spans}
    >>> why = {"against": "ham", "difference": 0.9, "prior": -0.5, "bias": 0.0, "terms": [win], "n_other": 2}
    >>> row = {"prediction": "spam", "probability": 0.71, "explanation": {**why, "other": -0.1, "numbers": []}}
    >>> row["explanation"]["unknown"] = [{"feature": "body", "term": "xyz", "n": 1.0, "spans": None}]
    >>> print("\n".join(explanation_lines(row, number=1, about={"id": 7}, texts={"body": "Win at xyz"})))
    1. spam (probability 0.7100) rather than ham, by 0.900 nats; id: 7
        +1.500  body: win
        -0.100  2 other terms
        -0.500  prior
        unknown: xyz
        body: [+Win] at xyz
    """
    told = "".join(f"; {name}: {value}" for name, value in about.items())
    found = row["explanation"]
    if found is None:
        why = "no class is possible" if row["prediction"] is None else "there is no other class"
        return [f"{number}. {row['prediction']}, {why}{told}"]
    decided = f"{row['prediction']} (probability {row['probability']:.4f}) rather than {found['against']}"
    lines = [f"{number}. {decided}, by {found['difference']:.3f} nats{told}"]
    parts = [(one["contribution"], f"{one['feature']}: {one['term']}{_times(one['n'])}") for one in found["terms"]]
    parts += [(one["contribution"], f"{one['feature']} = {one['value']:.6g}") for one in found["numbers"]]
    if found["n_other"]:
        parts.append((found["other"], f"{found['n_other']:,} other term{'s' * (found['n_other'] > 1)}"))
    parts.append((found["prior"], "prior"))
    if found["bias"]:
        parts.append((found["bias"], "terms that are absent"))
    lines += [f"    {nats:+.3f}  {what}" for nats, what in parts]
    if found["unknown"]:
        lines.append("    unknown: " + ", ".join(f"{one['term']}{_times(one['n'])}" for one in found["unknown"]))
    for name, text in texts.items():
        own = [one for one in found["terms"] if one["feature"] == name]
        lines.append(f"    {name}: {' '.join(marked(text, own).split())}")
    return lines


def marked(text: str, terms: list[dict[str, Any]]) -> str:
    """Return a text with its terms in brackets, + before those that speak for the prediction, - before the others.

    >>> marked("Win cash", [{"contribution": -1.5, "spans": [{"start": 4, "stop": 8}]}])
    'Win [-cash]'
    """
    inside = [
        {**one, "spans": [span for span in one["spans"] or [] if span["stop"] <= len(text)]}
        for one in terms
        if one["contribution"]
    ]
    return "".join(
        piece if nats is None else f"[{'+' if nats > 0 else '-'}{piece}]" for piece, nats in segments(text, inside)
    )


def _times(n: float) -> str:
    """Return how often, unless it is once."""
    return "" if n == 1 else f" ({n:g} times)"
