"""MemGPT: a main context of fixed size like a computer's working memory, and two stores outside it like its disk.

Sources: Packer et al., "MemGPT: Towards LLMs as Operating Systems" (arXiv 2310.08560), and Letta's code (Apache-2.0,
87fd37a). Every message goes into the recall store and into a first-in-first-out queue. When core memory, summary and
queue fill 70 % of the context, the model is warned and saves what matters into core memory and into the archival store;
at 100 % the oldest half of the queue is taken out and goes into a recursive summary. A question is answered by paging
through both stores, five results a page, for as long as the model asks for more.

Deviations:
- Core memory, summary and queue are sections of the scratchpad: the environment holds the main context too. There is
  one core block, of at most ``core`` characters (Letta: 20,000 each for persona and human); a longer one is cut and
  counted in ``overflows``, and none takes more than half of the context.
- The model does not call functions freely. What it does in the paper when warned (core_memory_append / replace,
  archival_memory_insert) is one request that writes the core anew and one for each ``batch`` tokens of messages that
  extracts facts (messages that were saved at an earlier warning are not saved again); conversation_search and
  archival_memory_search are one request a step: is this enough, or what to look for next.
- A message longer than a quarter of the context enters the queue cut (the recall store has all of it); no loop depends
  on its length. Tokens are cl100k's; the system prompt is not counted.
- The recall store is searched by words and the archival store by embedding, as in the code; a page is read together
  with those before it, since a read gives the k best.
- Results push the oldest messages of the queue out of what the model sees, and paging ends when they alone fill the
  context: the next page would push out the first. At most 50 steps a question, as in the code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from memgym.agent import Briefing, World
from memgym.model import ChatModel
from memgym.operations import Action, Create, Operation, Scratchpad

from ..budget import cut, newest, parts, tokenizer
from ..lifecycle.builtin import VectorStore, dated
from ..lifecycle.components import Evolution, creates, needs_model
from ..lifecycle.system import MemorySystem
from ..memory_prompts import EXTRACT, SUMMARISE
from ..prompts import NOTE
from ..sections import read, write

RECALL, ARCHIVAL = "recall", "archival"
CORE, SUMMARY, MESSAGES = "Core memory", "Summary", "Messages"
CHARACTERS = 4
"""Characters of an English token, to tell the model in tokens how long a block of characters may be."""


class MemGPTBackend(VectorStore):
    """Two stores, recall (the default one) and archival."""

    name = "memgpt.backend"
    provides = VectorStore.provides | {"recall_store", "archival_store"}

    @property
    def needs(self) -> Mapping[str, Any]:
        return {**super().needs, "stores": [RECALL, ARCHIVAL]}


@dataclass(frozen=True, slots=True)
class MainContext:
    """What the model has before it: core memory, the recursive summary, and the queue of messages, oldest first."""

    core: str = ""
    summary: str = ""
    messages: tuple[str, ...] = ()

    @classmethod
    def of(cls, scratchpad: str) -> MainContext:
        found = read(scratchpad, (CORE, SUMMARY, MESSAGES))
        messages = tuple(one for one in found[MESSAGES].split("\n\n") if one.strip())
        return cls(found[CORE], found[SUMMARY], messages)

    def render(self) -> str:
        return write({CORE: self.core, SUMMARY: self.summary, MESSAGES: "\n\n".join(self.messages)})

    @property
    def tokens(self) -> int:
        return tokenizer().count(self.render())


class MemGPTEvolution(Evolution):
    """The queue manager: takes messages into the queue, and acts under memory pressure."""

    name = "memgpt.evolution"
    requires = frozenset({"text_content", "archival_store"})
    provides = frozenset({"scratchpad"})

    def __init__(
        self,
        model: ChatModel | None = None,
        *,
        context: int = 8192,
        warning: float = 0.7,
        flush: float = 1.0,
        evicted: float = 0.5,
        core: int = 20_000,
        summary: int = 1024,
        batch: int = 2048,
    ) -> None:
        if not 0 < warning <= flush <= 1:
            raise ValueError(f"warning is {warning} and flush is {flush}; 0 < warning <= flush <= 1 was expected.")
        if not 0 < evicted <= 1:
            raise ValueError(f"evicted is {evicted}; a share of the context above 0 and up to 1 was expected.")
        for name, value in (("context", context), ("core", core), ("summary", summary), ("batch", batch)):
            if value < 1:
                raise ValueError(f"{name} is {value}; at least 1 was expected.")
        self.model = needs_model(model, self)
        self.size, self.warning, self.flush, self.evicted = context, warning, flush, evicted
        self.core, self.summary, self.batch = core, summary, batch
        self.overflows = self._saved = 0
        self._warned = False

    def reset(self, briefing: Briefing) -> None:
        self.overflows = self._saved = 0
        self._warned = False

    async def integrate(self, formed: Sequence[Operation], world: World) -> None:
        observation = world.observation
        now, saved = MainContext.of(observation.scratchpad), list[Operation]()
        for create in creates(formed):
            now = replace(now, messages=(*now.messages, self._message(create)))
            if now.tokens > self.warning * self.size and not self._warned:
                now, facts = await self._save(now, observation.view.questions, create.time)
                saved += facts
            while now.messages and now.tokens > self.flush * self.size:
                now = await self._evict(now, observation.view.questions)
        await world.step(Action((*formed, *saved, Scratchpad(now.render()))))

    def _message(self, create: Create) -> str:
        text = "\n".join(line for line in create.text.splitlines() if line.strip())
        return cut(dated(text, create.time), max(self.size // 4, 1))

    async def _save(self, now: MainContext, questions: Sequence[str], time: str) -> tuple[MainContext, list[Operation]]:
        """Do what the model does when it is warned: write core memory anew, and put facts into the archival store."""
        unsaved = now.messages[self._saved :]
        limit = max(min(self.core // CHARACTERS, self.size // 2), 1)
        noted = await NOTE.ask(
            self.model, questions=list(questions), scratchpad=now.core, text="\n\n".join(unsaved), limit=limit
        )
        facts = [fact for part in self._batches(unsaved) for fact in await self._extract(part, time)]
        self._warned, self._saved = True, len(now.messages)
        return replace(now, core=self._bounded(noted.value.scratchpad)), [
            Create(fact, time=time, store=ARCHIVAL) for fact in facts
        ]

    def _bounded(self, core: str) -> str:
        """Keep core memory within its characters, and within half of the context in any script."""
        kept = cut(core[: self.core], max(self.size // 2, 1))
        self.overflows += len(kept) < len(core)
        return kept

    def _batches(self, messages: Sequence[str]) -> list[str]:
        """Join messages into texts of at most ``batch`` tokens; longer ones are cut into several."""
        batches: list[str] = []
        for part in (part for message in messages for part in parts(message, self.batch)):
            joined = f"{batches[-1]}\n\n{part}" if batches else part
            if batches and tokenizer().count(joined) <= self.batch:
                batches[-1] = joined
            else:
                batches.append(part)
        return batches

    async def _extract(self, text: str, time: str) -> list[str]:
        asked = await EXTRACT.ask(self.model, text=text, time=time)
        return [fact for fact in asked.value.facts if fact.strip()]

    async def _evict(self, now: MainContext, questions: Sequence[str]) -> MainContext:
        """Take the oldest messages out, half a context of them, and put them into the recursive summary."""
        held = tokenizer().count("\n\n".join(now.messages))
        kept = newest(now.messages, max(int(held - self.evicted * self.size), 0))
        gone = now.messages[: len(now.messages) - len(kept)]
        limit = max(min(self.summary, self.size // 8), 1)
        texts = [text for text in (now.summary, *gone) if text]
        asked = await SUMMARISE.ask(self.model, texts=texts, focus=list(questions), limit=limit)
        self._warned, self._saved = False, max(self._saved - len(gone), 0)
        return replace(now, summary=cut(asked.value.text or now.summary, limit), messages=tuple(kept))


class MemGPT(MemorySystem):
    """MemGPT: main context, recall store, archival store, paging."""

    name = "memgpt"
    system: ClassVar = {
        "formation": "passage.formation",
        "backend": "memgpt.backend",
        "evolution": "memgpt.evolution",
        "retrieval": "memgpt.retrieval",
        "utilization": "memgpt.utilization",
    }
