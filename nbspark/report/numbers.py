"""Numbers as a reader of a report sees them. No pyspark in it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbspark.evaluation.intervals import Interval

NONE = "–"


def share(value: float | None) -> str:
    """Return a share in percent; what is undefined as a dash.

    >>> share(0.97731), share(None), share(1.0)
    ('97.7 %', '–', '100.0 %')
    """
    return NONE if value is None or math.isnan(value) else f"{100 * value:.1f} %"


def number(value: float | str | None) -> str:
    """Return a number that is no share, three digits behind the point.

    >>> number(0.12345), number(float("inf")), number("Infinity"), number(None)
    ('0.123', '∞', '∞', '–')
    """
    if value is None:
        return NONE
    value = float(value)
    return NONE if math.isnan(value) else f"{value:.3f}" if math.isfinite(value) else "∞"


def whole(value: float) -> str:
    """Return a count with its thousands apart, and weights with what they need.

    >>> whole(12345.0), whole(2.5)
    ('12,345', '2.5')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.4g}"


def nats(value: float) -> str:
    """Return a contribution with its sign.

    >>> nats(1.386), nats(-0.5)
    ('+1.39', '−0.50')
    """
    return f"{value:+.2f}".replace("-", "−")


def between(interval: Interval | None, *, in_percent: bool = True) -> str:
    """Return an interval, or nothing.

    >>> from nbspark.evaluation.intervals import Interval
    >>> between(Interval(0.901, 0.95, "wilson")), between(None)
    ('90.1 – 95.0 %', '')
    """
    if interval is None:
        return ""
    if in_percent:
        return f"{100 * interval.low:.1f} – {100 * interval.high:.1f} %"
    return f"{interval.low:.3f} – {interval.high:.3f}"
