"""What an agent may do in one step: operations on its memory, at most one command to its task.

Create, Read, Update, Delete and the scratchpad are AtomMem's actions; Link and Evolve are A-Mem's.
They are plain frozen values, so that text dialects, scripted agents, records and trainers share them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from memgym.values import quick

Pairs = tuple[tuple[str, str], ...]


def pairs(values: Mapping[str, str] | None = None, /, **more: str) -> Pairs:
    """Return free attributes as a sorted tuple, the hashable form that operations and entries hold."""
    return tuple(sorted({**(values or {}), **more}.items()))


class Status(StrEnum):
    """How an operation or command ended. Everything but ``OK`` comes with a reason."""

    OK = "ok"
    DUPLICATE = "duplicate"
    UNKNOWN_ID = "unknown_id"
    MALFORMED = "malformed"
    OVER_CAPACITY = "over_capacity"
    MASKED = "masked"
    EMPTY = "empty"
    OVER_BUDGET = "over_budget"
    FROZEN = "frozen"


@quick
@dataclass(frozen=True, slots=True)
class Create:
    """Write a new entry. ``links`` name entries that exist before this step; ``time`` is the world's time."""

    kind: ClassVar[str] = "create"
    text: str
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    context: str = ""
    links: tuple[str, ...] = ()
    time: str = ""
    attributes: Pairs = ()
    store: str | None = None


@quick
@dataclass(frozen=True, slots=True)
class Read:
    """Ask for the ``k`` entries nearest to ``query``; they are observed with the next observation.

    ``by`` is "text", "dense" or "hybrid" (None: the environment's choice); ``follow`` is how many rounds
    of links are followed from the hits (A-Mem), each linked entry shown once after the hits.
    """

    kind: ClassVar[str] = "read"
    query: str
    k: int | None = None
    by: str | None = None
    follow: int = 0
    store: str | None = None


@dataclass(frozen=True, slots=True)
class Update:
    """Replace the text of an entry; its id, annotations and links stay."""

    kind: ClassVar[str] = "update"
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove an entry; links to it are removed with it."""

    kind: ClassVar[str] = "delete"
    id: str


@dataclass(frozen=True, slots=True)
class Link:
    """Add links from an entry to other live entries."""

    kind: ClassVar[str] = "link"
    id: str
    to: tuple[str, ...]


@quick
@dataclass(frozen=True, slots=True)
class Evolve:
    """Change the annotations of an entry, not its text; None leaves a field as it is.

    ``attributes`` are merged into the entry's own; an empty value removes the key.
    """

    kind: ClassVar[str] = "evolve"
    id: str
    keywords: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    context: str | None = None
    attributes: Pairs = ()


@dataclass(frozen=True, slots=True)
class Scratchpad:
    """Replace the scratchpad, the one text that is shown at every step."""

    kind: ClassVar[str] = "scratchpad"
    text: str


@dataclass(frozen=True, slots=True)
class Malformed:
    """A part of an agent's text that could not be read as an operation; it is answered, never raised."""

    kind: ClassVar[str] = "malformed"
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer the current question."""

    kind: ClassVar[str] = "answer"
    text: str


@dataclass(frozen=True, slots=True)
class Act:
    """Send a command to the task's own world: a game command or a tool call."""

    kind: ClassVar[str] = "act"
    text: str


@dataclass(frozen=True, slots=True)
class Advance:
    """Read the next part of the task's input."""

    kind: ClassVar[str] = "advance"


Operation = Create | Read | Update | Delete | Link | Evolve | Scratchpad | Malformed
Command = Answer | Act | Advance

OPERATIONS: Mapping[str, type[Operation]] = {
    op.kind: op for op in (Create, Read, Update, Delete, Link, Evolve, Scratchpad)
}
COMMANDS: Mapping[str, type[Command]] = {command.kind: command for command in (Answer, Act, Advance)}
WRITES = frozenset({"create", "update", "delete", "link", "evolve", "scratchpad"})


@dataclass(frozen=True, slots=True)
class Action:
    """One step of an agent: any number of operations, in order, and at most one command."""

    operations: tuple[Operation, ...] = ()
    command: Command | None = None


@quick
@dataclass(frozen=True, slots=True)
class Result:
    """The answer to one operation or command: its kind, a status, the entry ids concerned, a reason."""

    operation: str
    status: Status
    ids: tuple[str, ...] = ()
    reason: str = ""

    @property
    def ok(self) -> bool:
        return self.status is Status.OK
