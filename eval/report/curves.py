"""Curves over the steps of training, as SVG: one line a series, with a band where a series is of several runs.

Apart from the other charts, whose lines begin at the first step of an episode and know no bands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from .svg import DASHES, MARKS, SERIES, element, line, mark, picture, spread, text, ticks
from .texts import compact, shortened, width_of

_WIDTH, _HEIGHT, _LEFT, _TOP = 900, 300, 60, 18
_LABEL = 34
_MARKED = 24
"""Series with fewer points than this have a mark at each."""

Place = Callable[[float, float], tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Curve:
    """A series: where it goes through, and the bounds of its band (empty: it has none). ``x`` grows."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


def curves(title: str, drawn: Sequence[Curve], *, y_label: str, x_label: str = "step of training") -> Markup:
    """Return the chart of some curves; each is named at its end and differs by dash and mark as well as by colour."""
    named = [shortened(one.label, _LABEL) for one in drawn]
    right = 30 + max((width_of(label) for label in named), default=0)
    low, high = _range(drawn)
    most = max((one.x[-1] for one in drawn if one.x), default=1) or 1
    end, bottom = _WIDTH - right, _HEIGHT - 44

    def at(x: float, y: float) -> tuple[float, float]:
        return _LEFT + (end - _LEFT) * x / most, bottom - (bottom - _TOP) * (y - low) / (high - low)

    parts = _axes(at, (low, high), most, (end, bottom), (x_label, y_label))
    parts += [_band(one, at, order) for order, one in enumerate(drawn) if one.low]
    places = spread([at(0, one.y[-1])[1] for one in drawn], 15, _TOP, bottom)
    for order, one in enumerate(drawn):
        parts += _line(one, at, order, (end, places[order]), named[order])
    return picture(_WIDTH, _HEIGHT, title, f"{y_label} by {x_label}: {', '.join(named)}", *parts)


def _range(drawn: Sequence[Curve]) -> tuple[float, float]:
    """Return the bounds of the vertical scale: 0 is always on it."""
    values = [value for one in drawn for value in (*one.y, *one.low, *one.high)]
    low, high = min(0.0, *values, 0.0), max(0.0, *values, 0.0)
    return low, high if high > low else low + 1.0


def _band(one: Curve, at: Place, order: int) -> Markup:
    upper = [at(x, y) for x, y in zip(one.x, one.high, strict=True)]
    lower = [at(x, y) for x, y in zip(one.x, one.low, strict=True)]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in (*upper, *reversed(lower)))
    return element("polygon", points=points, class_=f"s{order % SERIES}", fill_opacity=0.15, stroke_width=0)


def _line(one: Curve, at: Place, order: int, label: tuple[float, float], said: str) -> list[Markup]:
    colour, points = f"s{order % SERIES}", [at(x, y) for x, y in zip(one.x, one.y, strict=True)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    x, y = points[-1]
    shape = MARKS[order % SERIES]
    return [
        element("polyline", points=path, class_=f"curve {colour}", stroke_dasharray=DASHES[order % SERIES] or None),
        *([mark(shape, *point, colour, 3) for point in points[:-1]] if len(points) < _MARKED else []),
        mark(shape, x, y, colour, 4),
        line(x + 5, y, label[0] + 12, label[1], "leader"),
        text(label[0] + 15, label[1] + 4, said, "label"),
    ]


def _axes(
    at: Place, values: tuple[float, float], most: float, box: tuple[float, float], names: tuple[str, str]
) -> list[Markup]:
    end, bottom = box
    parts: list[Markup] = []
    for value in ticks(*values):
        y = at(0, value)[1]
        parts += [line(_LEFT, y, end, y, "grid"), text(_LEFT - 8, y + 4, _number(value), "tick", "end")]
    parts += [text(at(x, 0)[0], bottom + 18, compact(x), "tick", "middle") for x in ticks(0, most, 8)]
    parts += [
        line(_LEFT, bottom, end, bottom, "axis"),
        text((_LEFT + end) / 2, bottom + 36, names[0], "tick", "middle"),
    ]
    return [*parts, text(8, 11, names[1], "tick")]


def _number(value: float) -> str:
    """Return a number of an axis: counts short, small ones as they are."""
    return compact(value) if value >= 10 else f"{value:.3g}".replace("-", "−")
