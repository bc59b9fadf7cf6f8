"""Commands in the text of an episode, and what they look like with the things of one episode left open.

A command stands behind ">", "Action:" or "Command:" at the start of a line, or behind the number of a step. A thing of
the task becomes <object>, <place> or <other>, in the order of the task; where episodes differ stands <any>.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from . import plain

MOST_STEPS = 60
ANY = "<any>"
OPEN = ("<object>", "<place>", "<other>")

_COMMAND = re.compile(r"^[ \t]*(?:>|(?:action|command|act)[ \t]*:)[ \t]*(\S[^\n]*)$", re.IGNORECASE | re.MULTILINE)
_STEP = re.compile(r"^[ \t]*\d{1,3}[.)][ \t]+(\S[^\n]*)$", re.MULTILINE)
_TASK = re.compile(r"(?:^[ \t]*task[ \t]*:|your task is to:?)[ \t]*(\S[^\n]*)$", re.IGNORECASE | re.MULTILINE)
_GAP = re.compile(r"<[a-z]+>")
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Way:
    """How one kind of task was done: the task and the commands, each with its things left open."""

    task: str
    steps: tuple[tuple[str, ...], ...]

    @property
    def kind(self) -> tuple[str, ...]:
        """The words of the task that are not open: what tasks of one kind have in common."""
        return tuple(word for word in plain.content(self.task) if f"<{word}>" not in OPEN)


def given(text: str) -> list[str]:
    """Return the commands of an episode or a workflow, in their order."""
    marked = [found.group(1).strip() for found in _COMMAND.finditer(text)]
    return [one for one in marked or (found.group(1).strip() for found in _STEP.finditer(text)) if len(one) <= _LONGEST]


def way(experience: str) -> Way | None:
    """Read an episode; None if no command stands in it."""
    commands = given(experience)[:MOST_STEPS]
    if not commands:
        return None
    task = _task(experience)
    things = _things(task, commands)
    steps = tuple(_opened(command, things) for command in commands)
    return Way(" ".join(_opened(task, things)), tuple(dict.fromkeys(steps)))


def common(one: Way, other: Way) -> Way:
    """Return the longest sequence of steps that two ways share; where two steps differ in a thing, it is open."""
    first, second = one.steps, other.steps
    best = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for a in reversed(range(len(first))):
        for b in reversed(range(len(second))):
            same = best[a + 1][b + 1] + 1 if _alike(first[a], second[b]) else 0
            best[a][b] = max(same, best[a + 1][b], best[a][b + 1])
    steps, a, b = [], 0, 0
    while a < len(first) and b < len(second):
        if _alike(first[a], second[b]) and best[a][b] == best[a + 1][b + 1] + 1:
            steps.append(tuple(x if x == y else ANY for x, y in zip(first[a], second[b], strict=True)))
            a, b = a + 1, b + 1
        elif best[a + 1][b] >= best[a][b + 1]:
            a += 1
        else:
            b += 1
    return Way(one.task, tuple(dict.fromkeys(steps)))


def written(way: Way) -> str:
    """Write the steps as numbered lines."""
    return "\n".join(f"{number}. {' '.join(step)}" for number, step in enumerate(way.steps, start=1))


def fits(step: str, command: str) -> bool:
    """Whether a command is the step, with some text in the place of each open thing. Linear in both."""
    first, *rest = _GAP.split(step)
    if not rest:
        return step == command
    *between, last = rest
    if not command.startswith(first) or not command.endswith(last):
        return False
    at, end = len(first), len(command) - len(last)
    for part in between:
        found = command.find(part, at + 1, end)
        if found < 0:
            return False
        at = found + len(part)
    return at < end


def _task(experience: str) -> str:
    found = _TASK.search(experience)
    first = next((line for line in experience.splitlines() if line.strip()), "")
    return (found.group(1) if found else first).strip().rstrip(".")[:_LONGEST]


def _things(task: str, commands: Sequence[str]) -> dict[str, str]:
    """Return what stands for each word of the task that commands are about; verbs stay as they are."""
    verbs = {command.split()[0].lower() for command in commands}
    said = {word.lower() for command in commands for word in command.split()[1:]}
    things = [word for word in plain.content(task) if word in said and word not in verbs]
    return {thing: OPEN[min(number, len(OPEN) - 1)] for number, thing in enumerate(things)}


def _opened(text: str, things: dict[str, str]) -> tuple[str, ...]:
    """Leave the things open, and drop the numbers that tell things of one name apart."""
    return tuple(things.get(word.lower(), word) for word in text.split() if not word.isdecimal())


def _alike(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two steps have the same verb and as many words."""
    return len(one) == len(other) and one[:1] == other[:1]
