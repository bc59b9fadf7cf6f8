"""Memories as a model is shown them, and the ids that it answers with: only what was shown can be meant.

Separate from the systems, so that in none of them a reply can change an entry that the model has not seen (the first
releases of A-Mem and Mem0 took the rank of a hit, or any number, for an id).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memgym.memory.entry import Hit

LONGEST = 40
"""Characters of a wrong id that go into the record."""


def line(id: str, text: str) -> str:
    """Return a memory as a prompt shows it: "[m3] text"."""
    return f"[{id}] {text}"


def lines(hits: Iterable[Hit]) -> list[str]:
    """Return each hit as "[m3] text"."""
    return [line(hit.entry.id, hit.entry.text) for hit in hits]


def numbered(hits: Sequence[Hit]) -> tuple[list[str], Mapping[str, str]]:
    """Return hits under temporary numbers from 0, as "[0] text", and the id behind each number."""
    shown = [line(str(number), hit.entry.text) for number, hit in enumerate(hits)]
    return shown, {str(number): hit.entry.id for number, hit in enumerate(hits)}


def unshown(id: str) -> str:
    """Return an address that no entry has, for an id that was not shown: the refusal then stands in the record."""
    return f"unshown:{id[:LONGEST]}"
