"""The memory half of the state. ``Memory`` is loaded when it is first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgym.memory.entry import Entry, Hit, Write

if TYPE_CHECKING:
    from memgym.memory.memory import Memory, Snapshot

__all__ = ["Entry", "Hit", "Memory", "Snapshot", "Write"]


def __getattr__(name: str) -> Any:
    if name not in ("Memory", "Snapshot"):
        raise AttributeError(f"module 'memgym.memory' has no attribute {name!r}")
    from memgym.memory import memory

    return getattr(memory, name)
