"""A stage for one memory system: pages that a test writes, a model that says what a test wants, and all that was done."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from memgym.agent import Briefing
from memgym.agents.lifecycle.system import MemorySystem
from memgym.env import MemoryEnv
from memgym.envs.reading import ReadingTask
from memgym.memory.entry import Entry
from memgym.model import Meter, Reply, Request, Usage
from memgym.operations import Action, Result
from memgym.task import Benchmark, Document, Question, Sample


class Pages(Benchmark):
    """Shows each text as a chunk of its own and then asks the questions; every answer is wrong."""

    name: ClassVar[str] = "Pages"

    def __init__(self, texts: Sequence[str], questions: Sequence[str]) -> None:
        self.texts, self.questions = list(texts), list(questions)

    def draw(self, rng: np.random.Generator) -> Sample:
        return self.sample("one")

    def sample(self, id: str) -> Sample:
        asked = tuple(Question(text, ("the right answer",), ()) for text in self.questions)
        return Sample(id, asked, tuple(Document("", text) for text in self.texts))

    def schedule(self, rng: np.random.Generator, count: int) -> Sequence[str]:
        return ["one"] * count

    def task(self, sample: Sample, rng: np.random.Generator) -> ReadingTask:
        return ReadingTask(sample.questions, self.texts)


class Replies:
    """A chat model that answers each kind of request as told: with a value, with several in turn, or by a function.

    A kind that it was not told about is answered with ``{}``; text is sent as it is.
    """

    name = "replies"

    def __init__(self, **said: Any) -> None:
        self.said = {"answer": {"answer": "unknown"}, **said}
        self.requests: list[Request] = []

    async def chat(self, request: Request) -> Reply:
        self.requests.append(request)
        said = self.said.get(request.name, {})
        if isinstance(said, list):
            said = said.pop(0) if len(said) > 1 else said[0]
        if callable(said):
            said = said(request.inputs)
        return Reply(said if isinstance(said, str) else json.dumps(said), Usage(calls=1))

    def kinds(self) -> list[str]:
        return [request.name for request in self.requests]

    def asked(self, name: str) -> list[Mapping[str, Any]]:
        return [request.inputs for request in self.requests if request.name == name]


@dataclass
class Staged:
    """What came of a play."""

    env: MemoryEnv
    actions: list[Action]
    results: list[Result]
    usage: Usage

    @property
    def entries(self) -> list[Entry]:
        return self.env.memory.entries()

    @property
    def texts(self) -> list[str]:
        return [entry.text for entry in self.entries]

    def ended(self, operation: str) -> list[str]:
        """Return how the operations of a kind ended, in their order."""
        return [str(result.status) for result in self.results if result.operation == operation]


def staged(
    system: type[MemorySystem],
    model: Any,
    texts: Sequence[str],
    questions: Sequence[str] = ("Who?",),
    *,
    env_options: Mapping[str, Any] | None = None,
    agent: MemorySystem | None = None,
    **options: Any,
) -> Staged:
    """Play one system over pages, with the hashing encoder; ``options`` are those of the system."""
    meter = Meter(model)
    stages = options.pop("options", {})
    needs = {"backend": {"encoder": "hashing"}, **stages}
    agent = agent or system(meter, options=needs, **options)
    env = MemoryEnv(
        Pages(texts, questions), advance="explicit", encoder="hashing", max_steps=10_000, **(env_options or {})
    )
    env.reset(seed=0)
    actions: list[Action] = []
    results: list[Result] = []

    async def play() -> None:
        await agent.reset(Briefing(np.random.default_rng(0), env.dialect, env.options.allowed, 6))
        while not env.pomdp.over:
            action = await agent.act(env.pomdp.seen)
            assert isinstance(action, Action)
            actions.append(action)
            env.step(actions[-1])
            results.extend(env.pomdp.seen.results)

    asyncio.run(play())
    return Staged(env, actions, results, meter.take())
