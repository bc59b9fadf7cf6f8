"""MemGPT's way back: paging through its stores for a question, and the main context that the answer is given from.

The system, its sources and its deviations are described in ``memgpt``; apart from it for the length of the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from memgym.agent import Observation, World
from memgym.memory.entry import Hit
from memgym.model import ChatModel
from memgym.operations import Action, Read

from ..budget import newest, tokenizer
from ..lifecycle.builtin import dated
from ..lifecycle.components import Retrieval, Utilization, needs_model
from ..memory_prompts import ENOUGH
from .memgpt import ARCHIVAL, RECALL, MainContext


@dataclass(slots=True)
class _Search:
    """What was found for a question so far, and which page of which query was read last."""

    question: str
    found: dict[str, Hit] = field(default_factory=dict)
    pages: dict[str, int] = field(default_factory=dict)
    last: list[str] = field(default_factory=list)

    def next(self, proposed: Sequence[str]) -> list[tuple[str, int]]:
        """Return what to read next: new queries, else the next page of the last ones."""
        fresh = [query for query in dict.fromkeys(proposed) if query.strip() and query not in self.pages]
        if fresh or not self.last:
            self.last = fresh or [self.question]
        for query in self.last:
            self.pages[query] = self.pages.get(query, 0) + 1
        return [(query, self.pages[query]) for query in self.last]


class MemGPTRetrieval(Retrieval):
    """Searches both stores page by page until the model has enough, nothing new comes, or the context is full."""

    name = "memgpt.retrieval"
    requires = frozenset({"recall_store", "archival_store", "text_index", "text_embedding_index", "text_content"})
    provides = frozenset({"retrieved"})

    def __init__(self, model: ChatModel | None = None, *, page: int = 5, steps: int = 50, context: int = 8192) -> None:
        for name, value in (("page", page), ("steps", steps), ("context", context)):
            if value < 1:
                raise ValueError(f"{name} is {value}; at least 1 was expected.")
        self.model = needs_model(model, self)
        self.page, self.steps, self.context = page, steps, context

    async def retrieve(self, question: str, world: World) -> Sequence[Hit]:
        search = _Search(question)
        main = MainContext.of(world.observation.scratchpad)
        for _ in range(self.steps):
            window = Window(main, list(search.found.values()), self.context)
            if window.full:
                break
            asked = await ENOUGH.ask(self.model, question=question, texts=window.texts)
            if asked.value.enough and not asked.degraded:
                break
            if not await self._read(search, search.next(asked.value.queries), world):
                break
        return list(search.found.values())

    async def _read(self, search: _Search, pages: Sequence[tuple[str, int]], world: World) -> bool:
        """Read a page of each query in both stores; return whether anything is new."""
        reads = [
            Read(query, k=self.page * number, by=by, store=store)
            for query, number in pages
            for store, by in ((ARCHIVAL, "dense"), (RECALL, "text"))
        ]
        observation = await world.step(Action(tuple(reads)))
        new = {hit.entry.id: hit for hit in observation.memories if hit.entry.id not in search.found}
        search.found.update(new)
        return bool(new)


class MemGPTUtilization(Utilization):
    """Shows core memory, summary, what was found, and of the queue the newest messages that fit beside them."""

    name = "memgpt.utilization"
    requires = frozenset({"scratchpad", "retrieved", "text_content"})
    provides = frozenset({"prompt"})

    def __init__(self, model: ChatModel | None = None, *, context: int = 8192) -> None:
        if context < 1:
            raise ValueError(f"context is {context}; at least 1 was expected.")
        self.size = context

    async def context(self, question: str, hits: Sequence[Hit], observation: Observation) -> str:
        return "\n\n".join(Window(MainContext.of(observation.scratchpad), hits, self.size).texts)


class Window:
    """What the model sees: core memory and summary, the newest results, and of the queue the newest that still fits.

    ``full``: the results alone do not fit any more, so that those found first have fallen out.
    """

    def __init__(self, main: MainContext, hits: Sequence[Hit], tokens: int) -> None:
        count = tokenizer().count
        said = [dated(hit.entry.text, hit.entry.time) for hit in hits]
        fixed = replace(main, messages=()).render()
        results = newest(said, max(tokens - count(fixed), 0))
        room = tokens - count(fixed) - sum(map(count, results))
        kept = replace(main, messages=tuple(newest(main.messages, max(room, 0))))
        self.full = len(results) < len(said)
        self.texts = [part for part in (kept.render(), *results) if part]
