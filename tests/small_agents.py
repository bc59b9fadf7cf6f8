"""Agents of the tests' own for the small world, and a model that one of them asks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from typing import Any

from small_world import colours, registered

from memgym.agent import Agent, Briefing, Observation, ScriptedAgent
from memgym.model import ModelError, Reply, Request, Usage
from memgym.operations import Action, Advance, Answer, Create, Read
from memgym.records import Episode


class Noting(ScriptedAgent):
    """Stores what it reads with a random mark, looks the question up, and answers with the colour that it finds."""

    name = "noting"

    def __init__(self, fail_at: int = 0, silent: bool = False) -> None:
        self.fail_at, self.silent = fail_at, silent

    async def episode(self, observation: Observation) -> AsyncGenerator[Action, Observation]:
        if self.silent:
            return
        while observation.view.phase == "read":
            await asyncio.sleep(float(self.briefing.rng.random()) / 1000)
            if observation.step == self.fail_at - 1:
                raise RuntimeError(f"failed at step {observation.step}")
            mark = int(self.briefing.rng.integers(1000))
            observation = yield Action((Create(f"{observation.view.text} #{mark}"),))
        for question in observation.view.questions:
            observation = yield Action((Read(question),))
            thing = question.removeprefix("What is the colour of ").rstrip("?")
            found = [hit.entry.text for hit in observation.memories if f"{thing} is " in hit.entry.text]
            observation = yield Action((), Answer("".join(found).partition(" is ")[2].partition(".")[0]))


class Asking(Agent):
    """Asks its model at every step and writes what it says."""

    name = "asking"

    def __init__(self, model: Any) -> None:
        self.model = model

    async def reset(self, briefing: Briefing) -> None:
        assert briefing.sample is None

    async def act(self, observation: Observation) -> Action | str:
        reply = await self.model.chat(Request("act", (), {"text": observation.view.text}))
        return str(reply.text)


class Peeking(ScriptedAgent):
    """Answers from the sample."""

    name = "peeking"
    privileged = True

    async def episode(self, observation: Observation) -> AsyncGenerator[Action, Observation]:
        assert self.briefing.sample is not None
        while observation.view.phase == "read":
            observation = yield Action((), Advance())
        yield Action((), Answer(self.briefing.sample.questions[0].answers[0]))


class Returning(Agent):
    """Returns what it was told to."""

    name = "returning"

    def __init__(self, what: Any = None, at_reset: bool = False) -> None:
        self.what, self.at_reset = what, at_reset

    async def reset(self, briefing: Briefing) -> None:
        if self.at_reset:
            raise ValueError("no reset today")

    async def act(self, observation: Observation) -> Action | str:
        answer: str = self.what
        return answer


class Model:
    """Says to read on, and counts; fails at a given call."""

    name = "model"

    def __init__(self, fail_at: int = 0) -> None:
        self.calls, self.fail_at = 0, fail_at

    async def chat(self, request: Request) -> Reply:
        self.calls += 1
        if self.calls == self.fail_at:
            raise ModelError("the server is asleep")
        return Reply("<advance/>\ud83d\ude00", Usage(calls=1, prompt_tokens=3, completion_tokens=2))


@contextmanager
def agents() -> Iterator[None]:
    """Register the agents and their world for a while."""
    targets = {cls.name: f"{__name__}:{cls.__name__}" for cls in (Noting, Asking, Peeking, Returning)}
    with colours(), registered("agent", **targets):
        yield


def episode(number: int = 0, agent: str = "noting", **fields: Any) -> Episode:
    """An episode of the small world."""
    return Episode(f"{agent}/{number}", "MemGym/Colours", agent, number, **fields)
