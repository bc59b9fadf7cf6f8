"""What each write does to a memory: what is checked, in which order, and what then changes.

Separate from Memory, which keeps the state; only ``Memory.apply`` calls these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memgym.memory.entry import Entry, Write
from memgym.operations import Create, Delete, Evolve, Link, Operation, Result, Scratchpad, Status, Update

if TYPE_CHECKING:
    from memgym.memory.memory import Memory


def write(memory: Memory, operation: Operation, source: Write) -> Result:
    """Carry out one write; whatever it says, the answer is a Result."""
    match operation:
        case Create():
            return _create(memory, operation, source)
        case Update():
            return _update(memory, operation, source)
        case Delete():
            return _delete(memory, operation)
        case Link():
            return _link(memory, operation, source)
        case Evolve():
            return _evolve(memory, operation, source)
        case Scratchpad():
            return _note(memory, operation)
        case _:
            return Result(operation.kind, Status.MALFORMED, reason=f"{operation.kind} is not a write")


def _create(memory: Memory, op: Create, source: Write) -> Result:
    store = memory.stores.get(op.store or memory.default)
    if store is None:
        return no_store(memory, "create", op.store)
    if not op.text.strip():
        return Result("create", Status.EMPTY, reason="the text is blank")
    if memory.unique and (known := store.key_of(op.text)) is not None:
        return Result("create", Status.DUPLICATE, (f"m{known}",), f"m{known} holds exactly this text")
    if memory.capacity is not None and len(memory) >= memory.capacity:
        return Result("create", Status.OVER_CAPACITY, reason=f"the memory holds {memory.capacity} entries, its most")
    if (over := memory.over_budget(op.text)) is not None:
        return Result("create", Status.OVER_BUDGET, reason=over)
    if op.links and (unknown := [id for id in op.links if memory.get(id) is None]):
        return _unknown("create", unknown)
    entry = Entry(
        memory.take_id(), op.text, store.name, source, source, op.keywords, op.tags, op.context,
        tuple(dict.fromkeys(op.links)) if op.links else (), op.time, op.attributes,
    )  # fmt: skip
    memory.put(entry)
    return Result("create", Status.OK, (entry.id,))


def _update(memory: Memory, op: Update, source: Write) -> Result:
    entry = memory.get(op.id)
    if entry is None:
        return _unknown("update", [op.id])
    if not op.text.strip():
        return Result("update", Status.EMPTY, (op.id,), "the text is blank; delete the entry to remove it")
    store = memory.stores[entry.store]
    if memory.unique and (known := store.key_of(op.text)) is not None:
        return Result("update", Status.DUPLICATE, (f"m{known}",), f"m{known} holds exactly this text")
    if (over := memory.over_budget(op.text, entry.text)) is not None:
        return Result("update", Status.OVER_BUDGET, (op.id,), over)
    memory.put(
        Entry(
            entry.id, op.text, entry.store, entry.created, source, entry.keywords, entry.tags, entry.context,
            entry.links, entry.time, entry.attributes, entry.contents, entry.version + 1,
        )
    )  # fmt: skip
    return Result("update", Status.OK, (op.id,))


def _delete(memory: Memory, op: Delete) -> Result:
    entry = memory.get(op.id)
    if entry is None:
        return _unknown("delete", [op.id])
    memory.drop(entry)
    return Result("delete", Status.OK, (op.id,))


def _link(memory: Memory, op: Link, source: Write) -> Result:
    entry = memory.get(op.id)
    if unknown := [id for id in (op.id, *op.to) if memory.get(id) is None]:
        return _unknown("link", unknown)
    assert entry is not None
    if not op.to or op.id in op.to:
        reason = "no target is named" if not op.to else "an entry cannot link to itself"
        return Result("link", Status.MALFORMED, (op.id,), reason)
    links = tuple(dict.fromkeys((*entry.links, *op.to)))
    if links == entry.links:
        return Result("link", Status.DUPLICATE, (op.id,), "these links exist")
    memory.put(replace(entry, links=links, updated=source, version=entry.version + 1))
    return Result("link", Status.OK, (op.id, *op.to))


def _evolve(memory: Memory, op: Evolve, source: Write) -> Result:
    entry = memory.get(op.id)
    if entry is None:
        return _unknown("evolve", [op.id])
    merged = {**dict(entry.attributes), **dict(op.attributes)}
    evolved = replace(
        entry,
        keywords=entry.keywords if op.keywords is None else op.keywords,
        tags=entry.tags if op.tags is None else op.tags,
        context=entry.context if op.context is None else op.context,
        attributes=tuple(sorted((name, value) for name, value in merged.items() if value)),
    )
    if evolved == entry:
        return Result("evolve", Status.DUPLICATE, (op.id,), "nothing would change")
    memory.put(replace(evolved, updated=source, version=entry.version + 1))
    return Result("evolve", Status.OK, (op.id,))


def _note(memory: Memory, op: Scratchpad) -> Result:
    if (over := memory.over_budget(op.text, memory.scratchpad)) is not None:
        return Result("scratchpad", Status.OVER_BUDGET, reason=over)
    memory.note(op.text)
    return Result("scratchpad", Status.OK)


def no_store(memory: Memory, kind: str, name: str | None) -> Result:
    """Return the answer to an operation on a store that does not exist."""
    reason = f"no store is named {str(name)[:40]!r}; there is {', '.join(memory.stores)}"
    return Result(kind, Status.UNKNOWN_ID, reason=reason)


def _unknown(kind: str, ids: Sequence[str]) -> Result:
    return Result(kind, Status.UNKNOWN_ID, tuple(ids), f"no entry has the id {' or '.join(ids)}")
