"""A-Mem: linked notes that change when new ones join them.

Source: "A-Mem: Agentic Memory for LLM Agents" (arXiv 2502.12110), sections 3.1 to 3.4, and its released code. Each
note costs two calls as there: one describes it, one links it and revises its neighbours (``separate=True``: the
paper's two prompts for the latter). Defaults: 5 neighbours when writing, 10 notes and their linked ones when reading.

Deviations. Prompts are our own. Neighbours are found by the whole note (the paper's equation 3; the code embeds its
text alone), the question is not rewritten into keywords before it is searched (the code does, the paper does not).
Links and revisions name notes by id, and only notes that were shown (the code took ranks for positions); a note is
indexed anew as soon as it is revised (the code: at every hundredth). Linked notes follow the hits, each once, at most
k of them (the code shows some twice). A first note has no neighbours and costs one call. An empty context or empty
tags in a revision leave what was there. Where no usable description came back, keywords are the first words, the
context is "General" (as in the code), and the note is marked ``degraded``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

from pydantic import BaseModel

from memgym.agent import Observation, World
from memgym.memory.entry import Entry, Hit
from memgym.model import ChatModel
from memgym.operations import Action, Create, Evolve, Link, Operation, Read, pairs

from ..lifecycle.builtin import Search
from ..lifecycle.components import Evolution, Formation, Piece, Utilization, needs_model
from ..lifecycle.system import MemorySystem
from ..memory_prompts import ANALYSE, EVOLVE, RELATE, Analysis, Change
from ..memory_prompts.fields import Ids, Words
from ..prompts import Asked, Prompt
from .shown import LONGEST, line, unshown

GENERAL = "General"
_WORD = re.compile(r"\w+")


class Joined(BaseModel):
    """How a new note joins a memory: ids to link it to, its own tags now (empty: they stay), and what it changes."""

    ids: Ids = []
    tags: Words = []
    changes: list[Change] = []


LINK_AND_EVOLVE = Prompt(
    name="link_and_evolve",
    output=Joined,
    system=(
        "A new note joins a memory. Below it are the notes nearest to it, each behind its id in square brackets. "
        "Decide two things. First, which of them should it be linked to, because they are about the same person, thing "
        "or matter, or because one leads on to the other? Give their ids, and new tags for the new note if the links "
        "change what it belongs to. Second, which of them are better understood now? For each give its id, a new "
        "context (one sentence) and new tags; both replace the old ones, so keep in them what still holds. Leave out "
        "notes that stay as they are; often nothing is to be done."
    ),
    user="New note:\n{note}\n\nNearest notes:\n{neighbours}",
    default=lambda inputs: Joined(),
)


class AMemFormation(Formation):
    """Note construction: the text as it is, with the keywords, the context and the tags that a model gives it."""

    name = "a-mem.formation"
    requires = frozenset({"raw_text"})
    provides = frozenset({"text_content", "keywords", "tags", "context"})
    asks = (ANALYSE.name,)

    def __init__(self, model: ChatModel | None = None) -> None:
        self.model = needs_model(model, self)

    async def form(self, piece: Piece, observation: Observation) -> Sequence[Operation]:
        text = f"{piece.title}\n{piece.text}" if piece.title else piece.text
        return [_described(text, piece.time, await ANALYSE.ask(self.model, text=text))]


def _described(text: str, time: str, asked: Asked[Analysis]) -> Create:
    said = asked.value
    words = [word[:LONGEST] for word in _WORD.findall(text)] or [text[:LONGEST]]
    return Create(
        text,
        keywords=tuple(said.keywords or dict.fromkeys(words[:3])),
        tags=tuple(said.tags) or (GENERAL.lower(),),
        context=said.context or GENERAL,
        time=time,
        attributes=pairs(degraded="analysis") if asked.degraded else (),
    )


class AMemEvolution(Evolution):
    """Link generation and memory evolution: a new note is linked to neighbours, and its neighbours are revised.

    neighbours: how many of the nearest notes are looked at. separate: ask for links and for revisions in two requests
    as the paper prints them (three calls a note), instead of in one as its code does.
    """

    name = "a-mem.evolution"
    requires = frozenset({"id", "text_content", "keywords", "tags", "context", "text_embedding_index"})
    provides = frozenset({"links"})
    asks = (LINK_AND_EVOLVE.name, RELATE.name, EVOLVE.name)

    def __init__(self, model: ChatModel | None = None, *, neighbours: int = 5, separate: bool = False) -> None:
        self.model = needs_model(model, self)
        self.neighbours = neighbours
        self.separate = separate

    async def integrate(self, formed: Sequence[Operation], world: World) -> None:
        for operation in formed:
            if isinstance(operation, Create):
                await self._join(operation, world)
            else:
                await world.step(Action((operation,)))

    async def _join(self, note: Create, world: World) -> None:
        """Write a note and look around in one step: the read comes after the write and so may find the note itself."""
        nearest = Read("\n".join(_parts(note)), k=self.neighbours + 1, by="dense")
        seen = await world.step(Action((note, nearest)))
        written = seen.results[0]
        if not written.ok:
            return
        [id] = written.ids
        near = [hit.entry for hit in seen.memories if hit.entry.id != id][: self.neighbours]
        if near and (operations := list(_operations(id, await self._decide(note, near), near))):
            await world.step(Action(tuple(operations)))

    async def _decide(self, note: Create, near: Sequence[Entry]) -> Joined:
        inputs: dict[str, Any] = {"note": _rendered(note), "neighbours": [line(one.id, _rendered(one)) for one in near]}
        if not self.separate:
            return (await LINK_AND_EVOLVE.ask(self.model, **inputs)).value
        related = (await RELATE.ask(self.model, **inputs)).value
        evolved = (await EVOLVE.ask(self.model, **inputs)).value
        return Joined(ids=related.ids, changes=evolved.changes)


def _operations(id: str, decided: Joined, near: Sequence[Entry]) -> Iterator[Operation]:
    """Yield what was decided as operations; an id that was not shown becomes one that the environment refuses."""
    shown = {entry.id for entry in near}
    if known := tuple(one for one in decided.ids if one in shown):
        yield Link(id, known)
    for one in decided.ids:
        if one not in shown:
            yield Link(id, (unshown(one),))
    if decided.tags:
        yield Evolve(id, tags=tuple(decided.tags))
    for change in decided.changes:
        if change.context or change.tags:
            address = change.id if change.id in shown else unshown(change.id)
            yield Evolve(address, tags=tuple(change.tags) or None, context=change.context or None)


def _parts(note: Create | Entry) -> Iterable[str]:
    parts = (note.text, note.context, " ".join(note.keywords), " ".join(note.tags))
    return [part for part in parts if part]


def _rendered(note: Create | Entry) -> str:
    """Return a note with all that is known of it, a line each; what it does not have is left out."""
    known = {
        "time": note.time,
        "context": note.context,
        "keywords": ", ".join(note.keywords),
        "tags": ", ".join(note.tags),
    }
    return "\n".join([note.text, *(f"{name}: {value}" for name, value in known.items() if value)])


class AMemRetrieval(Search):
    """The nearest notes, and the notes that they link to.

    k: how many, and at most as many linked ones. follow: rounds in which links are followed; 0 for none.
    """

    name = "a-mem.retrieval"
    requires = frozenset({"text_embedding_index", "link_index", "text_content"})
    provides = frozenset({"retrieved"})
    by = "dense"

    def __init__(self, model: ChatModel | None = None, *, k: int | None = 10, follow: int = 1) -> None:
        super().__init__(model, k=k, follow=follow)


class AMemUtilization(Utilization):
    """Shows each note with its time, context, keywords and tags."""

    name = "a-mem.utilization"
    requires = frozenset({"retrieved", "text_content"})
    provides = frozenset({"prompt"})

    def __init__(self, model: ChatModel | None = None) -> None:
        pass

    async def context(self, question: str, hits: Sequence[Hit], observation: Observation) -> str:
        return "\n\n".join(_rendered(hit.entry) for hit in hits)


class AMem(MemorySystem):
    """A-Mem (arXiv 2502.12110): described notes, linked to their neighbours, which they revise; links are followed."""

    name = "a-mem"
    system: ClassVar = {
        "formation": "a-mem.formation",
        "backend": "vector.backend",
        "evolution": "a-mem.evolution",
        "retrieval": "a-mem.retrieval",
        "utilization": "a-mem.utilization",
    }
