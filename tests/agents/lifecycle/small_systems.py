"""Small memory systems of the tests' own, some of which misbehave, and a stage for several of them at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

import memgym
from memgym.agent import Briefing, Observation, World
from memgym.agents.lifecycle.builtin import PassageFormation, TextSearch
from memgym.agents.lifecycle.components import Evolution, Formation, Piece, Retrieval
from memgym.agents.lifecycle.multi import MultiSystem
from memgym.agents.lifecycle.system import MemorySystem
from memgym.memory.entry import Hit
from memgym.model import Meter
from memgym.operations import Action, Create, Delete, Evolve, Link, Operation, Read, Scratchpad, Update

HASHING = {"options": {"backend": {"encoder": "hashing"}}}
ENV = "MemGym/Synthetic-50doc"


class Marked(PassageFormation):
    """Writes each passage with a mark in front, so that a test sees whose entry it is."""

    name = "marked.formation"
    mark = "one"

    async def form(self, piece: Piece, observation: Observation) -> Sequence[Operation]:
        [create] = await super().form(piece, observation)
        assert isinstance(create, Create)
        return [Create(f"{self.mark}: {create.text}")]


class Other(Marked):
    """The same, marked otherwise."""

    mark = "two"


class Silent(PassageFormation):
    """Writes nothing at all."""

    name = "silent.formation"

    async def form(self, piece: Piece, observation: Observation) -> Sequence[Operation]:
        return ()


class Meddling(Evolution):
    """Tries to change, link and delete every entry that there could be."""

    name = "meddling.evolution"

    async def settle(self, world: World) -> None:
        for id in (*(f"m{number}" for number in range(1, 9)), "#1"):
            changes = (Update(id, f"spoiled {id}"), Evolve(id, tags=("spoiled",)), Link(id, ("m1", "m2")), Delete(id))
            await world.step(Action(changes))


class Noting(Formation):
    """Keeps a tally in the scratchpad."""

    name = "noting.formation"
    requires = frozenset({"raw_text"})
    provides = frozenset({"text_content", "scratchpad"})
    mark = "x"

    async def form(self, piece: Piece, observation: Observation) -> Sequence[Operation]:
        return [Scratchpad(observation.scratchpad + self.mark)]


class NotingToo(Noting):
    """The same with another sign."""

    mark = "y"


class Broken(Retrieval):
    """Fails at every question."""

    name = "broken.retrieval"
    provides = frozenset({"retrieved"})

    async def retrieve(self, question: str, world: World) -> Sequence[Hit]:
        raise ZeroDivisionError("no reason")


class Stuck(Retrieval):
    """Waits for what never comes."""

    name = "stuck.retrieval"
    provides = frozenset({"retrieved"})

    async def retrieve(self, question: str, world: World) -> Sequence[Hit]:
        await asyncio.Event().wait()
        return ()


class BrokenFormation(PassageFormation):
    """Fails at the first passage."""

    name = "broken.formation"

    async def form(self, piece: Piece, observation: Observation) -> Sequence[Operation]:
        raise ZeroDivisionError("no reason")


class Wilful(Evolution):
    """Wants to decide alone what the task does next."""

    name = "wilful.evolution"

    async def settle(self, world: World) -> None:
        await world.step(Action(command=memgym.Answer("42")))


class Everything(TextSearch):
    """Asks for all that its store has, by a word of every passage, and keeps what it was shown."""

    name = "everything.retrieval"
    found: ClassVar[list[tuple[str, str, str]]] = []

    async def retrieve(self, question: str, world: World) -> Sequence[Hit]:
        seen = await world.step(Action((Read("Document one two is the of in", k=500, by="text"),)))
        self.found += [(hit.entry.text.partition(":")[0], hit.entry.store, hit.entry.id) for hit in seen.memories]
        return seen.memories[:3]


class One(MemorySystem):
    """A plain system under a name of its own."""

    name = "one"
    system: ClassVar = {
        "formation": "passage.formation", "backend": "text.backend", "retrieval": "text.retrieval",
    }  # fmt: skip


class Two(One):
    """Another."""

    name = "two"


class Ended:
    """What is left of a play: the environment, the model's usage, what the model was asked, and the steps."""

    def __init__(self, *systems: MemorySystem, model: Any, timeout: float | None = None, env: Any = None) -> None:
        self.agent = MultiSystem(model, systems=systems, timeout=timeout)
        needs = dict(self.agent.needs)
        self.env = env(needs) if env else memgym.rollout.make_env(ENV, questions=2, **needs)
        self.env.reset(seed=0)
        self.actions: list[Action] = []
        asyncio.run(self._play())

    async def _play(self) -> None:
        await self.agent.reset(Briefing(np.random.default_rng(0), self.env.dialect, self.env.options.allowed, 6))
        while not self.env.pomdp.over:
            action = await self.agent.act(self.env.pomdp.seen)
            assert isinstance(action, Action)
            self.actions.append(action)
            self.env.step(action)


class Listening:
    """The rules model; keeps the texts that it was asked to answer from."""

    name = "listening"

    def __init__(self) -> None:
        self.rules = memgym.make_model("rules")
        self.texts: list[str] = []

    async def chat(self, request: Any) -> Any:
        if request.name == "answer":
            self.texts.append(request.inputs["text"])
        return await self.rules.chat(request)


def pair(model: Any, one: dict[str, Any], two: dict[str, Any]) -> tuple[One, Two]:
    return One(model, **one), Two(model, **two)


def ended(one: dict[str, Any], two: dict[str, Any], timeout: float | None = None) -> tuple[Ended, Listening, Meter]:
    listening = Listening()
    meter = Meter(listening)
    return Ended(*pair(meter, one, two), model=meter, timeout=timeout), listening, meter
