"""The composite that the seeds measure, AWM's formation on A-Mem's backend and retrieval, is one short config."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import yaml
from staged import Replies

import memgym
from memgym.agent import Briefing
from memgym.agents.lifecycle.system import MemorySystem
from memgym.env import MemoryEnv
from memgym.eval.bench import run_bench
from memgym.eval.config import RunConfig
from memgym.memory import Memory
from memgym.operations import Command, Result, Status
from memgym.records import read_records
from memgym.task import Benchmark, Outcome, Sample, Task, TaskView

CONFIG = Path(__file__).resolve().parents[3] / "docs" / "hybrid.yaml"
MOST = 25
"""Effective lines; the seeds' users needed 54.0 in MemTools and 135.5 without it."""

ASKED = "put a clean plate on the table"


class OneCommand(Task):
    """A world that is over after one command."""

    horizon = 3

    def __init__(self, said: str = "") -> None:
        self.said = said

    @property
    def view(self) -> TaskView:
        return TaskView(ASKED, "You are in a kitchen.", "done" if self.done else "act", ("act",), (), ("look",))

    @property
    def done(self) -> bool:
        return bool(self.said)

    def take(self, command: Command) -> Result:
        self.said = getattr(command, "text", "")
        return Result(command.kind, Status.OK)

    def outcome(self) -> Outcome:
        return Outcome(0.0)

    def cheat(self) -> Command:
        raise NotImplementedError

    def fork(self) -> OneCommand:
        return OneCommand(self.said)

    def state(self) -> dict[str, Any]:
        return {"said": self.said}


class Kitchen(Benchmark):
    """One sample, one command."""

    name: ClassVar[str] = "Kitchen"

    def draw(self, rng: np.random.Generator) -> Sample:
        return Sample("one")

    def sample(self, id: str) -> Sample:
        return Sample(id)

    def schedule(self, rng: np.random.Generator, count: int) -> list[str]:
        return ["one"] * count

    def task(self, sample: Sample, rng: np.random.Generator) -> Task:
        return OneCommand()


def system(model: Any) -> MemorySystem:
    return MemorySystem(model, **RunConfig.load(CONFIG).agents[0].options)


def play(agent: MemorySystem, env: MemoryEnv, memory: Memory | str) -> Memory:
    env.reset(seed=0, options={"memory": memory})

    async def episode() -> None:
        await agent.reset(Briefing(np.random.default_rng(0), env.dialect, env.options.allowed, 6))
        while not env.pomdp.over:
            env.step(await agent.act(env.pomdp.seen))

    asyncio.run(episode())
    return env.memory


def test_the_config_has_at_most_twenty_five_effective_lines() -> None:
    lines = [line.strip() for line in CONFIG.read_text("utf-8").splitlines()]
    assert len([line for line in lines if line and not line.startswith("#")]) <= MOST


def test_the_config_names_the_parts_of_both_systems() -> None:
    parts = {stage: part.name for stage, part in system(memgym.make_model("rules")).parts.items()}
    awm, a_mem = (memgym.registry.load("agent", name).system for name in ("awm", "a-mem"))
    assert parts["formation"] == awm["formation"]
    assert (parts["backend"], parts["retrieval"]) == (a_mem["backend"], a_mem["retrieval"])


def test_the_config_runs_and_writes_a_workflow(tmp_path: Path) -> None:
    run_bench(RunConfig.load(CONFIG), out=tmp_path / "run")
    [record] = read_records(tmp_path / "run" / "records.jsonl")
    assert record.error is None
    assert record.terminated
    assert [result.status for step in record.steps for result in step.results if result.operation == "create"] == ["ok"]


def test_the_workflow_is_read_for_a_new_task_of_its_kind() -> None:
    given = yaml.safe_load(CONFIG.read_text("utf-8"))["env_options"]
    formed = play(
        system(memgym.make_model("rules")),
        MemoryEnv("Experience", advance="explicit", encoder="hashing", **given),
        "fresh",
    )
    [workflow] = [entry.text for entry in formed.entries()]
    replies = Replies(act={"command": "look"})
    play(system(replies), MemoryEnv(Kitchen(), advance="explicit", encoder="hashing"), formed)
    assert workflow in replies.asked("act")[0]["memory"]
