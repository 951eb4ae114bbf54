"""The table of settings that a person reads. No pyspark in it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from nbspark.evaluation.render import _aligned
from nbspark.selection.results import METRICS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbspark.selection.results import Comparison, Score

MOST_ROWS = 40


def render(comparison: Comparison, specs: Sequence[str] = ()) -> str:
    """Return the settings with their metrics, the best first by the metric that compares them.

    Parameters
    ----------
    specs : sequence of str
        What the specs are called, where there are several.
    """
    tried = comparison.tried
    names = list(dict.fromkeys(name for one in tried for name in one.setting.options))
    heads = [*(["spec"] if specs else []), *names]
    metrics = [comparison.metric, *(name for name in METRICS if name != comparison.metric)]
    rows = [[*heads, *(name.replace("_", " ") for name in metrics), "terms", "p", ""]]
    order = comparison.order
    for i in order[:MOST_ROWS]:
        one = tried[i]
        options = [shown(one.setting.options.get(name)) for name in names]
        marks = ["best"] * (i == comparison.best) + ["simplest within 1 SE"] * (i == comparison.simplest)
        rows.append(
            [
                *([specs[one.setting.base]] if specs else []),
                *options,
                *(_score(one.metrics[name]) for name in metrics),
                f"{one.n_terms:,}",
                _p_value(comparison.p_value(i)),
                ", ".join(marks),
            ]
        )
    lines = _aligned([[*row[:-1], f"  {row[-1]}" if row[-1] else ""] for row in rows], n_left=len(heads))
    if len(order) > MOST_ROWS:
        lines.append(f"... and {len(order) - MOST_ROWS:,} more settings")
    return "\n".join(lines)


def shown(value: Any) -> str:
    """Return a value of an option as it is written in a grid.

    >>> shown(None), shown(True), shown(0.1)
    ('none', 'true', '0.1')
    """
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _score(score: Score) -> str:
    """Return mean and standard error."""
    if math.isnan(score.mean):
        return "-"
    return f"{score.mean:.4f}" + ("" if math.isnan(score.se) else f" ± {score.se:.4f}")


def _p_value(value: float | None) -> str:
    """Return a p-value; nothing for the best itself."""
    if value is None:
        return ""
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"
