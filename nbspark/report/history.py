"""What other reports say, and the versions: tuning, drift and the timeline as a page shows them. No pyspark in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nbspark.report import svg
from nbspark.report.figures import PLAIN, Plot, in_words
from nbspark.report.numbers import number, share, whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbspark.report.content import VersionLine

MOST_SETTINGS = 40
MOST_VERSIONS = 50
MOST_SERIES = 4


@dataclass(frozen=True)
class Tuning:
    """Settings as rows of a table, the best first, and a curve for each option that is a number.

    The first ``n_options`` columns are the options; a row comes with what marks it.
    """

    metric: str
    heads: Sequence[str]
    rows: Sequence[tuple[Sequence[str], str]]
    n_options: int
    n_settings: int
    curves: Sequence[Plot]


def tuning(report: Mapping[str, Any]) -> Tuning:
    """Return the table and the curves of a report of ``nbspark tune``.

    Examples
    --------
    >>> def tried(alpha, mean):
    ...     return {"options": {"alpha": alpha}, "metrics": {"accuracy": {"mean": mean, "se": 0.01}}, "n_terms": 5}
    >>> found = tuning({"metric": "accuracy", "settings": [tried(0.1, 0.5), tried(1.0, 0.75)]})
    >>> found.heads
    ['alpha', 'Accuracy', 'terms']
    >>> found.rows[0]
    (['1', '75.0 % ± 1.0', '5'], '')
    """
    metric, settings = report["metric"], list(report["settings"])
    metrics = [metric, *(name for name in settings[0]["metrics"] if name != metric)]
    options = list(dict.fromkeys(name for one in settings for name in one["options"]))
    sign = 1 if metric in PLAIN else -1
    order = sorted(settings, key=lambda one: sign * _mean(one, metric, missing=sign * float("inf")))
    rows = []
    for one in order[:MOST_SETTINGS]:
        cells = [_value(one["options"].get(name)) for name in options]
        cells += [_score(one["metrics"][name], name) for name in metrics]
        marks = {"best": "best", "simplest": "simplest within one standard error", "chosen": "chosen"}
        told = ", ".join(word for key, word in marks.items() if one.get(key))
        rows.append(([*cells, whole(one["n_terms"])], told))
    heads = [*options, *map(in_words, metrics), "terms"]
    curves = [curve for name in options if (curve := _curve(settings, name, options, metric)) is not None]
    return Tuning(in_words(metric), heads, rows, len(options), len(settings), curves)


def _curve(settings: Sequence[Mapping[str, Any]], name: str, options: Sequence[str], metric: str) -> Plot | None:
    """Return a metric by the values of an option, the best of the other options; None for one that is no number."""
    values = {one["options"].get(name) for one in settings}
    if len(values) < 3 or any(isinstance(one, bool) or not isinstance(one, int | float) for one in values):
        return None
    places = {value: place for place, value in enumerate(sorted(values))}
    texts = [one for one in options if any(isinstance(each["options"].get(one), str) for each in settings)]
    better = min if metric in PLAIN else max
    best: dict[str, dict[int, tuple[float, float]]] = {}
    for one in settings:
        mean = _mean(one, metric, missing=None)
        if mean is None:
            continue
        told = ", ".join(_value(one["options"].get(each)) for each in texts) or metric
        own, place = best.setdefault(told, {}), places[one["options"][name]]
        found = mean, one["metrics"][metric]["se"] or 0.0
        own[place] = better(own.get(place, found), found)
    if not best:
        return None
    ranked = sorted(best, key=lambda each: better(best[each].values()), reverse=better is max)[:MOST_SERIES]
    series = [
        svg.Series(told, [(place, mean) for place, (mean, _) in own], [se for _, (_, se) in own])
        for told, own in ((each, sorted(best[each].items())) for each in ranked)
    ]
    is_plain = metric in PLAIN
    ends = [
        y + sign * half
        for one in series
        for (_, y), half in zip(one.points, one.spread, strict=True)
        for sign in (-1, 1)
    ]
    x = svg.Axis(name, -0.3, len(places) - 0.7, [(place, _value(value)) for value, place in places.items()])
    y = svg.axis(in_words(metric) + ("" if is_plain else ", %"), ends, in_percent=not is_plain)
    drawing = svg.chart(series, x, y, title=f"{in_words(metric)} by {name}, with its standard error")
    rows = [
        [one.name, x.ticks[int(place)][1], number(mean) if is_plain else share(mean)]
        for one in series
        for place, mean in one.points
    ]
    return Plot(drawing, [one.name for one in series] if texts else [], ["", name, in_words(metric)], rows)


def _mean(setting: Mapping[str, Any], metric: str, *, missing: Any) -> Any:
    """Return the mean of a metric; something else where it has none, or an infinite one."""
    mean = setting["metrics"][metric]["mean"]
    return missing if mean is None or isinstance(mean, str) else mean


def _value(value: Any) -> str:
    """Return a value of an option as text.

    >>> _value(1.0), _value(None), _value(True), _value("uniform")
    ('1', 'none', 'true', 'uniform')
    """
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def _score(score: Mapping[str, Any], name: str) -> str:
    """Return mean and standard error."""
    mean, se = score["mean"], score.get("se")
    if name in PLAIN:
        return number(mean) + (f" ± {se:.3f}" if isinstance(se, float) else "")
    return share(mean) + (f" ± {100 * se:.1f}" if isinstance(se, float) else "")


@dataclass(frozen=True)
class Moved:
    """What moved in a class: how far in bits, how far by chance, and the terms that moved most, gone and new."""

    label: str
    feature: str
    jsd: str
    limit: str
    is_beyond: bool
    terms: Sequence[tuple[str, str]]


def drift(report: Mapping[str, Any]) -> list[Moved]:
    """Return what a report of ``nbspark drift`` says, what moved furthest beyond chance first."""
    found = sorted(report["drift"]["divergences"], key=lambda one: -one["excess"])
    return [
        Moved(
            one["label"] or "class shares",
            one["feature"] or "",
            f"{one['jsd']:.4f}",
            f"{one['limit']:.4f}",
            one["excess"] > 0,
            [(kind, ", ".join(each["term"] for each in one[kind])) for kind in ("moved", "gone", "new") if one[kind]],
        )
        for one in found
    ]


def timeline(versions: Sequence[VersionLine]) -> Plot | None:
    """Return a metric of the versions that a gate measured; None where there are fewer than two."""
    known = [one for one in versions[-MOST_VERSIONS:] if "accuracy" in one.metrics]
    if len(known) < 2:
        return None
    points = [(float(place), one.metrics["accuracy"]) for place, one in enumerate(known)]
    every = max(1, len(known) // 8)
    x = svg.Axis("version", -0.3, len(known) - 0.7, [(i, str(known[i].version)) for i in range(0, len(known), every)])
    y = svg.axis("accuracy, %", [value for _, value in points], in_percent=True)
    drawing = svg.chart([svg.Series("accuracy", points)], x, y, title="Accuracy of each version when it was judged")
    return Plot(drawing, [], [], [])
