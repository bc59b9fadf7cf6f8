"""Retrieval-augmented answering: store everything in passages, read by the question, answer from what comes back."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from typing import ClassVar

from memgym.agent import Observation, ScriptedAgent
from memgym.memory.entry import Hit
from memgym.model import ChatModel
from memgym.operations import Action, Advance, Create, Read, Status
from memgym.tokens import make_tokenizer

from .asking import READING, TEXTS, answer, answered, joined, needed, only_answers, question
from .passages import Passage, Splitter


class Rag(ScriptedAgent):
    """Stores the input in passages as it comes by, and reads them by the question.

    by: how reads search ("text", "dense", "hybrid"; None: the environment's choice). k: entries a read (None: the
    environment's). granularity: "document", "sentence", "turns" or "chunk" (see ``passages``). rounds: reads a
    question; from the second on, the query is the question with the best entry found last that was not shown before,
    so that a second hop can be found, and the answer is from all that was read.

    The read for the next question goes out together with the answer to the present one where the questions were
    shown while reading, so that an episode of c chunks and q questions takes c + 1 + q steps at one round. With one
    step left it answers from what it has. A way of reading that the environment does not offer is a ValueError.
    """

    name: ClassVar[str] = "rag"
    way: ClassVar[str | None] = None
    plays = TEXTS

    def __init__(
        self,
        model: ChatModel | None = None,
        *,
        by: str | None = None,
        k: int | None = None,
        granularity: str = "document",
        rounds: int = 1,
    ) -> None:
        if rounds < 1:
            raise ValueError(f"rounds is {rounds}; at least 1 was expected.")
        self.model = needed(model, self.name)
        self.by = by or self.way
        self.k = k
        self.rounds = rounds
        self.granularity = granularity
        self._splitter()

    def _splitter(self) -> Splitter:
        return Splitter(make_tokenizer("cl100k").count, self.granularity)

    async def episode(self, observation: Observation) -> AsyncGenerator[Action, Observation]:
        only_answers(observation.view, self.name)
        splitter, questions, number, shown_for = self._splitter(), observation.view.questions, 0, ""
        while (phase := observation.view.phase) in READING:
            if phase == "read":
                text = observation.view.text
                stored, shown_for = _creates(splitter.feed(text) if text else splitter.finish()), ""
                observation = yield Action(stored, Advance())
                continue
            asked = question(observation.view)
            if shown_for != asked and observation.remaining > 1:
                observation = yield Action((*_creates(splitter.finish()), self._read(asked)))
            found = _Found(observation.memories)
            for _ in range(self.rounds - 1):
                if found.lead is None or observation.remaining <= 1:
                    break
                observation = yield Action((self._read(f"{asked}\n{found.lead.entry.text}"),))
                found.add(observation.memories)
            self._check(observation)
            said = await answer(self.model, joined(found.hits.values()), asked)
            shown_for = questions[number + 1] if number + 1 < len(questions) else ""
            observation = yield Action((self._read(shown_for),) if shown_for else (), said)
            number += answered(observation)

    def _read(self, query: str) -> Read:
        return Read(query, k=self.k, by=self.by)

    def _check(self, observation: Observation) -> None:
        """Raise if memory cannot be read this way: answering from nothing would look like a bad retriever."""
        for result in observation.results:
            ablated = "read" not in self.briefing.operations
            if result.operation == "read" and result.status is Status.MASKED and not ablated:
                raise ValueError(
                    f"{self.name} cannot read by {self.by!r}: {result.reason}. Give the environment an encoder, "
                    "for instance encoder='minilm'."
                )


class _Found:
    """What was read for one question over all rounds; ``lead`` is the best entry that the last round added."""

    def __init__(self, hits: Iterable[Hit]) -> None:
        self.hits: dict[str, Hit] = {}
        self.lead: Hit | None = None
        self.add(hits)

    def add(self, hits: Iterable[Hit]) -> None:
        new = [hit for hit in hits if hit.entry.id not in self.hits]
        self.hits.update((hit.entry.id, hit) for hit in new)
        self.lead = new[0] if new else None


def _creates(passages: Iterable[Passage]) -> tuple[Create, ...]:
    return tuple(Create(passage.render()) for passage in passages)


class TextRag(Rag):
    """``Rag`` with BM25: words and no model, the baseline that is hard to beat."""

    name = "bm25-rag"
    way = "text"


class DenseRag(Rag):
    """``Rag`` with the environment's encoder (``encoder=`` must be given there)."""

    name = "dense-rag"
    way = "dense"


class HybridRag(Rag):
    """``Rag`` with text and dense ranks fused (``encoder=`` must be given there)."""

    name = "hybrid-rag"
    way = "hybrid"
