"""The steps of an episode as one strip: what was written, read and said when. A page's script moves the cursor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from memgym.operations import WRITES

from .playback import Moment
from .svg import element, line, mark, picture, text

LEFT, _ROW, _TOP = 78, 20, 8
ROWS = ("writes", "reads", "commands")


def timeline(moments: Sequence[Moment]) -> Markup:
    """Return the strip. A cross marks what was refused; the kinds of marks differ in shape."""
    cell = max(8.0, min(22.0, 980 / max(1, len(moments))))
    width, height = LEFT + cell * len(moments) + 12, _TOP + _ROW * len(ROWS) + 18
    parts = [text(LEFT - 10, _TOP + _ROW * at + 14, name, "tick", "end") for at, name in enumerate(ROWS)]
    cursor = element("rect", x=float(LEFT), y=2, width=cell, height=height - 18, rx=3, class_="cursor", id="cursor")
    bottom = _TOP + _ROW * len(ROWS) + 12
    every = 5 if cell > 14 else 10
    for moment in moments:
        x = LEFT + cell * (moment.number - 0.5)
        parts += _marks(moment, x)
        if moment.number == 1 or moment.number % every == 0:
            parts.append(text(x, bottom, str(moment.number), "tick", "middle"))
    base = line(LEFT, _TOP + _ROW * len(ROWS), width - 12, _TOP + _ROW * len(ROWS), "axis")
    drawn = picture(
        width,
        height,
        "Steps of the episode",
        f"{len(moments)} steps; the controls beside it move through them",
        cursor,
        base,
        *parts,
    )
    return Markup(str(drawn).replace("<svg ", f'<svg id="timeline" data-left="{LEFT}" data-cell="{cell:.3f}" ', 1))


def _marks(moment: Moment, x: float) -> Iterator[Markup]:
    for at, name in enumerate(ROWS):
        there = [(part, result) for part, result in moment.parts if _row(part.kind) == name]
        if not there:
            continue
        y = _TOP + _ROW * at + 10
        refused = [part.kind for part, result in there if result is not None and not result.ok]
        said = element("title", f"step {moment.number}: {', '.join(part.kind for part, _ in there)}")
        if refused:
            yield mark("cross", x, y, "s1", 3.6, said)
        else:
            yield _mark(name, there[-1][0].kind, len(there), x, y, said)


def _mark(row: str, kind: str, count: int, x: float, y: float, said: Markup) -> Markup:
    if row == "writes":
        return mark("square", x, y, "s0", min(5.0, 2.6 + 0.5 * count), said)
    if row == "reads":
        return mark("circle", x, y, "s2", 3.4, said)
    shape, css, size = {"answer": ("diamond", "s3", 4.6), "act": ("triangle", "s4", 4.0)}.get(
        kind, ("circle", "s6", 1.6)
    )
    return mark(shape, x, y, css, size, said)


def _row(kind: str) -> str:
    if kind in WRITES or kind == "malformed":
        return "writes"
    return "reads" if kind == "read" else "commands"
