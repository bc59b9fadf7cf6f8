"""Mem0 as in its paper: facts are taken out of the input; each is added, updates or deletes a memory, or is nothing.

Source: "Mem0: Building Production-Ready AI Agents with Scalable Long-Term Memory" (arXiv 2504.19413), section 2.1, and
the first releases of its code. Defaults: each fact is compared with the s=10 memories nearest to it; 30 memories are
read for a question (its evaluation script). ``mem0_add_only`` is what became of it in 2026.

Deviations. Prompts are our own, and extraction sees one passage at a time: no summary of the conversation and no ten
messages before it. One decision a fact, in order, as the paper's algorithm (the code decides on all facts of a message
at once, so that two of them could not see each other). Memories are shown under temporary numbers, as in the code; a
number that was not shown is refused by the environment, on record, and the fact is added (the code raised a KeyError
and lost it). A fact that a memory holds word for word is nothing, without asking (the code could delete it). Where
updates or deletions are masked, the fact is added. An updated memory keeps the time at which it came, and has the time
of the update as its attribute ``updated``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from memgym.agent import Briefing, Observation, World
from memgym.memory.entry import Hit
from memgym.model import ChatModel
from memgym.operations import Action, Create, Delete, Evolve, Operation, Read, Update, pairs

from ..lifecycle.builtin import Search
from ..lifecycle.components import Evolution, Formation, Piece, Utilization, needs_model
from ..lifecycle.system import MemorySystem
from ..memory_prompts import DECIDE, EXTRACT, Decision
from .shown import numbered, unshown


class Mem0Formation(Formation):
    """Takes out the facts that are worth remembering, one entry each. One call a passage."""

    name = "mem0.formation"
    requires = frozenset({"raw_text"})
    provides = frozenset({"text_content"})

    def __init__(self, model: ChatModel | None = None) -> None:
        self.model = needs_model(model, self)

    async def form(self, piece: Piece, observation: Observation) -> Sequence[Operation]:
        text = f"{piece.title}\n{piece.text}" if piece.title else piece.text
        found = await EXTRACT.ask(self.model, text=text, time=piece.time)
        return [Create(fact, time=piece.time) for fact in found.value.facts]


class Mem0Evolution(Evolution):
    """Decides for each fact: add it, update or delete a memory by it, or nothing. One call a fact.

    similar: how many of the nearest memories a fact is compared with; without any it is added and costs no call.
    """

    name = "mem0.evolution"
    requires = frozenset({"id", "text_content", "text_embedding_index"})

    def __init__(self, model: ChatModel | None = None, *, similar: int = 10) -> None:
        self.model = needs_model(model, self)
        self.similar = similar

    def reset(self, briefing: Briefing) -> None:
        self._allowed = briefing.operations

    async def integrate(self, formed: Sequence[Operation], world: World) -> None:
        """Write what was decided on one fact and read for the next one in the same step."""
        waiting: Sequence[Operation] = ()
        for operation in formed:
            if isinstance(operation, Create):
                near = Read(operation.text, k=self.similar, by="dense")
                seen = await world.step(Action((*waiting, near)))
                waiting = await self._decide(operation, seen.memories)
            else:
                waiting = (*waiting, operation)
        if waiting:
            await world.step(Action(tuple(waiting)))

    async def _decide(self, fact: Create, near: Sequence[Hit]) -> Sequence[Operation]:
        if any(hit.entry.text == fact.text for hit in near):
            return ()
        if not near:
            return (fact,)
        shown, ids = numbered(near)
        decided = (await DECIDE.ask(self.model, fact=fact.text, memories=shown)).value
        return self._operations(fact, decided, ids)

    def _operations(self, fact: Create, decided: Decision, ids: Mapping[str, str]) -> Sequence[Operation]:
        match decided.action:
            case "add":
                return (fact,)
            case "none":
                return ()
            case "update":
                changes = _updated(ids.get(decided.id, unshown(decided.id)), fact, decided.text or fact.text)
            case "delete":
                changes = (Delete(ids.get(decided.id, unshown(decided.id))),)
        carried_out = decided.id in ids and decided.action in self._allowed
        return changes if carried_out else (*changes, fact)


def _updated(id: str, fact: Create, text: str) -> tuple[Operation, ...]:
    update = Update(id, text)
    return (update, Evolve(id, attributes=pairs(updated=fact.time))) if fact.time else (update,)


class Mem0Retrieval(Search):
    """The nearest memories. k: how many."""

    name = "mem0.retrieval"
    requires = frozenset({"text_embedding_index", "text_content"})
    provides = frozenset({"retrieved"})
    by = "dense"

    def __init__(self, model: ChatModel | None = None, *, k: int | None = 30) -> None:
        super().__init__(model, k=k)


class Mem0Utilization(Utilization):
    """Shows each memory after the time at which it was last written."""

    name = "mem0.utilization"
    requires = frozenset({"retrieved", "text_content"})
    provides = frozenset({"prompt"})

    def __init__(self, model: ChatModel | None = None) -> None:
        pass

    async def context(self, question: str, hits: Sequence[Hit], observation: Observation) -> str:
        return "\n".join(dated(hit) for hit in hits)


def dated(hit: Hit) -> str:
    """Return the text of a memory after its time, if it has one."""
    time = hit.entry.attribute("updated", hit.entry.time)
    return f"({time}) {hit.entry.text}" if time else hit.entry.text


class Mem0(MemorySystem):
    """Mem0 (arXiv 2504.19413): facts that are added to, update or delete what is remembered."""

    name = "mem0"
    system: ClassVar = {
        "formation": "mem0.formation",
        "backend": "vector.backend",
        "evolution": "mem0.evolution",
        "retrieval": "mem0.retrieval",
        "utilization": "mem0.utilization",
    }
