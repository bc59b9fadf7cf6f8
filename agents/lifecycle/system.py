"""MemorySystem: five parts that fit, played as one agent through the environment's own step.

Forming, evolving and reading are memory-only steps (the environment is asked for ``advance="explicit"``), so that a
pipeline can look before it writes; only then is the next input read.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, cast

from memgym.agent import Briefing, Observation, PipelineAgent, World
from memgym.contracts import ContractError, check
from memgym.memory.entry import Hit
from memgym.model import ChatModel
from memgym.operations import Action, Advance

from ..asking import answer, needed, question
from .acting import act
from .building import build, contracts, given
from .components import Backend, Component, Evolution, Formation, Piece, Retrieval, Utilization
from .pieces import Pieces
from .promises import Promises


def reads_on(observation: Observation) -> bool:
    """Return whether there is input to take in; an empty text in phase "read" is where it ends."""
    return observation.view.phase == "read" and bool(observation.view.text)


class Pipeline(PipelineAgent):
    """Reads what there is to read, answers what is asked, and acts where a world is to be acted in."""

    model: ChatModel

    async def play(self, world: World) -> None:
        while (phase := world.observation.view.phase) != "done":
            if phase == "read":
                await self._read(world)
            elif phase == "answer":
                await self._answer(world)
            else:
                await act(self, world)

    async def _read(self, world: World) -> None:
        """Take in every piece of the input that follows, up to where a question is asked or the input ends."""
        while reads_on(world.observation):
            await self.take_in(world)
            await world.step(Action(command=Advance()))
        await self.settle(world)
        if world.observation.view.phase == "read":
            await world.step(Action(command=Advance()))

    async def _answer(self, world: World) -> None:
        asked = question(world.observation.view)
        text = await self.recall(asked, world)
        await world.step(Action(command=await answer(self.model, text, asked)))

    @abstractmethod
    async def take_in(self, world: World) -> None:
        """Bring what is shown now into memory, as far as it completes a piece."""

    @abstractmethod
    async def settle(self, world: World) -> None:
        """Bring what was held back into memory, and tidy up."""

    @abstractmethod
    async def recall(self, asked: str, world: World) -> str:
        """Return what memory says to a question, in the words that the model is shown."""


class MemorySystem(Pipeline):
    """An agent made of a backend, a formation, a retrieval, an evolution (or none) and a utilization.

    Each part is an instance, or the name of a component; a named one is built with ``model`` and with
    ``options[stage]``. Published systems are subclasses that name their own parts in ``system``, so that any part can
    be exchanged by a keyword. Parts that do not fit are a ContractError at once; parts that need what a benchmark does
    not provide are one as soon as an episode of it is played.
    """

    name: ClassVar[str] = "memory-system"
    system: ClassVar[Mapping[str, str]] = {}

    def __init__(
        self,
        model: ChatModel | None = None,
        *,
        backend: Backend | str | None = None,
        formation: Formation | str | None = None,
        retrieval: Retrieval | str | None = None,
        evolution: Evolution | str | None = None,
        utilization: Utilization | str | None = None,
        options: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.model = needed(model, self.name)
        chosen: dict[str, Component | str | None] = {
            "formation": formation,
            "backend": backend,
            "evolution": evolution,
            "retrieval": retrieval,
            "utilization": utilization,
        }
        self.parts = build(chosen, self.system, self.model, options or {})
        self._check(given())

    def _check(self, there: frozenset[str]) -> None:
        violations = check({stage: part.contract() for stage, part in self.parts.items()}, there, contracts())
        if violations:
            raise ContractError(violations)

    @property
    def formation(self) -> Formation:
        return cast("Formation", self.parts["formation"])

    @property
    def evolution(self) -> Evolution:
        return cast("Evolution", self.parts["evolution"])

    @property
    def retrieval(self) -> Retrieval:
        return cast("Retrieval", self.parts["retrieval"])

    @property
    def utilization(self) -> Utilization:
        return cast("Utilization", self.parts["utilization"])

    @property
    def needs(self) -> Mapping[str, Any]:
        """The environment options that this system plays under."""
        return {"advance": "explicit", **cast("Backend", self.parts["backend"]).needs}

    def check(self, provides: frozenset[str]) -> None:
        """Raise a ContractError where the benchmark lacks what the parts require."""
        super().check(provides)
        self._check(provides)

    async def reset(self, briefing: Briefing) -> None:
        await super().reset(briefing)
        for part in self.parts.values():
            part.reset(briefing)
        self._promises = Promises(self.formation.contract())
        self._pieces = Pieces(self.formation)

    async def play(self, world: World) -> None:
        """Play an episode; where the benchmark lacks what the parts require, this is a ContractError at once."""
        if self.briefing.provides is not None:
            self._check(self.briefing.provides)
        await super().play(world)

    async def take_in(self, world: World) -> None:
        await self._form(self._pieces.feed(world.observation), world)

    async def settle(self, world: World) -> None:
        await self._form(self._pieces.finish(), world)
        await self._integrate(await self.formation.finish(world.observation), world)
        await self.evolution.settle(world)

    async def _form(self, pieces: Iterator[Piece], world: World) -> None:
        for piece in pieces:
            await self._integrate(await self.formation.form(piece, world.observation), world)

    async def _integrate(self, formed: Sequence[Any], world: World) -> None:
        self._promises.check(formed)
        if formed:
            await self.evolution.integrate(formed, world)

    async def recall(self, asked: str, world: World) -> str:
        return await self.show(asked, await self.search(asked, world), world.observation)

    async def search(self, asked: str, world: World) -> Sequence[Hit]:
        """Return the entries that a question finds, best first."""
        hits = await self.retrieval.retrieve(asked, world)
        await self.evolution.recalled(hits, world)
        return hits

    async def show(self, asked: str, hits: Sequence[Hit], observation: Observation) -> str:
        """Put what was found into the words that the model is shown."""
        return await self.utilization.context(asked, hits, observation)
