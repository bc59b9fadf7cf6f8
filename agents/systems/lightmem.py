"""LightMem: turns are buffered into segments and asked about once a segment; contradictions are settled later, offline.

Source: Fang et al., "LightMem: Lightweight and Efficient Memory-Augmented Generation" (arXiv 2510.18866), and its code
(MIT, 8fc9a91). A sensory buffer of 512 tokens is cut where the topic changes; one request a segment takes out the
facts, which are appended online. Offline each entry has a queue of its nearest (20 looked at, 10 kept, similarity 0.8
and above), and the model decides whether an older entry is updated or deleted by it. Ten entries are read for a
question.
Only what the user says is taken in where one side is an assistant.

Deviations:
- No pre-compression: LLMLingua-2 is a model of its own, and the rate that it keeps (0.6 to 0.8) saves prompt tokens
  only. A topic border is where neighbours have fewest words in common, not a minimum of a model's attention.
- A piece longer than the buffer is cut into parts (in the code it looped, or lost a slice).
- Offline decisions are made one after another, each on the memory as it is then (the code decides in parallel on one
  snapshot), and an updated entry is indexed anew at once (the code keeps its old vector). An entry whose new text would
  be that of another is deleted instead. An id that was not shown is refused by the environment, on record.
- Of two entries whose times are known the later one decides on the earlier; where they are not, the one that came later
  (in the code every entry has a time, if only that at which it was written).
- ``settle`` runs whenever a question is due, on what came in since the last time.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

from memgym.agent import Briefing, Observation, World
from memgym.memory.entry import Entry, Hit
from memgym.model import ChatModel
from memgym.operations import Action, Create, Delete, Evolve, Operation, Read, Update, pairs

from ..lifecycle.builtin import Search
from ..lifecycle.components import Evolution, Formation, Piece, needs_model
from ..lifecycle.system import MemorySystem
from ..memory_prompts import DECIDE, EXTRACT, Decision
from .moments import earlier, moment
from .segments import Segments, entries, render, shared_time
from .shown import line, unshown

ASSISTANT = "assistant:"


class SegmentFormation(Formation):
    """Buffers pieces into segments; a subclass says what is written of a segment.

    tokens: the size of the buffer. users_only: leave out the turns of an assistant.
    """

    def __init__(self, model: ChatModel | None = None, *, tokens: int = 512, users_only: bool = True) -> None:
        self.model = needs_model(model, self)
        self.tokens, self.users_only = tokens, users_only
        self._segments = Segments(tokens)

    def reset(self, briefing: Briefing) -> None:
        self._segments = Segments(self.tokens)

    async def form(self, piece: Piece, observation: Observation) -> Sequence[Operation]:
        if self.users_only and piece.text.startswith(ASSISTANT):
            return ()
        return [one for segment in self._segments.add(piece) for one in await self.formed(segment)]

    async def finish(self, observation: Observation) -> Sequence[Operation]:
        segment = self._segments.finish()
        return await self.formed(segment) if segment else ()

    async def formed(self, segment: Sequence[Piece]) -> Sequence[Operation]:
        """Return what to write of a segment."""
        raise TypeError(f"{type(self).__name__} does not say what it writes of a segment.")


class LightMemFormation(SegmentFormation):
    """The facts of each segment, taken out in one call."""

    name = "lightmem.formation"
    requires = frozenset({"raw_text"})
    provides = frozenset({"text_content"})

    async def formed(self, segment: Sequence[Piece]) -> Sequence[Operation]:
        time = shared_time(segment)
        asked = await EXTRACT.ask(self.model, text=render(segment), time=time)
        texts = [render([piece]) for piece in segment] if asked.degraded else asked.value.facts
        return entries(texts, time, degraded=asked.degraded)


class LightMemEvolution(Evolution):
    """Appends online; when the input ends, lets each new entry update or delete what it is nearest to.

    nearest: how many are looked at. queue: how many of them are kept. threshold: least similarity (cosine).
    """

    name = "lightmem.evolution"
    requires = frozenset({"id", "text_content", "text_embedding_index"})

    def __init__(
        self, model: ChatModel | None = None, *, nearest: int = 20, queue: int = 10, threshold: float = 0.8
    ) -> None:
        self.model = needs_model(model, self)
        self.nearest, self.queue, self.threshold = nearest, queue, threshold
        self._fresh: dict[str, str] = {}

    def reset(self, briefing: Briefing) -> None:
        self._fresh = {}

    async def integrate(self, formed: Sequence[Operation], world: World) -> None:
        seen = await world.step(Action(tuple(formed)))
        for operation, result in zip(formed, seen.results, strict=True):
            if isinstance(operation, Create) and result.ok:
                self._fresh[result.ids[0]] = operation.text

    async def settle(self, world: World) -> None:
        """Write what was decided on one entry and read the queue of the next one in the same step."""
        fresh, self._fresh = self._fresh, {}
        waiting: tuple[Operation, ...] = ()
        later = set(fresh)
        for id, text in fresh.items():
            later.discard(id)
            seen = await world.step(Action((*waiting, Read(text, k=self.nearest + 1, by="dense"))))
            waiting = await self._decided(id, seen.memories, later)
        if waiting:
            await world.step(Action(waiting))

    async def _decided(self, id: str, hits: Sequence[Hit], later: Collection[str]) -> tuple[Operation, ...]:
        """Return what an entry does to those in its queue; one that is not found again was changed or deleted."""
        entry = next((hit.entry for hit in hits if hit.entry.id == id), None)
        if entry is None:
            return ()
        near = [hit.entry for hit in hits if hit.entry.id != id and hit.score >= self.threshold]
        queue = [other for other in near if not _after(other, entry, later)][: self.queue]
        if not queue:
            return ()
        shown = [line(one.id, one.text) for one in queue]
        decided = (await DECIDE.ask(self.model, fact=entry.text, memories=shown)).value
        return _operations(entry, decided, {one.id for one in queue})


def _after(other: Entry, entry: Entry, later: Collection[str]) -> bool:
    """Whether an entry is newer than another: by their times, or by when they came where one has none."""
    times = moment(entry.time), moment(other.time)
    return other.id in later if None in times else earlier(*times)


def _operations(entry: Entry, decided: Decision, shown: set[str]) -> tuple[Operation, ...]:
    if decided.action not in ("update", "delete"):
        return ()
    id = decided.id if decided.id in shown else unshown(decided.id)
    if decided.action == "delete" or decided.text in ("", entry.text):
        return (Delete(id),)
    stamp = (Evolve(id, attributes=pairs(updated=entry.time)),) if entry.time else ()
    return (Update(id, decided.text), *stamp)


class LightMemRetrieval(Search):
    """The entries nearest to the question. k: how many (the runs on LoCoMo: 60)."""

    name = "lightmem.retrieval"
    requires = frozenset({"text_embedding_index", "text_content"})
    provides = frozenset({"retrieved"})
    by = "dense"

    def __init__(self, model: ChatModel | None = None, *, k: int | None = 10) -> None:
        super().__init__(model, k=k)


class LightMem(MemorySystem):
    """LightMem (arXiv 2510.18866): one request a segment online, updates offline."""

    name = "lightmem"
    system: ClassVar = {
        "formation": "lightmem.formation",
        "backend": "vector.backend",
        "evolution": "lightmem.evolution",
        "retrieval": "lightmem.retrieval",
        "utilization": "prompt.utilization",
    }
