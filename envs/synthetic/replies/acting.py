"""Replies in a world: the next command, ways of working that several episodes share, and rules that tell them apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any

from . import plain
from .commands import Way, common, fits, given, way, written
from .sayings import Count, Inputs, text, texts

_MOST_EPISODES = 50
_SHOWN_STEPS = 8
_REPEATED = "A command that has changed nothing is not worth repeating; try another one."


def act(inputs: Inputs, count: Count) -> dict[str, Any]:
    """Take the first command that memory suggests, that is possible, and that was not given yet.

    Without one, take the possible commands in turn: one that was not given yet, else the one given longest ago.
    """
    admissible = [one for one in texts(inputs["admissible"]) if one.strip()]
    history = texts(inputs["history"])
    done = [command for part in history for command in given(part)]
    fresh = [one for one in admissible if one not in done]
    for step in dict.fromkeys(given(text(inputs["memory"]))):
        if not admissible and step not in done and "<" not in step:
            return {"command": step}
        if found := _possible(step, text(inputs["task"]), fresh):
            return {"command": found}
    return {"command": _in_turn(admissible, done, len(history))}


def induce(inputs: Inputs, count: Count) -> dict[str, Any]:
    """One workflow for each kind of task: the steps that all its episodes share."""
    kinds: dict[tuple[str, ...], list[Way]] = {}
    for one in _ways(texts(inputs["experiences"])[:_MOST_EPISODES]):
        kinds.setdefault(one.kind, []).append(one)
    shared = [reduce(common, ways) for ways in kinds.values()]
    return {"workflows": [{"name": one.task, "text": written(one)} for one in shared if one.steps]}


def compare(inputs: Inputs, count: Count) -> dict[str, Any]:
    """What worked becomes a rule for its kind of task, or confirms it; a failure that repeats itself gives another."""
    rules = texts(inputs["rules"])
    edits: list[dict[str, Any]] = []
    worked = way(text(inputs["success"]))
    if worked is not None:
        edits.append(_ruled(worked, rules))
    if _repeats(given(text(inputs["failure"]))):
        known = next((number for number, rule in enumerate(rules, start=1) if _REPEATED in rule), 0)
        edits.append(_edit("agree", known) if known else _edit("add", 0, _REPEATED))
    return {"edits": edits}


def _possible(step: str, task: str, admissible: Sequence[str]) -> str | None:
    """Return the possible command that a step stands for; of several, one about most of the things in the task."""
    wanted = set(plain.content(task))
    fitting = [one for one in admissible if one == step or ("<" in step and fits(step, _unnumbered(one)))]
    return max(fitting, key=lambda one: len(wanted.intersection(one.lower().split())), default=None)


def _unnumbered(command: str) -> str:
    return " ".join(word for word in command.split() if not word.isdecimal())


def _in_turn(admissible: Sequence[str], done: Sequence[str], turn: int) -> str:
    if not admissible:
        return "look"
    fresh = [one for one in admissible if one not in done]
    if fresh:
        return fresh[turn % len(fresh)]
    last = {command: number for number, command in enumerate(done)}
    return min(admissible, key=lambda one: last[one])


def _ways(experiences: Sequence[str]) -> Iterator[Way]:
    for one in experiences:
        found = way(one)
        if found is not None:
            yield found


def _steps(way: Way) -> str:
    return "; ".join(" ".join(step) for step in way.steps[:_SHOWN_STEPS]) + "."


def _ruled(worked: Way, rules: Sequence[str]) -> dict[str, Any]:
    """Agree with the rule for this kind of task if it covers what worked, else open it up; without one, add it."""
    head = f"For a task like '{worked.task}': "
    for number, rule in enumerate(rules, start=1):
        if head in rule:
            old = Way(worked.task, tuple(tuple(step.split()) for step in _after(head, rule).rstrip(".").split("; ")))
            shared = common(old, worked)
            if not shared.steps or shared.steps == old.steps:
                return _edit("agree", number)
            return _edit("edit", number, head + _steps(shared))
    return _edit("add", 0, head + _steps(worked))


def _after(head: str, rule: str) -> str:
    return rule.partition(head)[2]


def _edit(action: str, number: int, text: str = "") -> dict[str, Any]:
    return {"action": action, "number": number, "text": text}


def _repeats(commands: Sequence[str]) -> bool:
    return any(one == other for one, other in pairwise(commands))
