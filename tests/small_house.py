"""A tiny world of the tests' own in which commands are given: a thing is to be taken and put in its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import gymnasium
from numpy.random import Generator

from memgym import registry
from memgym.operations import Act, Command, Result, Status
from memgym.task import Benchmark, Experience, Outcome, Sample, Task, TaskView

LIMIT = 4
ERRANDS = {"mug-shelf": ("mug", "shelf"), "plate-table": ("plate", "table")}


class HouseTask(Task):
    """``take X``, then ``put X on Y``; over when it is done or after LIMIT commands."""

    def __init__(self, thing: str, place: str) -> None:
        self.thing, self.place = thing, place
        self.given: list[str] = []
        self.carried = self.put = False

    @property
    def view(self) -> TaskView:
        task = f"You are in a house. Commands: take, put, look.\n\nYour task is to: put the {self.thing} on the {self.place}."
        if self.done:
            return TaskView(task, self.reply, "done", ())
        admissible = ("look", f"put {self.thing} on {self.place}" if self.carried else f"take {self.thing}")
        return TaskView(task, self.reply, "act", ("act",), (), admissible)

    @property
    def reply(self) -> str:
        return f"You carry the {self.thing}." if self.carried else f"You see a {self.thing} and a {self.place}."

    @property
    def done(self) -> bool:
        return self.put or len(self.given) >= LIMIT

    @property
    def horizon(self) -> int:
        return 2 * LIMIT

    def take(self, command: Command) -> Result:
        if self.done or not isinstance(command, Act):
            return Result(command.kind, Status.MASKED, reason="not here")
        self.given.append(command.text)
        self.put = self.carried and command.text == f"put {self.thing} on {self.place}"
        self.carried |= command.text == f"take {self.thing}"
        return Result("act", Status.OK)

    def outcome(self) -> Outcome:
        return Outcome(float(self.put), {"success": float(self.put)})

    def cheat(self) -> Command:
        return Act(self.view.admissible[1])

    def fork(self) -> HouseTask:
        twin = HouseTask(self.thing, self.place)
        twin.given, twin.carried, twin.put = list(self.given), self.carried, self.put
        return twin

    def state(self) -> dict[str, Any]:
        return {"given": self.given, "carried": self.carried}


class House(Benchmark):
    """Two errands."""

    name: ClassVar[str] = "House"
    provides: ClassVar[frozenset[str]] = frozenset(
        {"sample_id", "raw_text", "task_spec", "task_type", "steps", "success", "world"}
    )

    def draw(self, rng: Generator) -> Sample:
        return self.sample(list(ERRANDS)[int(rng.integers(len(ERRANDS)))])

    def sample(self, id: str) -> Sample:
        return Sample(id, data={"task_type": "put"})

    def schedule(self, rng: Generator, count: int) -> Sequence[str]:
        return (list(ERRANDS) * count)[:count]

    def task(self, sample: Sample, rng: Generator) -> Task:
        return HouseTask(*ERRANDS[sample.id])


@contextmanager
def house_registered() -> Iterator[None]:
    """Make "MemGym/House" known, and forget it again."""
    registry.add("benchmark", "House", f"{__name__}:House")
    registry.add_environment("House", {"benchmark": "House"})
    try:
        yield
    finally:
        del registry._rows["benchmark"]["House"]
        del registry._environments["House"], gymnasium.registry["MemGym/House"]


def experience(thing: str, place: str, *, success: bool = True, task_type: str = "") -> Experience:
    """Return what is lived in an errand that goes well, or in one where only looking around was tried."""
    seen, carrying = f"You see a {thing} and a {place}.", f"You carry the {thing}."
    steps = ((seen, f"take {thing}"), (carrying, f"put {thing} on {place}")) if success else ((seen, "look"),) * 3
    return Experience(f"put the {thing} on the {place}", steps, success, task_type)


def as_json(lived: Experience) -> dict[str, Any]:
    """Return an experience as the benchmark takes it."""
    steps = [list(step) for step in lived.steps]
    return {"task": lived.task, "steps": steps, "success": lived.success, "task_type": lived.task_type}
