"""Who acts: an Agent turns observations into actions, one episode at a time.

A scripted agent is a generator (``ScriptedAgent.episode``), so that a pipeline reads like the paper it comes from.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from numpy.random import Generator

from memgym.dialects import Dialect
from memgym.memory.entry import Hit
from memgym.operations import Action, Result
from memgym.task import Sample, TaskView


class Observation(NamedTuple):
    """What an agent sees at a step, as values; the environment's Dict of text is rendered from the same.

    ``memories`` is what was read, and nothing else of the memory; ``results`` answer the previous action, operation by
    operation; ``remaining`` is the number of steps left. A named tuple, since one is made at every step.
    """

    view: TaskView
    scratchpad: str
    memories: tuple[Hit, ...]
    results: tuple[Result, ...]
    step: int
    remaining: int
    budget: str = ""


@dataclass(frozen=True, slots=True)
class Briefing:
    """What an agent gets before an episode: its own random generator, the dialect, the allowed operations.

    ``sample`` is None unless the agent is privileged (an oracle).
    """

    rng: Generator
    dialect: Dialect
    operations: frozenset[str]
    k: int
    sample: Sample | None = None


class Agent(ABC):
    """Plays one episode at a time: ``reset``, then ``act`` once a step. One instance never plays two at once.

    ``privileged`` agents see the sample with its answers; they are bounds, and every table marks them.
    """

    name: ClassVar[str]
    privileged: ClassVar[bool] = False

    @abstractmethod
    async def reset(self, briefing: Briefing) -> None:
        """Forget everything and get ready for a new episode."""

    @abstractmethod
    async def act(self, observation: Observation) -> Action | str:
        """Return an action, or the text of one in the episode's dialect."""


class ScriptedAgent(Agent):
    """An agent written as one generator: it yields an Action and is sent the next Observation."""

    briefing: Briefing

    async def reset(self, briefing: Briefing) -> None:
        self.briefing = briefing
        self._play: AsyncGenerator[Action, Observation] | None = None

    @abstractmethod
    def episode(self, observation: Observation) -> AsyncGenerator[Action, Observation]:
        """Play an episode from its first observation; after the last yield the agent does nothing more."""

    async def act(self, observation: Observation) -> Action:
        try:
            if self._play is None:
                self._play = self.episode(observation)
                return await anext(self._play)
            return await self._play.asend(observation)
        except StopAsyncIteration:
            return Action()
