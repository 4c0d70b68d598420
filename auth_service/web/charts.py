"""Draw usage as inline SVG. The page shows the numbers in a table as well."""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup, escape

_WIDTH: Final = 640
_HEIGHT: Final = 180
_BASE: Final = _HEIGHT - 24
_ROW: Final = 28
_LABEL: Final = 190
_END: Final = Markup('<text x="{}" y="{}" text-anchor="{}">{}</text>')

Values = Sequence[tuple[str, int]]


def columns(values: Values, name: str) -> Markup:
    """Draw a column per value, the first and last labelled; `name` is the accessible name."""
    top = max((value for _, value in values), default=0) or 1
    step = _WIDTH / max(len(values), 1)
    shapes = [
        Markup(
            '<rect class="bar" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="2">'
            "<title>{}: {}</title></rect>"
        ).format(
            index * step + step * 0.12,
            _BASE - value / top * (_BASE - 18),
            step * 0.76,
            max(value / top * (_BASE - 18), 0.0),
            label,
            value,
        )
        for index, (label, value) in enumerate(values)
    ]
    axis = Markup('<line class="axis" x1="0" y1="{0}" x2="{1}" y2="{0}"/>').format(_BASE, _WIDTH)
    ends = _ends(values)
    peak = Markup('<text x="0" y="12">{:,}</text>').format(top) if values else Markup()
    return _figure(_HEIGHT, name, Markup().join([*shapes, axis, *ends, peak]))


def rows(values: Values, name: str) -> Markup:
    """Draw a bar per value, labelled on the left, with its number on the right."""
    top = max((value for _, value in values), default=0) or 1
    bar_width = _WIDTH - _LABEL - 70
    shapes = [
        Markup(
            '<text x="0" y="{}">{}</text><rect class="bar" x="{}" y="{}" width="{:.1f}" '
            'height="16" rx="2"/><text x="{:.1f}" y="{}">{:,}</text>'
        ).format(
            index * _ROW + 17,
            label,
            _LABEL,
            index * _ROW + 5,
            value / top * bar_width,
            _LABEL + value / top * bar_width + 8,
            index * _ROW + 17,
            value,
        )
        for index, (label, value) in enumerate(values)
    ]
    return _figure(max(len(values), 1) * _ROW, name, Markup().join(shapes))


def _ends(values: Values) -> list[Markup]:
    if not values:
        return []
    first = _END.format(0, _HEIGHT - 6, "start", values[0][0])
    last = _END.format(_WIDTH, _HEIGHT - 6, "end", values[-1][0])
    return [first, last]


def _figure(height: int, name: str, content: Markup) -> Markup:
    return Markup(
        '<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>'
    ).format(_WIDTH, height, escape(name), content)
