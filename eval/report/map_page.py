"""``memgym map``: the entries of one or more runs as points, and whether runs, agents or stores lie apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from markupsafe import Markup

from memgym.registry import unknown
from memgym.replay import played_again
from memgym.rollout import Cast

from ..metrics.rows import row_of
from .playback import starting_memory
from .projection import (
    Floats,
    Separation,
    cosine_distances,
    pca,
    plane_distances,
    separation,
    tsne,
    vectors,
)  # fmt: skip
from .runs import Run
from .svg import MARKS, SERIES, mark, picture
from .texts import render, shortened

GROUPINGS = ("run", "agent", "store", "episode")
_SIDE = 470.0


@dataclass(frozen=True, slots=True)
class Point:
    """One entry at the end of an episode, with the names by which it can be grouped."""

    text: str
    run: str
    agent: str
    store: str
    episode: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of all points, with the separation of the groups in it."""

    title: str
    about: str
    separation: Separation
    svg: Markup


def points_of(runs: Sequence[Run], episodes: int) -> list[Point]:
    """Return the entries that memory held at the end of the first ``episodes`` episodes of each agent of each run.

    They are played again, since a record holds no texts.
    """
    return [point for run in runs for point in _points(run, episodes)]


def _points(run: Run, episodes: int) -> Iterable[Point]:
    cast, taken = Cast(), dict[str, int]()
    for record in run.records:
        row = row_of(record)
        if taken.get(row, 0) >= episodes:
            continue
        taken[row] = taken.get(row, 0) + 1
        memory = played_again(record, cast, starting_memory(record, run.records, cast)).memory
        for entry in memory["entries"]:
            yield Point(entry["text"], run.name, row, entry["store"], f"{run.name} {record.episode.id}")


def grouping_of(points: Sequence[Point], by: str | None) -> str:
    """Return by what points are grouped: what was asked for, or the first of ``GROUPINGS`` in which they differ."""
    if by is not None and by not in GROUPINGS:
        raise unknown("grouping", by, GROUPINGS)
    return by or next((name for name in GROUPINGS if len({getattr(one, name) for one in points}) > 1), "run")


def map_page(
    runs: Sequence[Run], *, episodes: int, encoder: str, by: str | None, limit: int, methods: Sequence[str]
) -> str:
    """Return the page; more than ``limit`` entries are thinned evenly, which it says. Fewer than 3 are a ValueError."""
    every = points_of(runs, episodes)
    if len(every) < 3:
        raise ValueError(f"These runs left {len(every)} entries in memory; a map needs 3 or more.")
    points = _thinned(every, limit)
    grouping = grouping_of(points, by)
    names = [getattr(one, grouping) for one in points]
    groups = list(dict.fromkeys(names))
    labels = [groups.index(name) for name in names]
    data = vectors([one.text for one in points], encoder)
    return render(
        "map.html",
        runs=runs,
        entries=len(every),
        points=points,
        grouping=grouping,
        groups=[(name, names.count(name), _sign(at)) for at, name in enumerate(groups)],
        encoder=encoder,
        episodes=episodes,
        whole=separation(cosine_distances(data), labels),
        pictures=[_picture(name, data, points, labels) for name in methods],
    )


def _thinned(points: Sequence[Point], limit: int) -> list[Point]:
    every = -(-len(points) // limit)
    return list(islice(points, 0, None, every))


def _picture(method: str, data: Floats, points: Sequence[Point], labels: Sequence[int]) -> Picture:
    if method == "pca":
        at, shares = pca(data)
        about = f"the two components explain {shares[0]:.0%} and {shares[1]:.0%} of the variance"
        title = "PCA"
    else:
        at, about, title = (
            tsne(data),
            "only neighbours mean something: sizes of and gaps between groups do not",
            "t-SNE",
        )
    return Picture(title, about, separation(plane_distances(at), labels), _drawn(title, at, points, labels))


def _drawn(title: str, at: Floats, points: Sequence[Point], labels: Sequence[int]) -> Markup:
    low, high = at.min(axis=0), at.max(axis=0)
    scaled = (at - low) / max(float((high - low).max()), 1e-12) * (_SIDE - 28) + 14
    shapes = [
        _mark(label, float(x), float(y), point) for (x, y), point, label in zip(scaled, points, labels, strict=True)
    ]
    height = float(np.max(scaled[:, 1])) + 14
    return picture(_SIDE, height, f"Entries by {title}", f"{len(points)} entries", *shapes)


def _mark(label: int, x: float, y: float, point: Point) -> Markup:
    said = Markup("<title>{}</title>").format(f"{point.agent}, {point.episode}: {shortened(point.text, 160)}")
    kind, css = _kind(label)
    return mark(kind, x, y, f"{css} point", 4, said)


def _kind(label: int) -> tuple[str, str]:
    """Return a group's shape and colour; 49 pairs are different."""
    return MARKS[(label + label // SERIES) % len(MARKS)], f"s{label % SERIES}"


def _sign(label: int) -> Markup:
    kind, css = _kind(label)
    return Markup('<svg class="figure sign" width="14" height="14" aria-hidden="true">{}</svg>').format(
        mark(kind, 7, 7, css, 5)
    )
