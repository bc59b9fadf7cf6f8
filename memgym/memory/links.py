"""Links between entries: following them from what was read, and keeping them valid when an entry goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from memgym.memory.entry import Entry, Hit
from memgym.memory.store import Store


def follow(hits: Sequence[Hit], get: Callable[[str], Entry | None], *, rounds: int, limit: int) -> list[Hit]:
    """Return the entries reached over links from ``hits`` in at most ``rounds`` rounds, at most ``limit`` of them.

    Breadth first, in the order of the hits and of their links; each entry once, with the score of the hit that led to
    it. A-Mem's paper expands a hit by its linked notes; its code lets the count run over by one and shows some twice.
    """
    seen = {hit.entry.id for hit in hits}
    found: list[Hit] = []
    frontier: Sequence[Hit] = hits
    for _ in range(rounds):
        reached = list(_neighbours(frontier, get, seen))
        if not reached:
            break
        found += reached
        frontier = reached
    return found[:limit]


def _neighbours(hits: Iterable[Hit], get: Callable[[str], Entry | None], seen: set[str]) -> Iterator[Hit]:
    for hit in hits:
        for id in hit.entry.links:
            entry = get(id)
            if entry is not None and id not in seen:
                seen.add(id)
                yield Hit(entry, hit.score, "link")


def unlink(id: str, stores: Iterable[Store]) -> list[Entry]:
    """Return the entries that linked to ``id``, as they are without that link."""
    return [
        replace(entry, links=tuple(one for one in entry.links if one != id), version=entry.version + 1)
        for store in stores
        for entry in store.linking(id)
    ]
