"""What can be left out of a recorded episode: one entry with all that made it, or one operation.

Separate from playing without it: a part is plain data, read off a record before anything is played.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memgym.dialects import Dialect
from memgym.operations import Create, Operation, Result, Status
from memgym.records import EpisodeRecord
from memgym.registry import unknown

from ..report.changes import told

BY = ("entry", "operation")
START, SCRATCHPAD = "start", "scratchpad"
ENDS = ("delete", "update")
"""Operations after which an entry's first text is not in memory."""
Place = tuple[int, int]
"""A step, counted from 1, and a place among the operations of its action, counted from 0."""


@dataclass(frozen=True, slots=True)
class Part:
    """One thing to leave out. ``name`` is an entry's id, "scratchpad", or step.place of an operation (both from 1).

    ``kind`` is the operation's; of an entry "create", or "start" if the episode began with it. ``at`` are the places
    of the operations that are left out, ``ids`` the entries concerned, ``shown`` in how many steps one of them was
    shown. ``birth`` is an entry's first text and its store ("": the default one), ``until`` the step in which it was
    deleted or got another text (None: it stayed).
    """

    name: str
    kind: str
    step: int
    text: str
    at: tuple[Place, ...]
    ids: tuple[str, ...]
    shown: int = 0
    birth: tuple[str, str] | None = None
    until: int | None = None


def parts_of(record: EpisodeRecord, dialect: Dialect, start: Mapping[str, Any] | None, by: str) -> list[Part]:
    """Return what can be left out of an episode that began with the memory ``start``, in the order it was written.

    Operations that were refused changed nothing and are left out of the list. An unknown ``by`` is an UnknownName.
    """
    if by not in BY:
        raise unknown("kind of part", by, BY)
    done = list(_done(record, dialect))
    if by == "operation":
        return [_operation(record, *one) for one in done if one[2].ok]
    return [*_entries(record, start, done), *_scratchpad(start, done)]


Done = tuple[Place, Operation, Result]


def _done(record: EpisodeRecord, dialect: Dialect) -> Iterator[Done]:
    for number, step in enumerate(record.steps, 1):
        for place, (operation, result) in enumerate(
            zip(dialect.parse(step.action).operations, step.results, strict=False)
        ):
            yield (number, place), operation, result


def _operation(record: EpisodeRecord, at: Place, operation: Operation, result: Result) -> Part:
    ids = (SCRATCHPAD,) if operation.kind == SCRATCHPAD else result.ids[:1] if operation.kind != "read" else result.ids
    birth = _birth(operation) if isinstance(operation, Create) else None
    name = f"{at[0]}.{at[1] + 1}"
    return Part(name, operation.kind, at[0], told(operation), (at,), ids, _shown(record, ids), birth)


def _entries(record: EpisodeRecord, start: Mapping[str, Any] | None, done: Sequence[Done]) -> list[Part]:
    """Return the entries: those of the start, then each with every Create that was answered with its id."""
    found = [
        _entry(record, START, 0, one["id"], (one["text"], one["store"]), (), done)
        for one in ([] if start is None else start["entries"])
    ]
    for at, operation, result in done:
        if isinstance(operation, Create) and result.ok:
            id = result.ids[0]
            again = [
                place
                for place, one, answer in done
                if isinstance(one, Create) and answer.status is Status.DUPLICATE and answer.ids == (id,)
            ]
            found.append(_entry(record, "create", at[0], id, _birth(operation), (at, *again), done))
    return found


def _entry(
    record: EpisodeRecord, kind: str, step: int, id: str, birth: tuple[str, str], at: tuple[Place, ...],
    done: Sequence[Done],
) -> Part:  # fmt: skip
    until = next(
        (place[0] for place, _, result in done if result.ok and result.ids[:1] == (id,) and result.operation in ENDS),
        None,
    )
    return Part(id, kind, step, birth[0], at, (id,), _shown(record, (id,)), birth, until)


def _scratchpad(start: Mapping[str, Any] | None, done: Sequence[Done]) -> list[Part]:
    written = [(at, operation) for at, operation, result in done if operation.kind == SCRATCHPAD and result.ok]
    held = "" if start is None else start["scratchpad"]
    if not written and not held:
        return []
    step, text = (written[-1][0][0], told(written[-1][1])) if written else (0, held)
    return [Part(SCRATCHPAD, SCRATCHPAD, step, text, tuple(at for at, _ in written), (SCRATCHPAD,))]


def _birth(create: Create) -> tuple[str, str]:
    return create.text, create.store or ""


def _shown(record: EpisodeRecord, ids: Sequence[str]) -> int:
    return sum(any(id in step.shown for id in ids) for step in record.steps)


def most_shown(parts: Sequence[Part], limit: int | None) -> list[Part]:
    """Return at most ``limit`` parts, in their order: those that were shown in most steps, earlier ones first."""
    if limit is None or len(parts) <= limit:
        return list(parts)
    chosen = sorted(range(len(parts)), key=lambda at: (-parts[at].shown, at))[:limit]
    return [parts[at] for at in sorted(chosen)]
