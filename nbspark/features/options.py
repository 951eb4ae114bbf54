"""What every feature with a vocabulary can be told at read time: pseudo-counts, event model, vocabulary limits.

These work on counts, so a trained model can be given others without reading a document again.
"""

from __future__ import annotations

from typing import Any

from nbspark.errors import SpecError
from nbspark.events import EVENTS
from nbspark.features.checks import is_number, of, require_at_least, require_choice

MAXIMUM_LIKELIHOOD = "maximum_likelihood"
Alpha = float | str | dict[str, float]
SMALLEST, LARGEST = 1e-100, 1e100  # pseudo-counts and class weights: their quotients with counts are doubles, too

LIMITS = ("drop_top", "min_count", "min_docs", "max_docs", "max_terms")


def require_alpha(spec: Any) -> None:
    """Check pseudo-counts: > 0, or 0 for every term when asked for by name."""
    alpha = spec.alpha
    if alpha is None or alpha == MAXIMUM_LIKELIHOOD:
        return
    values = alpha if isinstance(alpha, dict) else {None: alpha}
    wrong = {term: value for term, value in values.items() if not (is_number(value) and value > 0)}
    far = {term: value for term, value in values.items() if term not in wrong and not SMALLEST <= value <= LARGEST}
    found = ", ".join(
        f"{value!r}" + ("" if term is None else f" for {term!r}") for term, value in (wrong or far).items()
    )
    if wrong or not values:
        raise SpecError(
            f"{of(spec)}: alpha wants a number > 0, found {found or '{}'}. "
            f"For no smoothing at all, ask for it by name: alpha={MAXIMUM_LIKELIHOOD!r}."
        )
    if far:
        raise SpecError(f"{of(spec)}: alpha wants a number from {SMALLEST:g} to {LARGEST:g}, found {found}.")


def require_event(spec: Any) -> None:
    """Check the event model, and what it cannot do."""
    require_choice(spec, "event", tuple(EVENTS))
    event = EVENTS[spec.event]
    require_alpha_of_event(spec, spec.alpha)
    if spec.norm and not event.has_norm:
        able = [one.name for one in EVENTS.values() if one.has_norm]
        raise SpecError(f"{of(spec)}: norm goes with event {able}, found event={spec.event!r}.")


def require_alpha_of_event(spec: Any, alpha: Alpha | None) -> None:
    """Check that a feature's event model takes pseudo-counts such as its own, or the model's."""
    event = EVENTS[spec.event]
    if event.one_alpha and isinstance(alpha, dict):
        raise SpecError(f"{of(spec)}: event={spec.event!r} takes one alpha for all terms, found a table.")
    if event.needs_alpha and alpha == MAXIMUM_LIKELIHOOD:
        raise SpecError(f"{of(spec)}: event={spec.event!r} needs alpha > 0, found {MAXIMUM_LIKELIHOOD!r}.")


def require_limits(spec: Any) -> None:
    """Check the vocabulary limits: a whole number of documents, or a share of them."""
    for name in LIMITS:
        require_at_least(spec, name, 0)
    for name in ("min_docs", "max_docs"):
        value = getattr(spec, name)
        if isinstance(value, float) and not 0 <= value <= 1:
            raise SpecError(f"{of(spec)}: {name} wants a whole number, or a share from 0.0 to 1.0, found {value!r}.")
