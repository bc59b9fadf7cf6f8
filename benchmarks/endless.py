"""A task that shows one text for ever: what is left when a step is measured is the step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
from gymnasium import spaces
from numpy.random import Generator

from memgym.operations import Command, Result, Status
from memgym.spaces import Unicode
from memgym.task import Benchmark, Outcome, Sample, Task, TaskView

CHUNK = ("A sentence of a document that an agent reads, with a few numbers 12 and 34 in it. " * 50)[:4000]


class Endless(Task):
    """A task that shows one 4 KB text and never ends."""

    done = False
    horizon = 1 << 60
    view = TaskView("Read and remember.", CHUNK, "read", ("answer", "advance"))

    def take(self, command: Command) -> Result:
        return Result(command.kind, Status.OK)

    def outcome(self) -> Outcome:
        return Outcome(0.0)

    def cheat(self) -> Command:
        raise ValueError("This task has no end to reach.")

    def fork(self) -> Endless:
        return self

    def state(self) -> dict[str, Any]:
        return {}


class EndlessBenchmark(Benchmark):
    name = "Endless"

    def draw(self, rng: Generator) -> Sample:
        return Sample("endless")

    def sample(self, id: str) -> Sample:
        return Sample(id)

    def schedule(self, rng: Generator, count: int) -> Sequence[str]:
        return ["endless"] * count

    def task(self, sample: Sample, rng: Generator) -> Task:
        return Endless()


class Plain(gymnasium.Env[dict[str, str], str]):
    """The peer: the same five texts, no memory, no task, made by ``gym.make`` with its default wrappers."""

    observation_space = spaces.Dict({name: Unicode() for name in ("a", "b", "c", "d", "e")})  # type: ignore[assignment]
    action_space = Unicode()
    metadata = {"render_modes": []}  # noqa: RUF012

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[dict[str, str], dict[str, Any]]:
        super().reset(seed=seed)
        self.count = 0
        return self._texts(), {}

    def step(self, action: str) -> tuple[dict[str, str], float, bool, bool, dict[str, Any]]:
        self.count += 1
        return self._texts(), 0.0, False, False, {"step": self.count}

    def _texts(self) -> dict[str, str]:
        return {"a": "Read and remember.", "b": f"{CHUNK} {self.count}", "c": "", "d": "", "e": ""}
