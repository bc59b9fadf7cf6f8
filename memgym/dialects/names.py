"""How operations and commands are called in tags and as functions, and by which other names models know them."""

from __future__ import annotations

from collections.abc import Mapping

from memgym.operations import Command

NAMES: Mapping[str, str] = {
    "create": "create_memory",
    "read": "read_memory",
    "update": "update_memory",
    "delete": "delete_memory",
    "link": "link_memory",
    "evolve": "evolve_memory",
    "scratchpad": "scratchpad",
    "answer": "answer",
    "act": "act",
    "advance": "advance",
}
"""Kinds of operation and command, and how they are called here and as functions."""

ALIASES: Mapping[str, str] = {
    "create": "create_memory",
    "add_memory": "create_memory",
    "read": "read_memory",
    "search_memory": "read_memory",
    "update_query": "read_memory",
    "update": "update_memory",
    "modify_memory": "update_memory",
    "delete": "delete_memory",
    "remove_memory": "delete_memory",
    "evolve": "evolve_memory",
    "final_answer": "answer",
    "action": "act",
    "next": "advance",
}
"""Names from other grammars, and which of ours are meant."""


def second(first: Command, other: Command, names: Mapping[str, str] = NAMES) -> str:
    """Return why a second command is not carried out."""
    return f"one action takes one command: {names[first.kind]} came first, so this {names[other.kind]} was not done"


def short(text: str, most: int = 40) -> str:
    """Return a text short enough for a message."""
    return text if len(text) <= most else text[:most] + "..."
