"""Takes notes of a conversation in a scratchpad that is written anew after every part, within a limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .reader import Statement, read


def take_notes(questions: Sequence[str], scratchpad: str, text: str, limit: int, count: Callable[[str], int]) -> str:
    """Return the new scratchpad: one statement a line with its date, at most ``limit`` tokens by ``count``.

    Statements about somebody whom a question names go first, where questions are known; then newer ones go before
    older ones. What is kept stands in the order in which it was read.
    """
    statements = list({one.note: one for one in (*read(scratchpad), *read(text))}.values())
    newest = sorted(statements, key=lambda one: (_named(one, questions), one.told.said), reverse=True)
    kept, room = set(), limit
    for one in newest:
        cost = count(one.note) + 1
        if cost <= room:
            kept.add(one.note)
            room -= cost
    return "\n".join(one.note for one in statements if one.note in kept)


def _named(statement: Statement, questions: Sequence[str]) -> bool:
    return any(statement.told.subject in question or statement.speaker in question for question in questions)
