"""Event models: counts in, (bias, floor, base, lift) out. Nothing else asks which one it was.

For every event model, class c and document d::

    score(c, d) = log_prior(c) + scale(c) * [bias(c) + n(d) * floor(c)
                                             + sum over known terms t of f(t, d) * (base(t) + lift(c, t))]

``lift`` is non-zero only for pairs seen in training, so nothing of size classes x vocabulary is built.
A new event model is one file beside these, and its name in the list of imports below.
"""

from nbspark.events import bernoulli, binary, complement, multinomial  # noqa: F401  each registers itself in EVENTS
from nbspark.events.base import EVENTS, Event, Parameters, TermCounts, Totals, register

__all__ = ["EVENTS", "Event", "Parameters", "TermCounts", "Totals", "register"]
