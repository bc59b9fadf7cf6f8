"""Replies about linked notes: what a note is about, which notes share a name with it, and what they gain by it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..reader import supersedes
from . import plain
from .sayings import Count, Inputs, Memory, Saying, memories, names_in, sayings, spoken, text

_MOST_KEYWORDS, _MOST_TAGS, _MOST_CHANGES = 12, 6, 5
_CONTEXT = re.compile(r"^[ \t]*context:[ \t]*(.+)$", re.IGNORECASE | re.MULTILINE)
_TAGS = re.compile(r"^[ \t]*tags:[ \t]*(.+)$", re.IGNORECASE | re.MULTILINE)


def analyse(inputs: Inputs, count: Count) -> dict[str, Any]:
    """Names and relations are the keywords, relations the tags; other texts give their words."""
    return _described(text(inputs["text"]))


def relate(inputs: Inputs, count: Count) -> dict[str, Any]:
    """Notes that share a name belong together."""
    return {"ids": [one.id for one, _ in _sharing(text(inputs["note"]), memories(inputs["neighbours"]))]}


def evolve(inputs: Inputs, count: Count) -> dict[str, Any]:
    """A note that shares a name keeps its context and tags, and gains what the new note says of that name.

    Where neither carries a date, the context also gains the sentences that take the place of what the note says.
    """
    note = text(inputs["note"])
    about = _described(note)
    found = _sharing(note, memories(inputs["neighbours"]))[:_MOST_CHANGES]
    return {"changes": [_changed(memory, shared, about["tags"], _newer(note, memory)) for memory, shared in found]}


def _described(note: str) -> dict[str, Any]:
    said = sayings(note)
    names, relations = names_in(note), _relations(said)
    words = [] if relations else _words(said, names)
    return {
        "keywords": [*names, *relations, *words][:_MOST_KEYWORDS],
        "context": _context(names, relations, said),
        "tags": (relations or words)[:_MOST_TAGS],
    }


def _relations(said: Iterable[Saying]) -> list[str]:
    return list(dict.fromkeys(spoken(one.fact.relation) for one in said if one.fact is not None))


def _words(said: Iterable[Saying], names: tuple[str, ...]) -> list[str]:
    """Return the first words that carry meaning and belong to no name."""
    named = {word for name in names for word in name.lower().split()}
    words = plain.content(" ".join(one.text for one in said if one.tells))
    return [word for word in words if word.isalpha() and word not in named][:_MOST_TAGS]


def _context(names: tuple[str, ...], relations: list[str], said: tuple[Saying, ...]) -> str:
    if relations:
        return f"About {_listed(names[:3])}: {', '.join(relations)}."
    first = next((one.text for one in said if one.tells), said[0].text if said else "")
    return " ".join(first.split())[:200]


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else "".join(names)


def _sharing(note: str, neighbours: list[Memory]) -> list[tuple[Memory, tuple[str, ...]]]:
    """Return the neighbours that name something that the note names, with what that is."""
    names = names_in(note)
    found = []
    for one in neighbours:
        theirs = {name for saying in one.sayings for name in saying.names}
        shared = tuple(name for name in names if name in theirs)
        if shared:
            found.append((one, shared))
    return found


def _newer(note: str, memory: Memory) -> list[str]:
    """Return the undated sentences of a note that come in place of what a memory says."""
    old = {one.key: one.fact for one in memory.sayings if one.fact is not None}
    return [
        one.text
        for one in sayings(note)
        if one.fact is not None
        and not one.fact.date
        and (known := old.get(one.key)) is not None
        and supersedes(one.fact, known)
    ]


def _changed(memory: Memory, shared: tuple[str, ...], gained: list[str], newer: list[str]) -> dict[str, Any]:
    """Read the old context and tags from lines "context: ..." and "tags: ..." if they are shown, else make them."""
    about = _described(memory.text)
    context, tags = _CONTEXT.search(memory.text), _TAGS.search(memory.text)
    old = context.group(1).strip() if context else about["context"]
    kept = [tag.strip() for tag in tags.group(1).split(",")] if tags else about["tags"]
    addition = f"More is known of {_listed(shared[:3])}: {', '.join(gained[:_MOST_TAGS])}."
    return {
        "id": memory.id,
        "context": " ".join(part for part in (old, "" if addition in old else addition, *newer) if part),
        "tags": list(dict.fromkeys(tag for tag in (*kept, *gained) if tag)),
    }
