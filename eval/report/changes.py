"""What a step did to memory, in a form that a reader sees at once: entries made, changed and removed, word by word."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from memgym.memory.entry import Entry
from memgym.operations import (
    Act,
    Answer,
    Command,
    Create,
    Delete,
    Evolve,
    Link,
    Malformed,
    Operation,
    Read,
    Scratchpad,
    Update,
)  # fmt: skip

FIELDS = ("context", "keywords", "tags", "links", "time", "attributes", "store")
_MOST_WORDS = 3000
_WORDS = re.compile(r"\s+|[^\s]+")

Piece = tuple[str, str]
"""How a piece of text stands in a comparison ("same", "gone", "new"), and the piece."""


@dataclass(frozen=True, slots=True)
class Changed:
    """An entry before and after a step: its text word by word (empty if it stayed), and the fields that changed."""

    id: str
    text: tuple[Piece, ...]
    fields: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Changes:
    """All that a step did to memory."""

    created: tuple[Entry, ...]
    changed: tuple[Changed, ...]
    deleted: tuple[Entry, ...]
    scratchpad: tuple[Piece, ...]

    def __bool__(self) -> bool:
        return bool(self.created or self.changed or self.deleted or self.scratchpad)


def changes(before: Mapping[str, Entry], after: Mapping[str, Entry], pads: tuple[str, str]) -> Changes:
    """Compare memory before and after a step; ``pads`` are the two scratchpads."""
    return Changes(
        created=tuple(entry for id, entry in after.items() if id not in before),
        changed=tuple(_changed(before[id], one) for id, one in after.items() if id in before and before[id] != one),
        deleted=tuple(entry for id, entry in before.items() if id not in after),
        scratchpad=compare(*pads) if pads[0] != pads[1] else (),
    )


def _changed(old: Entry, new: Entry) -> Changed:
    told = [(name, field_text(old, name), field_text(new, name)) for name in FIELDS]
    return Changed(
        new.id,
        compare(old.text, new.text) if old.text != new.text else (),
        tuple(one for one in told if one[1] != one[2]),
    )


def field_text(entry: Entry, name: str) -> str:
    """Return a field of an entry as text."""
    value = getattr(entry, name)
    if name == "attributes":
        return ", ".join(f"{key}={said}" for key, said in value)
    return value if isinstance(value, str) else ", ".join(value)


def compare(old: str, new: str) -> tuple[Piece, ...]:
    """Return a text's change in pieces, word by word; texts of very many words as a whole."""
    first, second = _WORDS.findall(old), _WORDS.findall(new)
    if len(first) + len(second) > _MOST_WORDS:
        return tuple(piece for piece in (("gone", old), ("new", new)) if piece[1])
    pieces: list[Piece] = []
    for kind, i, j, k, m in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if kind == "equal":
            pieces.append(("same", "".join(first[i:j])))
            continue
        pieces += [piece for piece in (("gone", "".join(first[i:j])), ("new", "".join(second[k:m]))) if piece[1]]
    return tuple(pieces)


def told(part: Operation | Command) -> str:
    """Return what an operation or command says, in one text."""
    match part:
        case Create(text=said) | Scratchpad(text=said) | Answer(text=said) | Act(text=said) | Malformed(text=said):
            return said
        case Read():
            extra = [f"{name} {value}" for name, value in _reading(part) if value]
            return part.query + (f"  ({', '.join(extra)})" if extra else "")
        case Update():
            return f"{part.id}: {part.text}"
        case Delete():
            return part.id
        case Link():
            return f"{part.id} → {', '.join(part.to)}"
        case Evolve():
            return f"{part.id}: {_evolved(part)}"
        case _:
            return ""


def _reading(read: Read) -> Sequence[tuple[str, object]]:
    return (("k", read.k), ("by", read.by), ("following links", read.follow), ("in", read.store))


def _evolved(part: Evolve) -> str:
    lists = (("keywords", part.keywords), ("tags", part.tags))
    told = [f"{name} = {', '.join(value)}" for name, value in lists if value is not None]
    told += [f"context = {part.context}"] if part.context is not None else []
    return "; ".join([*told, *(f"{key} = {value}" for key, value in part.attributes)])
