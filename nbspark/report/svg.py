"""Small drawings as SVG text. Colours come from the page's style by class; every text is escaped. No pyspark in it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH, HEIGHT = 380, 270
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 28, 40
BAR = 100


class Drawing(str):
    """SVG that a template takes as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        """Return the text: it is escaped already."""
        return str(self)


@dataclass(frozen=True)
class Series:
    """Points in the order of their x, joined by a line.

    ``spread`` is half the whisker of each, ``shares`` how much of all each stands for, which its mark's size shows.
    """

    name: str
    points: Sequence[tuple[float, float]]
    spread: Sequence[float] = ()
    shares: Sequence[float] = ()


@dataclass(frozen=True)
class Axis:
    """What an axis measures, from where to where, and which places of it are named."""

    name: str
    low: float
    high: float
    ticks: Sequence[tuple[float, str]]

    def at(self, value: float, start: float, end: float) -> float:
        """Return the place of a value between two places of the drawing.

        >>> Axis("share", 0, 2, ()).at(1, 10, 20)
        15.0
        """
        return start + (value - self.low) / ((self.high - self.low) or 1) * (end - start)


def axis(name: str, values: Sequence[float], *, in_percent: bool = False) -> Axis:
    """Return an axis with round ticks that has room for all values.

    >>> [label for _, label in axis("loss", [0.11, 0.29]).ticks]
    ['0.10', '0.15', '0.20', '0.25', '0.30']
    >>> [label for _, label in axis("accuracy", [0.72, 0.98], in_percent=True).ticks]
    ['70', '80', '90', '100']
    >>> [label for _, label in axis("coverage", [0.1, 1.0], in_percent=True).ticks]
    ['0', '25', '50', '75', '100']
    """
    low, high = min(values), max(values)
    if high - low < 1e-9:
        low, high = low - 0.01, high + 0.01
    rough = (high - low) / 4
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * one for one in (1, 2, 2.5, 5, 10) if unit * one >= rough * 0.99)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    places = [one * step for one in range(first, last + 1)]
    scale = 100 if in_percent else 1
    digits = max(0, -math.floor(math.log10(step * scale) + 1e-9) + (f"{step:e}"[:3] == "2.5"))
    return Axis(name, places[0], places[-1], [(one, f"{scale * one:.{digits}f}") for one in places])


def shares(name: str) -> Axis:
    """Return an axis from 0 to 1, named in percent."""
    return Axis(name, 0.0, 1.0, [(one / 4, f"{25 * one}") for one in range(5)])


def chart(series: Sequence[Series], x: Axis, y: Axis, *, title: str, diagonal: bool = False) -> Drawing:
    """Return lines over two axes: each series has its own colour, its own dashes and its own mark.

    Parameters
    ----------
    title : str
        What a screen reader says; the numbers stand in a table beside.
    diagonal : bool
        Whether to draw where both axes agree.
    """
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = [f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">']
    for value, label in y.ticks:
        place = y.at(value, bottom, TOP)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{place:.1f}" y2="{place:.1f}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{place + 4:.1f}" text-anchor="end">{escape(label)}</text>')
    for value, label in x.ticks:
        place = x.at(value, LEFT, right)
        anchor = "end" if place > right - 8 else "middle"
        parts.append(f'<text x="{place:.1f}" y="{bottom + 15}" text-anchor="{anchor}">{escape(label)}</text>')
    parts.append(f'<text x="{LEFT}" y="{HEIGHT - 6}" class="name">{escape(x.name)} →</text>')
    parts.append(f'<text x="{LEFT}" y="14" class="name">↑ {escape(y.name)}</text>')
    if diagonal:
        parts.append(f'<line class="ideal" x1="{LEFT}" y1="{bottom}" x2="{right}" y2="{TOP}"/>')
    for number, one in enumerate(series):
        placed = [(x.at(a, LEFT, right), y.at(b, bottom, TOP)) for a, b in one.points]
        halves = [spread / ((y.high - y.low) or 1) * (bottom - TOP) for spread in one.spread]
        sizes = [1.6 + 4.4 * math.sqrt(part) for part in one.shares] or [3.2] * len(placed)
        parts += _line(number % 4, placed, halves, marks=list(zip(placed, sizes, strict=True)))
    return Drawing("".join(parts) + "</svg>")


def bar(value: float | None, *, low: float | None = None, high: float | None = None, kind: str = "") -> Drawing:
    """Return a bar from 0 to 1 with its interval; its number stands beside it, so that nothing is said twice."""
    parts = [f'<svg class="bar {escape(kind)}" viewBox="0 0 {BAR} 10" preserveAspectRatio="none" aria-hidden="true">']
    parts.append(f'<rect class="of" width="{BAR}" height="10"/>')
    if value is not None:
        parts.append(f'<rect class="is" width="{BAR * min(max(value, 0.0), 1.0):.2f}" height="10"/>')
    if low is not None and high is not None:
        width = max(BAR * (high - low), 0.5)
        parts.append(f'<rect class="range" x="{BAR * low:.2f}" y="4" width="{width:.2f}" height="2"/>')
    return Drawing("".join(parts) + "</svg>")


def key(number: int) -> Drawing:
    """Return the sample of a series for a legend."""
    start = '<svg class="key" viewBox="0 0 34 10" aria-hidden="true">'
    return Drawing(start + "".join(_line(number % 4, [(2, 5), (32, 5)], [], marks=[((17, 5), 3.2)])) + "</svg>")


def _line(
    number: int,
    placed: Sequence[tuple[float, float]],
    spread: Sequence[float],
    *,
    marks: Sequence[tuple[tuple[float, float], float]],
) -> list[str]:
    """Return the line, the whiskers and the marks of a series."""
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in placed)
    parts = [f'<polyline class="line s{number}" points="{path}"/>'] if len(placed) > 1 else []
    for (a, b), half in zip(placed, spread, strict=False):
        parts.append(
            f'<line class="whisker s{number}" x1="{a:.1f}" x2="{a:.1f}" y1="{b - half:.1f}" y2="{b + half:.1f}"/>'
        )
    for (a, b), size in marks:
        if number == 0:
            parts.append(f'<circle class="mark s0" cx="{a:.1f}" cy="{b:.1f}" r="{size:.1f}"/>')
        elif number == 1:
            place = f'x="{a - size:.1f}" y="{b - size:.1f}" width="{2 * size:.1f}" height="{2 * size:.1f}"'
            parts.append(f'<rect class="mark s1" {place}/>')
        else:
            wide, side = 1.25 * size, 1.25 * size * (1 if number == 2 else -1)
            corners = f"{a - wide:.1f},{b + side:.1f} {a + wide:.1f},{b + side:.1f} {a:.1f},{b - side:.1f}"
            parts.append(f'<polygon class="mark s{number}" points="{corners}"/>')
    return parts
