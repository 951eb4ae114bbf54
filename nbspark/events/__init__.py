"""Event models: counts in, (bias, floor, base, lift) out. Nothing else asks which one it was.

For every event model, class c and document d::

    score(c, d) = log_prior(c) + scale(c) * [bias(c) + n(d) * floor(c)
                                             + sum over known terms t of f(t, d) * (base(t) + lift(c, t))]

``lift`` is non-zero only for pairs seen in training, so nothing of size classes x vocabulary is built.
A new event model is one file beside these and its name in ``EVENTS``.
"""

from nbspark.events.base import Event, TermCounts, Totals, Weights
from nbspark.events.bernoulli import BERNOULLI
from nbspark.events.binary import BINARY
from nbspark.events.complement import COMPLEMENT
from nbspark.events.multinomial import MULTINOMIAL

EVENTS: dict[str, Event] = {event.name: event for event in (MULTINOMIAL, BINARY, BERNOULLI, COMPLEMENT)}

__all__ = ["EVENTS", "Event", "TermCounts", "Totals", "Weights"]
