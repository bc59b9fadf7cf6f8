"""Four kinds of chart, as SVG: scores with intervals, a matrix of bars, lines over steps, points by cost.

They know nothing of runs. Whatever differs by colour differs by shape, dash or a label too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from .svg import DASHES, MARKS, SERIES, element, line, mark, picture, spread, text, ticks
from .texts import NOTHING, compact, number, shortened, width_of

LABEL = 34
"""Characters of a label that a chart shows; the table beside it has the whole."""
_ROW = 26


@dataclass(frozen=True, slots=True)
class Scored:
    """A row of an interval chart: a label, a mean with its interval, and a second value (None: there is none)."""

    label: str
    mean: float
    low: float
    high: float
    kind: str = ""
    second: float | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """A line or a point: its label, where it goes through, and the bounds of an interval where there is one."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: float | None = None
    high: float | None = None
    kind: str = ""


def _left(labels: Sequence[str]) -> float:
    return 14 + max((width_of(shortened(label, LABEL)) for label in labels), default=0)


def intervals(title: str, rows: Sequence[Scored], *, second: str = "") -> Markup:
    """Return means with their intervals on a scale from 0 to 1; bounds are hollow squares, ``second`` a diamond."""
    left, right, top = _left([row.label for row in rows]), 70, 26
    width, height = 860, top + _ROW * len(rows) + 44
    span = width - left - right

    def place(value: float) -> float:
        return left + span * value

    bottom = top + _ROW * len(rows)
    parts = [line(place(at), top - 6, place(at), bottom, "grid") for at in ticks(0, 1)]
    parts += [text(place(at), bottom + 16, f"{at:.1f}", "tick", "middle") for at in ticks(0, 1)]
    for at, row in enumerate(rows):
        parts += _scored_row(row, top + _ROW * at + _ROW / 2, place, left, width)
    parts.append(_interval_key(left, bottom + 38, second, bounds=any(row.kind for row in rows)))
    said = "; ".join(f"{row.label} {number(row.mean)}" for row in rows)
    return picture(width, height, title, said, *parts)


def _scored_row(row: Scored, y: float, place: Callable[[float], float], left: float, width: float) -> list[Markup]:
    label = text(left - 12, y + 4, shortened(row.label, LABEL), "label", "end")
    if math.isnan(row.mean):
        return [label, text(width - 8, y + 4, "not scored", "tick", "end")]
    second = [] if row.second is None else [mark("diamond", place(row.second), y, "hollow s1", 5)]
    shape = mark("square", place(row.mean), y, "hollow s0", 5) if row.kind else mark("circle", place(row.mean), y, "s0")
    ends = [line(place(at), y - 4, place(at), y + 4, "whisker") for at in (row.low, row.high)]
    bar = line(place(row.low), y, place(row.high), y, "whisker")
    return [label, *second, bar, *ends, shape, text(width - 8, y + 4, number(row.mean), "value", "end")]


def _interval_key(x: float, y: float, second: str, *, bounds: bool) -> Markup:
    told = [("circle", "s0", "mean, with its 95 % interval")]
    told += [("square", "hollow s0", "a bound, no competitor")] if bounds else []
    told += [("diamond", "hollow s1", second)] if second else []
    parts: list[Markup] = []
    for kind, css, said in told:
        parts += [mark(kind, x + 6, y - 4, css), text(x + 17, y, said, "tick")]
        x += 40 + width_of(said, 11)
    return Markup("").join(parts)


def matrix(
    title: str,
    labels: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    *,
    show: Callable[[float | None], str] = number,
    common: float | None = None,
) -> Markup:
    """Return a bar and a number for each row and column; ``common`` is the full bar (None: each column's largest)."""
    left, head, gap = _left(labels), 44, 14
    cell = min(190.0, max(76.0, (900 - left) / max(1, len(columns)) - gap))
    width, height = left + len(columns) * (cell + gap), head + _ROW * len(labels) + 6
    parts: list[Markup] = []
    for at, column in enumerate(columns):
        x = left + at * (cell + gap)
        full = common or max([one for row in values if (one := row[at]) is not None and not math.isnan(one)] or [0.0])
        parts += [*_heading(column, x, cell, head), line(x, head - 4, x, height - 4, "axis")]
        for number_, row in enumerate(values):
            parts += _bar(row[at], full, x, head + _ROW * number_, cell, show)
    parts += [
        text(left - 12, head + _ROW * at + 17, shortened(label, LABEL), "label", "end")
        for at, label in enumerate(labels)
    ]
    said = f"{len(labels)} rows by {', '.join(columns)}"
    return picture(width, height, title, said, *parts)


def _heading(column: str, x: float, cell: float, head: float) -> list[Markup]:
    """Return a column's heading on one line or two."""
    words, lines = column.split(" "), [""]
    for word in words:
        joined = f"{lines[-1]} {word}".strip()
        if width_of(joined, 11) > cell and lines[-1] and len(lines) < 2:
            lines.append(word)
        else:
            lines[-1] = joined
    fitting = max(6, int(cell / 6))
    return [
        text(x, head - 12 - 13 * (len(lines) - 1 - at), shortened(said, fitting), "tick strong")
        for at, said in enumerate(lines)
    ]


def _bar(
    value: float | None, full: float, x: float, y: float, cell: float, show: Callable[[float | None], str]
) -> list[Markup]:
    if value is None or math.isnan(value):
        return [text(x + 6, y + 17, NOTHING, "tick")]
    said = show(value)
    room = cell - width_of(said, 11) - 10
    length = max(0.0, room * min(1.0, value / full)) if full else 0.0
    bar = element("rect", x=float(x), y=y + 6.0, width=length, height=14, rx=1.5, class_="bar")
    return [*([bar] if length else []), text(x + length + 5, y + 17, said, "value")]


def lines(title: str, series: Sequence[Series], *, x_label: str, y_label: str) -> Markup:
    """Return one line a series, each named at its end; dash and mark tell them apart without colour."""
    named = [shortened(one.label, LABEL) for one in series]
    left, right, top, height = 56, 24 + max((width_of(label) for label in named), default=0), 16, 340
    width = 900
    bottom, end = height - 44, width - right
    most_x = max((one.x[-1] for one in series if one.x), default=1) or 1
    most_y = max((max(one.y) for one in series if one.y), default=1) or 1

    def at(x: float, y: float) -> tuple[float, float]:
        return left + (end - left) * x / most_x, bottom - (bottom - top) * y / most_y

    parts = _axes(at, most_x, most_y, (left, end, bottom), (x_label, y_label))
    places = spread([at(0, one.y[-1])[1] for one in series], 15, top, bottom)
    for order, one in enumerate(series):
        points = [at(x, y) for x, y in zip(one.x, one.y, strict=True)]
        parts += _line(points, order, (end, places[order]), named[order])
    return picture(width, height, title, f"{y_label} by {x_label}: {', '.join(named)}", *parts)


def _line(points: list[tuple[float, float]], order: int, label: tuple[float, float], said: str) -> list[Markup]:
    colour = f"s{order % SERIES}"
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    x, y = points[-1]
    return [
        element("polyline", points=path, class_=f"curve {colour}", stroke_dasharray=DASHES[order % SERIES] or None),
        mark(MARKS[order % SERIES], x, y, colour, 4),
        line(x + 5, y, label[0] + 12, label[1], "leader"),
        text(label[0] + 15, label[1] + 4, said, "label"),
    ]


def _axes(
    at: Callable[[float, float], tuple[float, float]],
    most_x: float,
    most_y: float,
    box: tuple[float, float, float],
    names: tuple[str, str],
) -> list[Markup]:
    left, end, bottom = box
    parts: list[Markup] = []
    for value in ticks(0, most_y):
        y = at(0, value)[1]
        parts += [line(left, y, end, y, "grid"), text(left - 8, y + 4, compact(value), "tick", "end")]
    for value in ticks(0, most_x, 8):
        parts.append(text(at(value, 0)[0], bottom + 18, compact(value), "tick", "middle"))
    parts += [line(left, bottom, end, bottom, "axis"), text((left + end) / 2, bottom + 36, names[0], "tick", "middle")]
    return [*parts, text(8, 11, names[1], "tick")]


def scatter(title: str, points: Sequence[Series], *, x_label: str, y_label: str = "reward") -> Markup:
    """Return points with vertical intervals over a logarithmic scale of cost; bounds are hollow squares."""
    width, height, left, top = 560, 380, 50, 22
    bottom, end = height - 46, width - 24
    low = math.floor(math.log10(max(1.0, min(one.x[0] for one in points) * 0.7)))
    high = max(low + 1, math.ceil(math.log10(max(1.0, max(one.x[0] for one in points) * 1.3))))

    def at(x: float, y: float) -> tuple[float, float]:
        share = (math.log10(max(1.0, x)) - low) / (high - low)
        return left + (end - left) * share, bottom - (bottom - top) * y

    parts: list[Markup] = []
    for value in ticks(0, 1):
        parts += [line(left, at(1, value)[1], end, at(1, value)[1], "grid"),
                  text(left - 8, at(1, value)[1] + 4, f"{value:.1f}", "tick", "end")]  # fmt: skip
    for power in range(low, high + 1):
        x = at(10**power, 0)[0]
        parts += [line(x, top, x, bottom, "grid"), text(x, bottom + 18, compact(10.0**power), "tick", "middle")]
    parts += [text((left + end) / 2, bottom + 38, x_label, "tick", "middle"), text(8, 11, y_label, "tick")]
    parts += _named_points([(one, at(one.x[0], one.y[0])) for one in points], at, (left, end, top, bottom))
    return picture(width, height, title, f"{y_label} by {x_label}, logarithmic", *parts)


def _leftward(
    one: Series, at: tuple[float, float], placed: Sequence[tuple[Series, tuple[float, float]]], middle: float
) -> bool:
    """Return whether a point's name goes to its left: in the right half, or where another point is in its way."""
    reach = 24 + width_of(shortened(one.label, 24))
    rightward = any(0 < x - at[0] < reach and abs(y - at[1]) < 14 for _, (x, y) in placed)
    leftward = any(0 < at[0] - x < reach and abs(y - at[1]) < 14 for _, (x, y) in placed)
    return at[0] > middle if rightward is leftward else rightward


def _named_points(
    placed: Sequence[tuple[Series, tuple[float, float]]],
    at: Callable[[float, float], tuple[float, float]],
    box: tuple[float, float, float, float],
) -> list[Markup]:
    """Return the points with their names beside them, moved apart within the left and the right half."""
    left, end, top, bottom = box
    parts: list[Markup] = []
    leftward = [_leftward(one, at, placed, (left + end) / 2) for one, at in placed]
    for half in (False, True):
        side = [pair for pair, chosen in zip(placed, leftward, strict=True) if chosen is half]
        heights = spread([y for _, (_, y) in side], 15, top + 4, bottom - 6)
        for (one, (x, y)), label_y in zip(side, heights, strict=True):
            if one.low is not None and one.high is not None:
                parts.append(line(x, at(1, one.low)[1], x, at(1, one.high)[1], "whisker"))
            toward = -1 if half else 1
            shape = mark("square", x, y, "hollow s0") if one.kind else mark("circle", x, y, "s0")
            label_x = x + toward * 16
            parts += [
                shape,
                line(x + toward * 6, y, label_x - toward * 3, label_y, "leader"),
                text(label_x, label_y + 4, shortened(one.label, 24), "label", "end" if half else None),
            ]
    return parts
