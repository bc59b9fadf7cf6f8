"""StructMem: the events of a conversation, what happened and how people relate, and summaries across events.

Source: StructMem, in the repository of LightMem (MIT, 8fc9a91; ``extraction_mode="event"``). A segment gives factual
and relational entries under one time. Entries are buffered in windows of 3600 seconds; a window that is over is
consolidated: the 15 entries nearest to it come from memory, and a summary across the events goes into a second store.
Both stores are read for a question.

Deviations:
- The two extractions are two requests, one for facts and one for relations (edges); a relation that says a fact over
  again is one entry. Segments are those of ``lightmem``.
- A window is over when an entry comes whose time is more than ``window`` seconds away or, where a time is not known to
  the minute, differs at all; and after ``most`` entries, since a text without times would never be summarised.
- The seeds are read by the text of the whole window. A failed summary keeps the newest entries that fit, marked in the
  counts; an empty one is not written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar

from memgym.agent import Briefing, World
from memgym.memory.entry import Hit
from memgym.model import ChatModel
from memgym.operations import Action, Create, Operation, Read, pairs

from ..lifecycle.builtin import VectorStore
from ..lifecycle.components import Evolution, Piece, Retrieval, needs_model
from ..lifecycle.system import MemorySystem
from ..memory_prompts import EDGES, EXTRACT, SUMMARISE, Edge
from .lightmem import SegmentFormation
from .moments import moment
from .segments import entries, render, shared_time

EVENTS, SUMMARIES = "events", "summary"


class StructMemBackend(VectorStore):
    """Two stores: events (the default one) and summaries across them."""

    name = "structmem.backend"
    provides = VectorStore.provides | {"summary_store"}

    @property
    def needs(self) -> Mapping[str, Any]:
        return {**super().needs, "stores": [EVENTS, SUMMARIES]}


class StructMemFormation(SegmentFormation):
    """Factual and relational entries of each segment, in two calls."""

    name = "structmem.formation"
    requires = frozenset({"raw_text"})
    provides = frozenset({"text_content"})

    async def formed(self, segment: Sequence[Piece]) -> Sequence[Operation]:
        text, time = render(segment), shared_time(segment)
        facts = await EXTRACT.ask(self.model, text=text, time=time)
        edges = await EDGES.ask(self.model, text=text, time=time)
        texts = [render([piece]) for piece in segment] if facts.degraded else facts.value.facts
        said = set(texts)
        relations = [one for edge in edges.value.edges if (one := _relation(edge, time)).text not in said]
        return [*entries(texts, time, degraded=facts.degraded), *relations]


def _relation(edge: Edge, time: str) -> Create:
    text = edge.text or f"{edge.subject} {edge.relation} {edge.object}."
    valid = {"valid_at": edge.valid_at} if edge.valid_at else {}
    return Create(text, tags=("relation",), time=time, attributes=pairs(valid))


class StructMemEvolution(Evolution):
    """Writes events as they come, and a summary of each window of time when it is over.

    window: seconds. most: entries of a window. seeds: entries from memory beside them. limit: tokens of a summary.
    """

    name = "structmem.evolution"
    requires = frozenset({"text_content", "text_embedding_index", "summary_store"})

    def __init__(
        self,
        model: ChatModel | None = None,
        *,
        window: int = 3600,
        most: int = 50,
        seeds: int = 15,
        limit: int = 512,
    ) -> None:
        self.model = needs_model(model, self)
        self.window, self.most, self.seeds, self.limit = window, most, seeds, limit
        self._held: list[Create] = []

    def reset(self, briefing: Briefing) -> None:
        self._held = []

    async def integrate(self, formed: Sequence[Operation], world: World) -> None:
        """Write what belongs to a window before it is consolidated, and what comes after it afterwards."""
        waiting: list[Operation] = []
        for operation in formed:
            if isinstance(operation, Create):
                if self._held and (len(self._held) >= self.most or self._over(operation.time)):
                    await self._write(waiting, world)
                    await self.settle(world)
                    waiting = []
                self._held.append(operation)
            waiting.append(operation)
        await self._write(waiting, world)

    async def _write(self, operations: Sequence[Operation], world: World) -> None:
        if operations:
            await world.step(Action(tuple(operations)))

    def _over(self, time: str) -> bool:
        """Whether a time is outside the window that the first entry opened."""
        opened = self._held[0].time
        start, now = _clock(opened), _clock(time)
        if start is None or now is None:
            return time != opened
        return abs((now - start).total_seconds()) > self.window

    async def settle(self, world: World) -> None:
        """Consolidate the window that is open."""
        held, self._held = self._held, []
        if not held:
            return
        texts = [entry.text for entry in held]
        near = Read("\n".join(texts), k=self.seeds + len(texts), by="dense")
        seen = await world.step(Action((near,)))
        seeds = [hit.entry.text for hit in seen.memories if hit.entry.text not in texts][: self.seeds]
        asked = await SUMMARISE.ask(self.model, texts=[*seeds, *texts], focus=[], limit=self.limit)
        if asked.value.text:
            marks = pairs(degraded="summarise") if asked.degraded else ()
            summary = Create(asked.value.text, time=held[-1].time, attributes=marks, store=SUMMARIES)
            await world.step(Action((summary,)))


def _clock(time: str) -> datetime | None:
    """Return a time that is known to the minute."""
    known = moment(time)
    if not known or len(known) != 5:
        return None
    try:
        return datetime(*known)
    except ValueError:  # the 31st of February
        return None


class StructMemRetrieval(Retrieval):
    """The nearest events, and then the nearest summaries. k, summaries: how many of each."""

    name = "structmem.retrieval"
    requires = frozenset({"text_content", "text_embedding_index", "summary_store"})
    provides = frozenset({"retrieved"})

    def __init__(self, model: ChatModel | None = None, *, k: int = 10, summaries: int = 5) -> None:
        self.k, self.summaries = k, summaries

    async def retrieve(self, question: str, world: World) -> Sequence[Hit]:
        wanted = {EVENTS: self.k, SUMMARIES: self.summaries}
        reads = tuple(Read(question, k=k, by="dense", store=store) for store, k in wanted.items() if k)
        return (await world.step(Action(reads))).memories


class StructMem(MemorySystem):
    """StructMem: facts and relations of events, consolidated into summaries across events."""

    name = "structmem"
    system: ClassVar = {
        "formation": "structmem.formation",
        "backend": "structmem.backend",
        "evolution": "structmem.evolution",
        "retrieval": "structmem.retrieval",
        "utilization": "prompt.utilization",
    }
