"""How operations and commands are called in tags and as functions, and by which other names models know them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from memgym.operations import Act, Action, Advance, Answer, Command, Malformed, Operation

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


UNFINISHED = "the thinking was not finished: nothing after <think> was carried out, because </think> is missing"
"""Why nothing of a text was carried out that was cut off in its thinking."""

_COMMANDS = (Answer, Act, Advance)


def one_command(
    found: Iterable[Operation | Command],
    write: Callable[[Operation | Command], str],
    names: Mapping[str, str] = NAMES,
) -> Action:
    """Return the action of what was found in a text: the first command stands, any other is reported at its place."""
    if type(found) is list and len(found) == 1 and not isinstance(found[0], _COMMANDS):
        return Action((found[0],))
    operations: list[Operation] = []
    command: Command | None = None
    for item in found:
        if not isinstance(item, _COMMANDS):
            operations.append(item)
        elif command is None:
            command = item
        else:
            came, late = names[command.kind], names[item.kind]
            why = f"one action takes one command: {came} came first, so this {late} was not done"
            operations.append(Malformed(write(item), why))
    return Action(tuple(operations), command)


def short(text: str, most: int = 40) -> str:
    """Return a text short enough for a message."""
    return text if len(text) <= most else text[:most] + "..."
