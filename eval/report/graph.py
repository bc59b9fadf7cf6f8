"""The links between the entries of an episode, as one picture whose parts come and go with the steps.

Places are the same at every step and in every run: forces from a fixed beginning, no random numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from memgym.memory.entry import Entry

from .svg import element, picture, text
from .texts import shortened

K = TypeVar("K")
_ROUNDS = 200
_MOST_LABELS = 60


@dataclass(frozen=True, slots=True)
class Span:
    """From which step on, and before which (None: to the end), something is there."""

    first: int
    end: int | None


Lives = Mapping[str, Sequence[Span]]
Links = Mapping[tuple[str, str], Sequence[Span]]


def lives(states: Sequence[Mapping[str, Entry]]) -> dict[str, list[Span]]:
    """Return when each entry was there; ``states`` are the memories at the start and after each step."""
    return _spans([dict.fromkeys(state) for state in states])


def links(states: Sequence[Mapping[str, Entry]]) -> dict[tuple[str, str], list[Span]]:
    """Return when each link was there, whichever of its two ends holds it."""
    pairs = []
    for state in states:
        there = [_pair(entry.id, to) for entry in state.values() for to in entry.links if to in state]
        pairs.append(dict.fromkeys(there))
    return _spans(pairs)


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if (len(one), one) <= (len(other), other) else (other, one)


def _spans(states: Sequence[Mapping[K, None]]) -> dict[K, list[Span]]:
    found: dict[K, list[Span]] = {}
    open_: dict[K, int] = {}
    for step, state in enumerate(states):
        for key in [key for key in open_ if key not in state]:
            found[key].append(Span(open_.pop(key), step))
        for key in state:
            if key not in open_:
                open_[key] = step
                found.setdefault(key, [])
    for key, first in open_.items():
        found[key].append(Span(first, None))
    return found


def places(count: int, edges: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    """Return a place in the unit square for each node: linked ones near, others apart (Fruchterman and Reingold)."""
    angle = np.arange(count) * 2.399963
    at = np.stack([np.cos(angle), np.sin(angle)], axis=1) * np.sqrt((np.arange(count) + 0.5) / max(1, count))[:, None]
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    ideal = 1.6 / np.sqrt(max(1, count))
    for heat in np.linspace(0.12, 0.004, _ROUNDS):
        apart = at[:, None] - at[None]
        far = np.maximum(np.linalg.norm(apart, axis=2), 1e-3)
        push = (apart * (ideal**2 / far**2)[:, :, None]).sum(axis=1) - 0.25 * at
        pull = at[ends[:, 0]] - at[ends[:, 1]]
        pull *= np.linalg.norm(pull, axis=1, keepdims=True) / ideal
        np.add.at(push, ends[:, 0], -pull)
        np.add.at(push, ends[:, 1], pull)
        size = np.maximum(np.linalg.norm(push, axis=1, keepdims=True), 1e-9)
        at += push / size * np.minimum(size, heat)
    low, high = at.min(axis=0), at.max(axis=0)
    placed: NDArray[np.float64] = (at - low) / np.maximum(high - low, 1e-9)
    return placed


def link_graph(states: Sequence[Mapping[str, Entry]]) -> Markup | None:
    """Return the graph of all entries that are ever linked, each part with the steps at which it is there."""
    joined, there = links(states), lives(states)
    names = sorted({name for pair in joined for name in pair}, key=lambda id: (len(id), id))
    if not names:
        return None
    number = {name: at for at, name in enumerate(names)}
    edges = [(number[one], number[other]) for one, other in joined if one != other]
    size, margin = 400.0, 22
    at = places(len(names), edges) * (size - 2 * margin) + margin
    texts = {name: state[name].text for state in states for name in names if name in state}
    parts = [_edge(at[number[one]], at[number[other]], spans) for (one, other), spans in joined.items() if one != other]
    parts += [_node(name, at[number[name]], there[name], texts[name], len(names)) for name in names]
    return picture(size, size, "Links between entries", f"{len(names)} entries with {len(edges)} links", *parts)


def _edge(start: NDArray[np.float64], end: NDArray[np.float64], spans: Sequence[Span]) -> Markup:
    ends = {"x1": float(start[0]), "y1": float(start[1]), "x2": float(end[0]), "y2": float(end[1])}
    return element("line", **ends, class_="edge", data_spans=written(spans))


def _node(name: str, at: NDArray[np.float64], spans: Sequence[Span], said: str, count: int) -> Markup:
    x, y = float(at[0]), float(at[1])
    radius = 7.0 if count <= 30 else 5.0 if count <= _MOST_LABELS else 3.5
    label = [text(x, y + radius + 12, name, "tick", "middle")] if count <= _MOST_LABELS else []
    return element(
        "g",
        element("title", f"{name}: {shortened(said, 160)}"),
        element("rect", x=x - radius - 3, y=y - radius - 3, width=2 * radius + 6, height=2 * radius + 6, class_="halo"),
        element("circle", cx=x, cy=y, r=radius, class_="dot"),
        *label,
        class_="node", data_entry=name, data_spans=written(spans),
    )  # fmt: skip


def written(spans: Sequence[Span]) -> str:
    """Return spans as "first-end first-", for a page's script."""
    return " ".join(f"{span.first}-{'' if span.end is None else span.end}" for span in spans)
