"""A tiny world of the tests' own in which experience helps, and two agents: one that learns, one that never writes.

Doors of a kind open by the same lever, which is found by pulling or remembered. It comes as a plug-in, with a folder of
entry points, so that processes that a test starts know it too.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
from numpy.random import Generator

from memgym import registry
from memgym.agent import Observation, ScriptedAgent
from memgym.eval.bench import bench_config
from memgym.eval.config import RunConfig
from memgym.operations import (
    Act,
    Action,
    Advance,
    Command,
    Create,
    Delete,
    Read,
    Result,
    Scratchpad,
    Status,
    Update,
)  # fmt: skip
from memgym.task import Benchmark, Experience, Outcome, Sample, Task, TaskView

KINDS = ("oak", "iron", "glass", "stone")
EVERYTHING = 1000
ENTRY_POINTS = """\
[memgym.benchmarks]
Levers = levers:Levers
[memgym.systems]
apprentice = levers:Apprentice
reader = levers:Reader
scribbler = levers:Scribbler
"""


class LeverTask(Task):
    """``pull N``; over when the door is open or after ``pulls`` commands."""

    def __init__(self, kind: str, lever: int, levers: int, pulls: int) -> None:
        self.kind, self.lever, self.levers, self.pulls = kind, lever, levers, pulls
        self.given: list[str] = []

    @property
    def view(self) -> TaskView:
        instruction = f"There are levers 0 to {self.levers - 1}.\n\nYour task is to: open the {self.kind} door."
        text = "Nothing moves." if self.given else "You stand before a door."
        if self.done:
            return TaskView(instruction, text, "done", ())
        return TaskView(instruction, text, "act", ("act",), (), tuple(f"pull {n}" for n in range(self.levers)))

    @property
    def opened(self) -> bool:
        return f"pull {self.lever}" in self.given

    @property
    def done(self) -> bool:
        return self.opened or len(self.given) >= self.pulls

    @property
    def horizon(self) -> int:
        return 2 * self.pulls + 2

    def take(self, command: Command) -> Result:
        if self.done or not isinstance(command, Act):
            return Result(command.kind, Status.MASKED, reason="not here")
        self.given.append(command.text)
        return Result("act", Status.OK)

    def outcome(self) -> Outcome:
        return Outcome(float(self.opened), {"success": float(self.opened)})

    def cheat(self) -> Command:
        return Act(f"pull {self.lever}")

    def fork(self) -> LeverTask:
        twin = LeverTask(self.kind, self.lever, self.levers, self.pulls)
        twin.given = self.given.copy()
        return twin

    def state(self) -> dict[str, Any]:
        return {"kind": self.kind, "lever": self.lever, "given": list(self.given)}


class Levers(Benchmark):
    """Doors of four kinds, ids like "oak-7"; which lever opens a kind is drawn from ``secret``."""

    name: ClassVar[str] = "Levers"
    synthetic: ClassVar[bool] = True
    provides: ClassVar[frozenset[str]] = frozenset(
        {"sample_id", "raw_text", "task_spec", "task_type", "steps", "success", "world"}
    )

    def __init__(self, levers: int = 8, pulls: int = 2, secret: int = 3) -> None:
        self.levers, self.pulls, self.secret = levers, pulls, secret

    def draw(self, rng: Generator) -> Sample:
        return self.sample(f"{KINDS[rng.integers(len(KINDS))]}-{rng.integers(1000)}")

    def sample(self, id: str) -> Sample:
        kind, dash, number = id.partition("-")
        if kind not in KINDS or not dash or not number.isdecimal():
            raise registry.unknown("door", id, [f"{one}-0" for one in KINDS])
        return Sample(id, data={"task_type": kind})

    def schedule(self, rng: Generator, count: int) -> Sequence[str]:
        return [f"{KINDS[rng.integers(len(KINDS))]}-{number}" for number in range(count)]

    def task(self, sample: Sample, rng: Generator) -> Task:
        kind = str(sample.data["task_type"])
        return LeverTask(kind, (self.secret * (KINDS.index(kind) + 2)) % self.levers, self.levers, self.pulls)


class Reader(ScriptedAgent):
    """Pulls what memory says of a kind of door, else a lever that memory does not know to be wrong; never writes."""

    name = "reader"

    async def episode(self, observation: Observation) -> AsyncGenerator[Action, Observation]:
        while observation.view.phase == "read":
            observation = yield Action(command=Advance())
        kind = _kind(observation.view.instruction)
        observation = yield Action((Read(f"{kind} door", k=EVERYTHING, by="text"),))
        said = [hit.entry for hit in observation.memories if hit.entry.text.startswith(f"{kind} door")]
        said.sort(key=lambda entry: int(entry.id[1:]))
        wrong = [entry.text.split()[3] for entry in said if entry.text.endswith("is wrong")]
        known = [entry.text.split()[3] for entry in said if entry.text.endswith("opens")][-1:]
        while observation.view.phase == "act":
            levers = [command.split()[1] for command in observation.view.admissible]
            fresh = [one for one in levers if one not in wrong] or levers
            pulled = known.pop() if known else fresh[int(self.briefing.rng.integers(len(fresh)))]
            wrong.append(pulled)
            observation = yield Action(command=Act(f"pull {pulled}"))


class Apprentice(Reader):
    """Reads as ``Reader`` does, and writes down of each experience which levers were wrong and which one opens.

    Where memory is full, the oldest entry makes room.
    """

    name = "apprentice"

    async def episode(self, observation: Observation) -> AsyncGenerator[Action, Observation]:
        while observation.view.phase == "read":
            if observation.view.experience is not None:
                for text in lessons(observation.view.experience):
                    observation = yield Action((Create(text),))
                    if observation.results[0].status is Status.OVER_CAPACITY:
                        observation = yield Action((Read("door", k=EVERYTHING, by="text"),))
                        oldest = min((hit.entry.id for hit in observation.memories), key=lambda id: int(id[1:]))
                        observation = yield Action((Delete(oldest), Create(text)))
            observation = yield Action(command=Advance())
        act = super().episode(observation)
        action = await anext(act)
        while observation.view.phase != "done":
            observation = yield action
            try:
                action = await act.asend(observation)
            except StopAsyncIteration:
                return


class Scribbler(Apprentice):
    """An apprentice that also tries to change its memory, in every way, at each step of a task."""

    name = "scribbler"

    async def episode(self, observation: Observation) -> AsyncGenerator[Action, Observation]:
        inner = super().episode(observation)
        action = await anext(inner)
        while True:
            if observation.view.phase == "act":
                first = next((hit.entry.id for hit in observation.memories), "m1")
                scrawl = (Create("scrawl"), Update(first, "scrawl"), Delete(first), Scratchpad("scrawl"))
                action = Action((*action.operations, *scrawl), action.command)
            observation = yield action
            try:
                action = await inner.asend(observation)
            except StopAsyncIteration:
                return


def lessons(lived: Experience) -> list[str]:
    """What an experience teaches: the last lever of a success opens, every other one is wrong."""
    kind, pulled = _kind(lived.task), [command.split()[-1] for _, command in lived.steps]
    right = pulled[-1:] if lived.success else []
    wrong = [one for one in dict.fromkeys(pulled) if one not in right]
    return [f"{kind} door lever {one} is wrong" for one in wrong] + [f"{kind} door lever {one} opens" for one in right]


def _kind(text: str) -> str:
    return next((kind for kind in KINDS if f"{kind} door" in text), "unknown")


AGENTS = (Reader, Apprentice, Scribbler)


@contextmanager
def levers_registered() -> Iterator[None]:
    """Make the world and its agents known to this process, and forget them again."""
    registry.add("benchmark", "Levers", f"{__name__}:Levers")
    registry.add_environment("Levers", {"benchmark": "Levers"})
    for made in AGENTS:
        registry.add("agent", made.name, f"{__name__}:{made.__name__}")
    try:
        yield
    finally:
        del registry._rows["benchmark"]["Levers"]
        del registry._environments["Levers"], gymnasium.registry["MemGym/Levers"]
        for made in AGENTS:
            del registry._rows["agent"][made.name]


def plug_in(folder: Path) -> Path:
    """Write the entry points of an installed package into a folder; with it on its path, a process knows the world."""
    info = folder / "levers-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: levers\nVersion: 1.0\n")
    return folder


def config(protocol: str, env: str = "MemGym/Levers", **changes: Any) -> RunConfig:
    """A run under a protocol; ``knobs`` are the protocol's."""
    knobs = changes.pop("knobs", {})
    chosen: dict[str, Any] = {
        "agents": ["apprentice"],
        "model": "none",
        "env_options": {},
        "episodes": 8,
        "bounds": False,
    }
    return bench_config(env=env, protocol={"name": protocol, **knobs}, **{**chosen, **changes})
