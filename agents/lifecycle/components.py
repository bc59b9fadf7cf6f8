"""The five stages as base classes. A published system is one subclass a stage, and its parts can be exchanged.

Every component is built with keyword options that all have the published default, and takes the chat model that it
asks as ``model``. What it declares in ``requires`` and ``provides`` is checked before anything runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from memgym.agent import Briefing, Observation, World
from memgym.contracts import Contract
from memgym.memory.entry import Hit
from memgym.model import ChatModel
from memgym.operations import Action, Create, Operation
from memgym.task import Experience


@dataclass(frozen=True, slots=True)
class Piece:
    """What a formation is given: one unit of input under its title, with the questions that are known by then."""

    text: str
    title: str = ""
    time: str = ""
    questions: tuple[str, ...] = ()
    experience: Experience | None = None


class Component:
    """A part of a memory system. Parts hold what an episode needs and forget it at ``reset``."""

    name: ClassVar[str]
    stage: ClassVar[str]
    requires: ClassVar[frozenset[str]] = frozenset()
    provides: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def contract(cls) -> Contract:
        return Contract(cls.name, cls.stage, frozenset(cls.requires), frozenset(cls.provides))

    def reset(self, briefing: Briefing) -> None:
        """Get ready for a new episode: nothing of the last one may be left."""


class Backend(Component):
    """Which indexes the environment's memory keeps: ``needs`` are the environment options that bring them about."""

    stage = "backend"

    @property
    def needs(self) -> Mapping[str, Any]:
        """Return environment options such as {"encoder": "minilm"}; the runner gives them to the environment."""
        return {}


class Formation(Component):
    """Turns input into operations, mostly Creates.

    ``unit`` is what it wants to be given at a time: "document", "sentence" or "chunk" (see agents.passages), or
    "experience" (whole trajectories).
    """

    stage = "formation"
    unit: ClassVar[str] = "document"

    async def form(self, piece: Piece, observation: Observation) -> Sequence[Operation]:
        """Return what to write of a piece; a formation that buffers may return nothing yet."""
        raise TypeError(f"{type(self).__name__} forms nothing: it has no form method of its own.")

    async def finish(self, observation: Observation) -> Sequence[Operation]:
        """Return what a buffer still holds at the end of the input."""
        return ()


class Evolution(Component):
    """Decides how what was formed goes into the memory that is there, and tidies up afterwards.

    Each ``await world.step(Action(...))`` without a command is one memory-only step.
    """

    stage = "evolution"

    async def integrate(self, formed: Sequence[Operation], world: World) -> None:
        """Bring what was formed into memory. The default writes it as it is."""
        if formed:
            await world.step(Action(tuple(formed)))

    async def settle(self, world: World) -> None:
        """Tidy up at the end of the input. The default does nothing."""

    async def recalled(self, hits: Sequence[Hit], world: World) -> None:
        """Note that these entries were recalled for a question or a task. The default does nothing."""


class Retrieval(Component):
    """Finds entries for a question, in one read or in rounds, and puts them into the order in which they are used."""

    stage = "retrieval"

    async def retrieve(self, question: str, world: World) -> Sequence[Hit]:
        """Read what the question needs and return it, best first."""
        raise TypeError(f"{type(self).__name__} reads nothing: it has no retrieve method of its own.")


class Utilization(Component):
    """Turns what was retrieved into what the model is shown."""

    stage = "utilization"

    async def context(self, question: str, hits: Sequence[Hit], observation: Observation) -> str:
        """Return the text that stands for memory when the model answers or acts."""
        raise TypeError(f"{type(self).__name__} shows nothing: it has no context method of its own.")


def creates(operations: Sequence[Operation]) -> list[Create]:
    """Return the Creates among operations."""
    return [one for one in operations if isinstance(one, Create)]


def needs_model(model: ChatModel | None, component: Component) -> ChatModel:
    """Return the model, or raise the ValueError that says which component asks for one."""
    if model is None:
        raise ValueError(f"The {component.stage} {component.name!r} asks a language model and has none: give model=...")
    return model
