"""SimpleMem: windows of turns are compressed into self-contained entries; a question is planned, searched and checked.

Source: "SimpleMem: Efficient Lifelong Memory for LLM Agents" (arXiv 2601.02553), and its code (MIT, db80b6a). Windows
of 40 turns overlap by 2; one request a window, shown the first 3 entries of the window before, so that nothing is said
twice. A question is planned into searches; each reads 25 entries by embedding, 5 by words and 5 by structure; then, up
to two times, the model says whether that is enough and what else to search for. All that was found is shown.

Deviations:
- A window whose reply cannot be used after three tries is kept as raw text, turn by turn, marked ``degraded`` and
  counted (the code drops it). Windows come one after another (the code runs up to four at once, so that the entries
  of the window before may not be there yet).
- Where passages of a document are read, each is a turn; ``tokens`` bounds a window, so that its reply fits.
- Persons, entities, place and topic of an entry go into its keywords and tags, where every index sees them; the search
  by structure is a hybrid read. An entry without a time of its own has that of its window, if all turns share it.
- The plan always includes the question itself, and at most ``queries`` searches are made at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator

from memgym.agent import Briefing, Observation, World
from memgym.memory.entry import Hit
from memgym.model import ChatModel
from memgym.operations import Action, Create, Operation, Read, pairs

from ..budget import tokenizer
from ..lifecycle.components import Formation, Piece, Retrieval, needs_model
from ..lifecycle.system import MemorySystem
from ..memory_prompts import ENOUGH, EXTRACT, PLAN
from ..memory_prompts.fields import Text, Words
from ..prompts import Prompt
from .segments import entries, render, shared_time


class Unit(BaseModel):
    """One statement that makes sense alone, and what it can be found by."""

    text: Text
    time: Text = ""
    keywords: Words = []
    persons: Words = []
    entities: Words = []
    location: Text = ""
    topic: Text = ""

    @property
    def words(self) -> tuple[str, ...]:
        place = [self.location] if self.location else []
        return tuple(dict.fromkeys([*self.keywords, *self.persons, *self.entities, *place]))


def _unit(value: Any) -> Any:
    """Read a statement that came alone."""
    return {"text": value} if isinstance(value, str) else value


class Units(BaseModel):
    """The statements of a window."""

    facts: list[Annotated[Unit, BeforeValidator(_unit)]]


WINDOW = Prompt(
    name=EXTRACT.name,
    output=Units,
    system=(
        f"{EXTRACT.system} With each statement give its time if the text tells one (empty if not), keywords, persons, "
        "other names, the place and the topic. What was taken out of the part before is not to be said again."
    ),
    user="Time: {time}\n\nTaken out of the part before:\n{known}\n\nText:\n{text}",
    default=lambda inputs: Units(facts=[]),
    max_tokens=4096,
    temperature=0.1,
)


class SimpleMemFormation(Formation):
    """Compresses windows of turns into entries, one call a window.

    window, overlap: in turns. known: entries of the window before that are shown. tokens: most of a window.
    """

    name = "simplemem.formation"
    requires = frozenset({"raw_text"})
    provides = frozenset({"text_content"})

    def __init__(
        self,
        model: ChatModel | None = None,
        *,
        window: int = 40,
        overlap: int = 2,
        known: int = 3,
        tokens: int = 2000,
    ) -> None:
        if not 0 <= overlap < window:
            raise ValueError(f"Windows of {window} turns cannot overlap by {overlap}: 0 <= overlap < window is needed.")
        self.model = needs_model(model, self)
        self.window, self.overlap, self.known, self.tokens = window, overlap, known, tokens
        self.reset_window()

    def reset(self, briefing: Briefing) -> None:
        self.reset_window()

    def reset_window(self) -> None:
        """Forget the turns that are held and the entries of the window before."""
        self._held: list[Piece] = []
        self._new = 0
        self._before: list[str] = []

    async def form(self, piece: Piece, observation: Observation) -> Sequence[Operation]:
        written = await self._closed() if self._new and self._tokens([*self._held, piece]) > self.tokens else ()
        self._held.append(piece)
        self._new += 1
        return written if len(self._held) < self.window else [*written, *await self._closed()]

    async def finish(self, observation: Observation) -> Sequence[Operation]:
        written = await self._closed() if self._new else ()
        self.reset_window()
        return written

    async def _closed(self) -> Sequence[Operation]:
        """Compress the window, and keep the turns that the next one repeats."""
        turns, time = self._held, shared_time(self._held)
        shown = self._before[: self.known]
        asked = await WINDOW.ask(self.model, text=render(turns), time=time, known=shown)
        new, self._new = turns[-self._new :], 0
        self._held = turns[len(turns) - self.overlap :]
        if asked.degraded:
            self._before = []
            return entries([render([turn]) for turn in new], time, degraded=True)
        units = [one for one in asked.value.facts if one.text]
        self._before = [one.text for one in units]
        return [_entry(one, time) for one in units]

    def _tokens(self, turns: Iterable[Piece]) -> int:
        return sum(tokenizer().count(turn.text) for turn in turns)


def _entry(unit: Unit, time: str) -> Create:
    known = {"persons": ", ".join(unit.persons), "location": unit.location, "topic": unit.topic}
    return Create(
        unit.text,
        keywords=unit.words,
        tags=(unit.topic,) if unit.topic else (),
        time=unit.time or time,
        attributes=pairs({name: value for name, value in known.items() if value}),
    )


class SimpleMemRetrieval(Retrieval):
    """Plans the searches of a question, and searches on until the model has enough.

    semantic, keyword, structured: entries of a search by embedding, by words, by both. rounds: how often the model may
    ask for more. queries: most searches at a time.
    """

    name = "simplemem.retrieval"
    requires = frozenset({"id", "text_index", "text_embedding_index", "text_content"})
    provides = frozenset({"retrieved"})

    def __init__(
        self,
        model: ChatModel | None = None,
        *,
        semantic: int = 25,
        keyword: int = 5,
        structured: int = 5,
        rounds: int = 2,
        queries: int = 5,
    ) -> None:
        self.model = needs_model(model, self)
        self.ways = {"dense": semantic, "text": keyword, "hybrid": structured}
        self.rounds, self.queries = rounds, queries

    async def retrieve(self, question: str, world: World) -> Sequence[Hit]:
        plan = await PLAN.ask(self.model, question=question)
        searched: dict[str, None] = {}
        found: dict[str, Hit] = {}
        wanted = [question, *plan.value.queries]
        for left in range(self.rounds, -1, -1):
            new = list(dict.fromkeys(one for one in wanted if one.strip() and one not in searched))[: self.queries]
            if not new:
                break
            searched.update(dict.fromkeys(new))
            for hit in await self._search(new, world):
                found.setdefault(hit.entry.id, hit)
            if not left:
                break
            asked = await ENOUGH.ask(self.model, question=question, texts=[hit.entry.text for hit in found.values()])
            if asked.value.enough:
                break
            wanted = asked.value.queries
        return list(found.values())

    async def _search(self, queries: Sequence[str], world: World) -> Sequence[Hit]:
        reads = [Read(query, k=k, by=by) for query in queries for by, k in self.ways.items() if k]
        return (await world.step(Action(tuple(reads)))).memories


class SimpleMem(MemorySystem):
    """SimpleMem (arXiv 2601.02553): compressed windows, planned searches, reflection on what was found."""

    name = "simplemem"
    system: ClassVar = {
        "formation": "simplemem.formation",
        "backend": "vector.backend",
        "retrieval": "simplemem.retrieval",
        "utilization": "prompt.utilization",
    }
