"""One memory entry and the two things that are said about it: who wrote it, and how well it matched a read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memgym.operations import Pairs
from memgym.values import quick


@quick
@dataclass(frozen=True, slots=True)
class Write:
    """Provenance: the operation that wrote an entry. ``clock`` counts the memory's steps over all its episodes."""

    episode: str
    step: int
    operation: str
    clock: int


@quick
@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. Immutable: a change makes a new Entry under the same id, with ``version`` one higher.

    ``contents`` holds what is not text, by the key vocabulary of MemTools (``image_content``, ...);
    ``time`` is the world's time as free text, never the clock of the machine.
    """

    id: str
    text: str
    store: str
    created: Write
    updated: Write
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    context: str = ""
    links: tuple[str, ...] = ()
    time: str = ""
    attributes: Pairs = ()
    contents: Pairs = ()
    version: int = 1

    @property
    def searchable(self) -> str:
        """The text that indexes see: content, context, keywords and tags, as A-Mem's paper embeds a note (eq. 3)."""
        if not (self.context or self.keywords or self.tags):
            return self.text
        return "\n".join(
            part for part in (self.text, self.context, " ".join(self.keywords), " ".join(self.tags)) if part
        )

    def attribute(self, name: str, default: str = "") -> str:
        return dict(self.attributes).get(name, default)

    def to_json(self) -> dict[str, Any]:
        """Return the entry as JSON values; ``from_json`` is the inverse."""
        return {
            "id": self.id,
            "text": self.text,
            "store": self.store,
            "created": [self.created.episode, self.created.step, self.created.operation, self.created.clock],
            "updated": [self.updated.episode, self.updated.step, self.updated.operation, self.updated.clock],
            "keywords": list(self.keywords),
            "tags": list(self.tags),
            "context": self.context,
            "links": list(self.links),
            "time": self.time,
            "attributes": [list(pair) for pair in self.attributes],
            "contents": [list(pair) for pair in self.contents],
            "version": self.version,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Entry:
        return cls(
            id=data["id"],
            text=data["text"],
            store=data["store"],
            created=Write(*data["created"]),
            updated=Write(*data["updated"]),
            keywords=tuple(data["keywords"]),
            tags=tuple(data["tags"]),
            context=data["context"],
            links=tuple(data["links"]),
            time=data["time"],
            attributes=tuple((key, value) for key, value in data["attributes"]),
            contents=tuple((key, value) for key, value in data["contents"]),
            version=data["version"],
        )


@quick
@dataclass(frozen=True, slots=True)
class Hit:
    """An entry that a read returned. ``by`` names the index, or "link" for an entry reached over a link."""

    entry: Entry
    score: float
    by: str
