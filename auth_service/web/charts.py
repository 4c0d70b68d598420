"""Draw usage as inline SVG. The page shows the numbers in a table as well.

Widths are shares of the drawing's width and heights are pixels, so that a chart has all its bars, and
letters of a readable size, on a phone and on a desktop.
"""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

_TOP: Final = 26
_PLOT: Final = 150
_BASE: Final = _TOP + _PLOT
_HEIGHT: Final = _BASE + 40
_LABEL_EVERY: Final = 7
"""Days between two labels of the axis."""

_ROW: Final = 44
_BAR: Final = 14
_LENGTH: Final = 84.0
"""Of the longest row, in percent of the width; the rest is for its number."""

_MAX_STEPS: Final = 4
_STEPS: Final = (1, 2, 5)

Values = Sequence[tuple[str, int]]


def columns(values: Values, name: str, unit: str) -> Markup:
    """Draw a column per day, with both axes labelled; `name` is the accessible name."""
    ticks = ticks_to(max((value for _, value in values), default=0))
    step = 100 / max(len(values), 1)
    lines = [
        Markup(
            '<line class="{}" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
            '<text x="-8" y="{label:.1f}" text-anchor="end">{tick:,}</text>'
        ).format(
            "grid" if tick else "axis",
            y=_height(tick, ticks),
            label=_height(tick, ticks) + 4,
            tick=tick,
        )
        for tick in ticks
    ]
    shapes = [
        Markup(
            '<rect class="bar" x="{:.2f}%" y="{:.1f}" width="{:.2f}%" height="{:.1f}">'
            "<title>{}: {:,}</title></rect>"
        ).format(
            index * step + step * 0.12,
            _height(value, ticks),
            step * 0.76,
            _BASE - _height(value, ticks),
            label,
            value,
        )
        for index, (label, value) in enumerate(values)
        if value
    ]
    labels = [
        Markup('<text x="{:.2f}%" y="{}" text-anchor="middle">{}</text>').format(
            (index + 0.5) * step, _BASE + 16, label
        )
        for index, (label, _) in enumerate(values)
        if index % _LABEL_EVERY == 0
    ]
    titles = Markup(
        '<text class="title" x="-48" y="12">{}</text>'
        '<text class="title" x="100%" y="{}" text-anchor="end">Day (UTC)</text>'
    ).format(unit, _HEIGHT - 4)
    content = Markup().join([*lines, *shapes, *labels, titles])
    return _figure("chart columns", _HEIGHT, name, content)


def rows(values: Values, name: str, unit: str) -> Markup:
    """Draw a bar per value, its label above it and its number behind it, with an axis below."""
    ticks = ticks_to(max((value for _, value in values), default=0))
    base = len(values) * _ROW
    lines = [
        Markup(
            '<line class="{}" x1="{x:.2f}%" x2="{x:.2f}%" y1="0" y2="{base}"/>'
            '<text x="{x:.2f}%" y="{label}" text-anchor="{anchor}">{tick:,}</text>'
        ).format(
            "grid" if tick else "axis",
            x=tick / ticks[-1] * _LENGTH,
            base=base,
            label=base + 16,
            anchor="middle" if tick else "start",
            tick=tick,
        )
        for tick in ticks
    ]
    shapes = [
        Markup(
            '<text class="name" x="4" y="{}">{}</text>'
            '<rect class="bar" x="0" y="{}" width="{:.2f}%" height="{}"/>'
            '<text x="{:.2f}%" dx="6" y="{}">{:,}</text>'
        ).format(
            index * _ROW + 16,
            label,
            index * _ROW + 22,
            max(value, 0) / ticks[-1] * _LENGTH,
            _BAR,
            max(value, 0) / ticks[-1] * _LENGTH,
            index * _ROW + 34,
            value,
        )
        for index, (label, value) in enumerate(values)
    ]
    title = Markup('<text class="title" x="0" y="{}">{}</text>').format(base + 34, unit)
    return _figure("chart", base + 40, name, Markup().join([*lines, *shapes, title]))


def ticks_to(largest: int) -> Sequence[int]:
    """Return the ticks of an axis from 0 to `largest` or a little more: at most five, in steps of 1, 2 or 5 times a power of ten."""
    power = 1
    while True:
        for factor in _STEPS:
            step = factor * power
            if step * _MAX_STEPS >= largest:
                count = max(1, -(-largest // step))
                return [step * index for index in range(count + 1)]
        power *= 10


def _height(value: int, ticks: Sequence[int]) -> float:
    """Return the y of a value; below zero is drawn as zero."""
    return _BASE - max(value, 0) / ticks[-1] * _PLOT


def _figure(css_class: str, height: int, name: str, content: Markup) -> Markup:
    return Markup(
        '<svg class="{}" width="100%" height="{}" role="img" aria-label="{}">{}</svg>'
    ).format(css_class, height, name, content)
