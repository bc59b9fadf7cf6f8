"""Generative Agents: a stream of memories that is only added to, weighed when read, and reflected upon.

Source: Park et al., "Generative Agents: Interactive Simulacra of Human Behavior" (arXiv 2304.03442), and its code
(Apache-2.0). The model rates how much each memory matters, 1 to 10. A question is answered from the memories with the
highest sum of recency (0.995 to the power of the time since a memory was last recalled), relevance (cosine) and
importance, each scaled to [0, 1] over the candidates. When the importance of what came in adds up to 150, the model
asks three questions about the last 100 memories, reads memories for each, and writes five insights that name their
evidence; these join the stream.

Deviations:
- Weights are equal, as in the paper; its code has 0.5, 3 and 2, and decay 0.99 (``retrieval: {recency: 0.5, ...}``).
- Time is the clock of the memory (its steps), where the paper counts hours of the game. The clock of the last recall is
  that of the entry's last change, since a recall counts itself in the entry's attribute ``recalled``.
- In the published code the oldest memory gets the highest recency (nodes are sorted oldest first and weighed by their
  place in the list); here it is the newest, as in the paper.
- The paper scores the whole stream. Here the ``pool`` entries nearest to the question are candidates: whatever is
  scored has to be read, and what is read counts as shown.
- Evidence is linked from an insight by id; ids that were not among the memories shown are dropped.
- No plans, no dialogue: what comes in is the environment's text.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import ClassVar

from memgym.agent import Briefing, Observation, World
from memgym.memory.entry import Entry, Hit
from memgym.memory.memory import key_of
from memgym.model import ChatModel
from memgym.operations import Action, Create, Evolve, Operation, Read, pairs

from ..lifecycle.components import Evolution, Formation, Piece, Retrieval, needs_model
from ..lifecycle.system import MemorySystem
from ..memory_prompts import FOCUS, INFER, RATE, Insight

MIDDLE = 5
"""The importance of an entry that has none, or none that can be read."""


class RatedFormation(Formation):
    """Writes every passage with the importance that the model gives it."""

    name = "generative-agents.formation"
    requires = frozenset({"raw_text"})
    provides = frozenset({"text_content", "importance"})

    def __init__(self, model: ChatModel | None = None) -> None:
        self.model = needs_model(model, self)

    async def form(self, piece: Piece, observation: Observation) -> Sequence[Operation]:
        text = f"{piece.title}\n{piece.text}" if piece.title else piece.text
        return [await rated(self.model, text, kind="observation", time=piece.time)]


async def rated(model: ChatModel, text: str, *, kind: str, time: str = "", links: Sequence[str] = ()) -> Create:
    """Return the Create of a text with its importance."""
    asked = await RATE.ask(model, text=text)
    attributes = pairs(importance=str(asked.value.importance), kind=kind)
    return Create(text, time=time, links=tuple(links), attributes=attributes)


def importance(text: str) -> int:
    """Read an importance from an attribute."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 3 else MIDDLE


class WeighedRetrieval(Retrieval):
    """The ``k`` entries with the highest weighted sum of recency, relevance and importance, of ``pool`` candidates."""

    name = "generative-agents.retrieval"
    requires = frozenset({"text_embedding_index", "text_content", "importance"})
    provides = frozenset({"retrieved"})

    def __init__(
        self,
        model: ChatModel | None = None,
        *,
        k: int = 30,
        pool: int = 100,
        recency: float = 1.0,
        relevance: float = 1.0,
        importance: float = 1.0,
        decay: float = 0.995,
    ) -> None:
        if not 0 < k <= pool:
            raise ValueError(f"k is {k} of pool={pool} candidates; 0 < k <= pool is needed.")
        if not 0 < decay <= 1:
            raise ValueError(f"decay is {decay}; a number above 0 and up to 1 was expected.")
        self.k, self.pool, self.decay = k, pool, decay
        self.weights = (recency, relevance, importance)

    async def retrieve(self, question: str, world: World) -> Sequence[Hit]:
        observation = await world.step(Action((Read(question, k=self.pool, by="dense"),)))
        return self.weigh(observation.memories)[: self.k]

    def weigh(self, hits: Sequence[Hit]) -> list[Hit]:
        """Return hits by falling weight, their scores replaced by it; ties by age, oldest first."""
        now = max((hit.entry.updated.clock for hit in hits), default=0)
        aspects = (
            scaled([self.decay ** (now - hit.entry.updated.clock) for hit in hits]),
            scaled([hit.score for hit in hits]),
            scaled([float(importance(hit.entry.attribute("importance"))) for hit in hits]),
        )
        totals = [
            sum(w * v for w, v in zip(self.weights, values, strict=True)) for values in zip(*aspects, strict=True)
        ]
        weighed = [Hit(hit.entry, total, hit.by) for hit, total in zip(hits, totals, strict=True)]
        return sorted(weighed, key=lambda hit: (-hit.score, key_of(hit.entry.id)))


def scaled(values: Sequence[float]) -> list[float]:
    """Return values scaled to [0, 1]; where all are equal, each is 0.5."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    return [(value - low) / (high - low) if high > low else 0.5 for value in values]


class ReflectingEvolution(Evolution):
    """Adds what was formed, reflects when enough of importance has come in, and counts recalls."""

    name = "generative-agents.evolution"
    requires = frozenset({"text_embedding_index", "text_content", "importance"})

    def __init__(
        self,
        model: ChatModel | None = None,
        *,
        threshold: int = 150,
        recent: int = 100,
        questions: int = 3,
        insights: int = 5,
        k: int = 30,
    ) -> None:
        options = (("threshold", threshold), ("recent", recent), ("questions", questions), ("insights", insights))
        for name, value in options:
            if value < 1:
                raise ValueError(f"{name} is {value}; at least 1 was expected.")
        self.model = needs_model(model, self)
        self.threshold, self.questions, self.insights = threshold, questions, insights
        self._search = WeighedRetrieval(k=k, pool=max(k, 100))
        self._recent: deque[str] = deque(maxlen=recent)
        self._weight = 0

    def reset(self, briefing: Briefing) -> None:
        self._recent.clear()
        self._weight = 0

    async def integrate(self, formed: Sequence[Operation], world: World) -> None:
        observation = await world.step(Action(tuple(formed)))
        for operation, result in zip(formed, observation.results, strict=False):
            if isinstance(operation, Create) and result.ok:
                self._recent.append(operation.text)
                self._weight += importance(dict(operation.attributes).get("importance", ""))
        if self._weight >= self.threshold:
            self._weight = 0
            await self._reflect(world)

    async def _reflect(self, world: World) -> None:
        asked = await FOCUS.ask(self.model, texts=list(self._recent), count=self.questions)
        for question in asked.value.questions[: self.questions]:
            hits = await self._search.retrieve(question, world)
            await self.recalled(hits, world)
            await self._infer(question, [hit.entry for hit in hits], world)

    async def _infer(self, question: str, entries: Sequence[Entry], world: World) -> None:
        """Write the insights that memories give on a question."""
        if not entries:
            return
        memories = [f"[{entry.id}] {entry.text}" for entry in entries]
        asked = await INFER.ask(self.model, question=question, memories=memories)
        shown = {entry.id for entry in entries}
        known = {"", *(entry.text for entry in entries), *self._recent}
        insights = {one.text: one for one in asked.value.insights[: self.insights] if one.text not in known}
        thoughts = [await self._thought(one, shown) for one in insights.values()]
        if thoughts:
            observation = await world.step(Action(tuple(thoughts)))
            kept = zip(thoughts, observation.results, strict=False)
            self._recent.extend(thought.text for thought, result in kept if result.ok)

    async def _thought(self, insight: Insight, shown: set[str]) -> Create:
        evidence = [id for id in dict.fromkeys(insight.evidence) if id in shown]
        return await rated(self.model, insight.text, kind="thought", links=evidence)

    async def recalled(self, hits: Sequence[Hit], world: World) -> None:
        """Count the recall in every entry, which makes it recent again."""
        counted = [
            Evolve(hit.entry.id, attributes=pairs(recalled=str(_count(hit.entry.attribute("recalled")) + 1)))
            for hit in hits
        ]
        if counted:
            await world.step(Action(tuple(counted)))


def _count(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


class GenerativeAgents(MemorySystem):
    """Generative Agents' memory stream with reflection."""

    name = "generative-agents"
    system: ClassVar = {
        "formation": "generative-agents.formation",
        "backend": "vector.backend",
        "evolution": "generative-agents.evolution",
        "retrieval": "generative-agents.retrieval",
        "utilization": "prompt.utilization",
    }
