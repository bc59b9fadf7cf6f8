"""Who acts: an Agent turns observations into actions, one episode at a time.

A scripted agent is a generator (``ScriptedAgent.episode``), a pipeline of several parts a coroutine that takes steps
(``PipelineAgent.play``); both read like the paper that they come from.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Coroutine
from collections.abc import Generator as Yielding
from dataclasses import dataclass
from types import coroutine
from typing import Any, ClassVar, NamedTuple

from numpy.random import Generator

from memgym.contracts import FieldsError
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

    ``sample`` is None unless the agent is privileged (an oracle). ``provides`` are the keys that the benchmark has for
    each of its samples (see memgym.contracts); None: they are not known.
    """

    rng: Generator
    dialect: Dialect
    operations: frozenset[str]
    k: int
    sample: Sample | None = None
    provides: frozenset[str] | None = None


class Agent(ABC):
    """Plays one episode at a time: ``reset``, then ``act`` once a step. One instance never plays two at once.

    ``privileged`` agents see the sample with its answers; they are bounds, and every table marks them. ``plays`` are
    the kinds of benchmark that an agent can play: a "text" to read and be asked about, a "world" to act in.
    """

    name: ClassVar[str]
    privileged: ClassVar[bool] = False
    plays: ClassVar[frozenset[str]] = frozenset({"text", "world"})

    def check(self, provides: frozenset[str]) -> None:
        """Raise a FieldsError where no episode of a benchmark with these keys can be played; doubt is no reason."""
        world = "world" in provides
        if ("world" if world else "text") not in self.plays:
            able, asked = ("reads and answers", "world to act in") if world else ("acts", "text to read")
            raise FieldsError(f"it {able}, and this is a {asked}")

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


class World:
    """The environment as a pipeline sees it: the present ``observation``, and ``step`` to get to the next."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation

    async def step(self, action: Action) -> Observation:
        """Take a step and return what is then observed."""
        self.observation = await _Ask(action)
        return self.observation


class PipelineAgent(Agent):
    """An agent written as one coroutine: it calls ``await world.step(action)`` from wherever it stands.

    Unlike a generator it can leave steps to its parts, and a part can return what it found.
    """

    briefing: Briefing

    async def reset(self, briefing: Briefing) -> None:
        self.briefing = briefing
        self._world: World | None = None
        self._running: Coroutine[Any, Any, None] | None = None

    @abstractmethod
    async def play(self, world: World) -> None:
        """Play an episode; after it returns the agent does nothing more."""

    async def act(self, observation: Observation) -> Action:
        if self._world is None:
            self._world = World(observation)
            self._running = self.play(self._world)
            return await self._resume(None)
        return await self._resume(observation)

    async def _resume(self, observation: Observation | None) -> Action:
        action = None if self._running is None else await until_asked(self._running, observation)
        if action is None:
            self._running = None
        return action or Action()


class _Ask:
    """What ``World.step`` awaits: it passes the action out of the coroutine and the next observation in."""

    def __init__(self, action: Action) -> None:
        self.action = action

    def __await__(self) -> Yielding[_Ask, Observation, Observation]:
        return (yield self)


@coroutine
def until_asked(running: Coroutine[Any, Any, None], value: Any) -> Yielding[Any, Any, Action | None]:
    """Run a coroutine until it asks for a step; whatever else it awaits is the event loop's, and is passed through."""
    try:
        asked = running.send(value)
        while not isinstance(asked, _Ask):
            try:
                value = yield asked
            except BaseException as error:  # cancellation must reach what is awaited
                asked = running.throw(error)
            else:
                asked = running.send(value)
    except StopIteration:
        return None
    return asked.action
