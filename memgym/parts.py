"""A part of a task as an episode of its own: only reading, only being asked, going on with a game, or other texts.

Separate from benchmarks, which know nothing of it: an evaluation protocol cuts any task by these, so that a memory is
formed in one episode and used, frozen or not, in another.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from memgym.operations import Act, Advance, Answer, Command, Result, Status
from memgym.registry import unknown
from memgym.task import Outcome, Sample, Task, TaskView

KINDS = ("read", "ask", "commands", "texts")
CLOSING = "That was the last part for now: advance when your memory is in order."
_TEXTS = (
    "You are given a text in {count} parts, one part at a time. You will not see a part again after moving on, so keep "
    "in memory what may help to answer. Questions about it come later; you answer them from memory alone, without the "
    "text.\n\nNow showing part {number} of {count}."
)


def check(part: Mapping[str, Any]) -> None:
    """Raise for what is no part. Empty is the whole task; else one of these stands in it:

    "read": [first, last] chunks, as a slice (last None: to the end); nothing is asked, and questions that would come on
    the way are passed over. "ask": [first, last] questions, as a slice; what there is to read is passed over.
    "commands": those that were given before, as texts; with "limit" the part is over after so many more.
    "texts": what is shown to read in place of the sample's own.
    """
    kinds = [name for name in part if name != "limit"]
    for name in kinds:
        if name not in KINDS:
            raise unknown("part of a task", name, KINDS)
    if part and len(kinds) != 1:
        raise ValueError(f"A part is one of {', '.join(KINDS)}; this has {', '.join(kinds) or 'none of them'}.")
    if "limit" in part and ("commands" not in part or (part["limit"] is not None and part["limit"] < 1)):
        raise ValueError(f"limit={part['limit']!r}: it goes with commands, and is at least 1.")
    for name in ("read", "ask"):
        if name in part:
            _bounds(name, part[name])


def _bounds(name: str, value: Any) -> None:
    fits = isinstance(value, Sequence) and len(value) == 2 and isinstance(value[0], int) and value[0] >= 0
    if not fits or not (value[1] is None or (isinstance(value[1], int) and value[1] >= value[0])):
        raise ValueError(f"{name}={value!r}: [first, last] was expected, whole numbers, last None for all that follow.")


def sample_of(part: Mapping[str, Any], sample: Sample) -> Sample:
    """Return the sample with the questions that this part asks, and with those alone."""
    if "ask" not in part:
        return sample
    chosen = slice(*part["ask"])
    questions = sample.questions[chosen]
    if not questions:
        raise ValueError(f"ask={part['ask']!r}: the sample {sample.id!r} has {len(sample.questions)} questions.")
    due = {"asked_after": tuple(sample.data["asked_after"])[chosen]} if sample.data.get("asked_after") else {}
    return replace(sample, questions=questions, data={**sample.data, **due})


def task_of(part: Mapping[str, Any], task: Task) -> Task:
    """Return the part of a task that is to be played; of an empty part the task itself."""
    if "read" in part:
        return ReadingPart(task, *part["read"])
    if "ask" in part:
        return AskingPart(task)
    if "commands" in part:
        return GoingOn(task, part["commands"], part.get("limit"))
    return TextsPart(part["texts"]) if "texts" in part else task


def name_of(part: Mapping[str, Any]) -> str:
    """Return a part as a short text for the name of a group."""
    return json.dumps(dict(part), sort_keys=True, separators=(",", ":"))


class ReadingPart(Task):
    """Shows chunks ``first`` to ``last``, then an empty view in which memory can be tidied, until it advances.

    There is nothing to win: the reward is 1 if it was read to its end. A task without anything to read is a ValueError.
    """

    def __init__(self, task: Task, first: int = 0, last: int | None = None) -> None:
        if task.view.phase != "read":
            raise ValueError("This task has nothing to read; a part of it cannot be read.")
        self._task, self._last = task, last
        self._at = 0
        self._closed = False
        while self._at < first and self._reading:
            self._on()

    @property
    def _reading(self) -> bool:
        return self._task.view.phase == "read" and (self._last is None or self._at < self._last)

    def _on(self) -> None:
        self._task.take(Advance())
        self._at += 1
        while self._task.view.phase == "answer":
            self._task.take(Answer(""))

    @property
    def view(self) -> TaskView:
        if self._closed:
            return TaskView(CLOSING, "", "done", ())
        if not self._reading:
            return TaskView(CLOSING, "", "read", ("advance",))
        return replace(self._task.view, commands=("advance",))

    @property
    def done(self) -> bool:
        return self._closed

    @property
    def horizon(self) -> int:
        return self._task.horizon + 1

    def take(self, command: Command) -> Result:
        if self._closed or not isinstance(command, Advance):
            return Result(command.kind, Status.MASKED, reason="There is nothing to do here but to read on.")
        if self._reading:
            self._on()
        else:
            self._closed = True
        return Result("advance", Status.OK)

    def outcome(self) -> Outcome:
        return Outcome(float(self._closed))

    def cheat(self) -> Command:
        return Advance()

    def fork(self) -> ReadingPart:
        twin = ReadingPart.__new__(ReadingPart)
        twin._task, twin._last = self._task.fork(), self._last
        twin._at, twin._closed = self._at, self._closed
        return twin

    def state(self) -> dict[str, Any]:
        return {"read": self._at, "last": self._last, "closed": self._closed, "task": self._task.state()}


class AskingPart(Task):
    """Asks the questions of a task without showing anything to read: the answers are in memory, or nowhere."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._pass_over()

    def _pass_over(self) -> None:
        while self._task.view.phase == "read":
            self._task.take(Advance())

    @property
    def view(self) -> TaskView:
        return self._task.view

    @property
    def done(self) -> bool:
        return self._task.done

    @property
    def horizon(self) -> int:
        return self._task.horizon

    def take(self, command: Command) -> Result:
        result = self._task.take(command)
        self._pass_over()
        return result

    def outcome(self) -> Outcome:
        return self._task.outcome()

    def cheat(self) -> Command:
        return self._task.cheat()

    def fork(self) -> AskingPart:
        return AskingPart(self._task.fork())

    def state(self) -> dict[str, Any]:
        return self._task.state()


class GoingOn(Task):
    """Goes on from where ``commands`` led, for at most ``limit`` more; the metric "unfinished" says if so."""

    def __init__(self, task: Task, commands: Sequence[str], limit: int | None = None) -> None:
        for text in commands:
            task.take(Act(text))
        self._task, self._limit = task, limit
        self._given = 0

    @property
    def _stopped(self) -> bool:
        return self._limit is not None and self._given >= self._limit and not self._task.done

    @property
    def view(self) -> TaskView:
        view = self._task.view
        return TaskView(view.instruction, view.text, "done", ()) if self._stopped else view

    @property
    def done(self) -> bool:
        return self._stopped or self._task.done

    @property
    def horizon(self) -> int:
        return self._task.horizon

    def take(self, command: Command) -> Result:
        if self._stopped:
            return Result(command.kind, Status.MASKED, reason="This part of the task is over.")
        self._given += isinstance(command, Act)
        return self._task.take(command)

    def outcome(self) -> Outcome:
        outcome = self._task.outcome()
        return replace(outcome, metrics={**outcome.metrics, "unfinished": float(self._stopped)})

    def cheat(self) -> Command:
        return self._task.cheat()

    def fork(self) -> GoingOn:
        twin = GoingOn(self._task.fork(), (), self._limit)
        twin._given = self._given
        return twin

    def state(self) -> dict[str, Any]:
        return {"given": self._given, "limit": self._limit, "task": self._task.state()}


class TextsPart(Task):
    """Shows given texts like the chunks of something to read, then an empty view, until it advances."""

    def __init__(self, texts: Sequence[str], at: int = 0) -> None:
        if not texts or not all(isinstance(text, str) and text for text in texts):
            raise ValueError("texts: one or more texts were expected, none of them empty.")
        self._texts, self._at = tuple(texts), at

    @property
    def view(self) -> TaskView:
        count = len(self._texts)
        if self._at >= count:
            return TaskView(CLOSING, "", "done" if self.done else "read", () if self.done else ("advance",))
        guide = _TEXTS.format(count=count, number=self._at + 1)
        return TaskView(guide, self._texts[self._at], "read", ("advance",))

    @property
    def done(self) -> bool:
        return self._at > len(self._texts)

    @property
    def horizon(self) -> int:
        """One step a text, one to close, and some to spare."""
        return len(self._texts) + 9

    def take(self, command: Command) -> Result:
        if self.done or not isinstance(command, Advance):
            return Result(command.kind, Status.MASKED, reason="There is nothing to do here but to read on.")
        self._at += 1
        return Result("advance", Status.OK)

    def outcome(self) -> Outcome:
        return Outcome(float(self.done))

    def cheat(self) -> Command:
        return Advance()

    def fork(self) -> TextsPart:
        return TextsPart(self._texts, self._at)

    def state(self) -> dict[str, Any]:
        return {"at": self._at, "texts": list(self._texts)}
