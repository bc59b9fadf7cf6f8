"""The few pieces that every figure is made of: elements, marks, axes. Written as text, so that no package is needed.

Colours are CSS variables of the page (light and dark); a figure in a file of its own brings them along.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup, escape

from .texts import visible

SERIES = 7
MARKS = ("circle", "square", "triangle", "diamond", "down", "plus", "cross")
DASHES = ("", "7 4", "2 3", "9 3 2 3", "4 4", "12 4", "1 4")

_PALETTE = Path(__file__).parent / "pages" / "palette.html"


def element(tag: str, *children: str, **attributes: object) -> Markup:
    """Return an SVG element; text is escaped, ``_`` in a name stands for ``-``, an attribute of None is left out."""
    named = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items() if value is not None}
    said = "".join(f' {name}="{escape(visible(_short(value)))}"' for name, value in named.items())
    inside = Markup("").join(child if isinstance(child, Markup) else escape(visible(child)) for child in children)
    return Markup(f"<{tag}{said}>{inside}</{tag}>")


def _short(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def text(x: float, y: float, said: str, css: str = "", anchor: str | None = None, **more: object) -> Markup:
    """Return a text with its baseline at y."""
    return element("text", said, x=float(x), y=float(y), class_=css or None, text_anchor=anchor, **more)


def line(x1: float, y1: float, x2: float, y2: float, css: str) -> Markup:
    return element("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), class_=css)


def picture(width: float, height: float, title: str, about: str, *parts: str) -> Markup:
    """Return a whole figure; ``title`` and ``about`` are what a screen reader says."""
    return element(
        "svg", element("title", title), element("desc", about), *parts, xmlns="http://www.w3.org/2000/svg", role="img",
        aria_label=f"{title}. {about}", viewBox=f"0 0 {width:.0f} {height:.0f}", width=f"{width:.0f}",
        height=f"{height:.0f}", class_="figure",
    )  # fmt: skip


def standalone(figure: Markup) -> str:
    """Return a figure as a file of its own, with the colours of both schemes in it."""
    css = _PALETTE.read_text("utf-8").replace(":root", "svg.figure") + "svg.figure { background: var(--paper); }"
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + str(figure).replace(
        "<title>", f"<style>{css}</style><title>", 1
    )


def mark(kind: str, x: float, y: float, css: str, size: float = 5, *inside: str) -> Markup:
    """Return a mark of one of ``MARKS``, so that series differ in shape as well as in colour."""
    if kind == "circle":
        return element("circle", *inside, cx=float(x), cy=float(y), r=size, class_=css)
    corners = {
        "square": [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        "triangle": [(0, -1.15), (1.1, 0.8), (-1.1, 0.8)],
        "down": [(0, 1.15), (1.1, -0.8), (-1.1, -0.8)],
        "diamond": [(0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)],
        "plus": [(-0.35, -1.1), (0.35, -1.1), (0.35, -0.35), (1.1, -0.35), (1.1, 0.35), (0.35, 0.35), (0.35, 1.1),
                 (-0.35, 1.1), (-0.35, 0.35), (-1.1, 0.35), (-1.1, -0.35), (-0.35, -0.35)],
        "cross": [(-1, -0.55), (-0.55, -1), (0, -0.45), (0.55, -1), (1, -0.55), (0.45, 0), (1, 0.55), (0.55, 1),
                  (0, 0.45), (-0.55, 1), (-1, 0.55), (-0.45, 0)],
    }[kind]  # fmt: skip
    points = " ".join(f"{x + size * dx:.1f},{y + size * dy:.1f}" for dx, dy in corners)
    return element("polygon", *inside, points=points, class_=css)


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Return round numbers from ``low`` to ``high``, about so many of them."""
    if high <= low:
        return [low]
    raw = (high - low) / about
    power = 10 ** math.floor(math.log10(raw))
    step = power * next(nice for nice in (1, 2, 2.5, 5, 10) if nice * power >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [number * step for number in range(first, math.floor(high / step + 1e-9) + 1)]


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return the places moved apart so that none is nearer than ``gap`` to another, in the same order."""
    order = sorted(range(len(places)), key=lambda at: (places[at], at))
    moved = list(places)
    for before, at in zip([None, *order], order, strict=False):
        moved[at] = max(moved[at], low) if before is None else max(moved[at], moved[before] + gap)
    over = max([0.0, *(moved[at] - high for at in order)])
    limit = high
    for at in reversed(order):
        if over <= 0:
            break
        moved[at] = min(moved[at], limit)
        limit = moved[at] - gap
    return moved
