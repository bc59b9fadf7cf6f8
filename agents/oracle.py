"""The upper bound: an agent that is told which texts matter, and still has to see, store and answer by the rules."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from memgym.agent import Observation, ScriptedAgent
from memgym.model import ChatModel
from memgym.operations import Action, Advance, Answer, Create, Read
from memgym.registry import unknown
from memgym.task import Document, Question, Sample

from .asking import READING, TEXTS, answer, answered, only_answers
from .asking import question as asked_now
from .prompts import UNKNOWN


class Oracle(ScriptedAgent):
    """Privileged: stores each question's evidence when a chunk shows it, and answers from exactly that evidence.

    A piece of evidence is stored once it has come by whole (a cut between two chunks does not hide it), under the
    title of its document where the sample names one. What never came by, or was refused (capacity, a mask), is not
    there to answer from. Each question's evidence is also read, so that records show what a perfect memory shows;
    the answer comes from the stored texts, whatever the read found.

    With a model: it answers from the stored evidence of the question, so that the score is the reader's bound.
    Without: the gold answer if all evidence was stored, else "unknown", so that the score is the bound of storing.
    """

    name = "oracle"
    plays = TEXTS
    privileged = True

    def __init__(self, model: ChatModel | None = None) -> None:
        self.model = model

    async def episode(self, observation: Observation) -> AsyncGenerator[Action, Observation]:
        only_answers(observation.view, self.name)
        sample = self._sample()
        evidence = _Evidence(sample)
        number = 0
        while (phase := observation.view.phase) in READING:
            if phase == "read":
                creates = evidence.come_by(observation.view.text)
                observation = yield Action(creates, Advance())
                evidence.settle(creates, observation)
                continue
            question = _find(sample, number, asked_now(observation.view))
            if question.evidence and observation.remaining > len(sample.questions) - number:
                observation = yield Action((Read("\n".join(question.evidence), k=len(question.evidence), by="text"),))
            observation = yield Action(command=await self._answer(question, evidence))
            number += answered(observation)

    async def _answer(self, question: Question, evidence: _Evidence) -> Answer:
        held = evidence.held(question)
        if self.model is not None:
            return await answer(self.model, "\n\n".join(held), question.text)
        return Answer(question.answers[0] if len(held) == len(set(question.evidence)) else UNKNOWN)

    def _sample(self) -> Sample:
        if self.briefing.sample is None:
            raise ValueError("The oracle needs the sample in its briefing, which only a privileged agent is given.")
        return self.briefing.sample


class _Evidence:
    """Which pieces of evidence have come by, and which of them the memory took."""

    def __init__(self, sample: Sample) -> None:
        pieces = dict.fromkeys(piece for question in sample.questions for piece in question.evidence)
        self._texts = {piece: _titled(piece, sample.documents) for piece in pieces}
        self._waiting = list(pieces)
        self._stored: set[str] = set()
        self._last = ""

    def come_by(self, chunk: str) -> tuple[Create, ...]:
        """Return the entries to write for the evidence that this chunk, or it and the end of the last, shows."""
        present = _dense(chunk)
        seen = self._last + present
        come = [piece for piece in self._waiting if _dense(piece) in seen]
        self._waiting = [piece for piece in self._waiting if piece not in come]
        self._last = present
        return tuple(Create(self._texts[piece]) for piece in come)

    def settle(self, creates: Sequence[Create], observation: Observation) -> None:
        """Note which entries were taken; a duplicate is there already."""
        results = [result for result in observation.results if result.operation == "create"]
        for create, result in zip(creates, results, strict=False):
            if result.ok or result.status == "duplicate":
                self._stored.add(create.text)

    def held(self, question: Question) -> list[str]:
        texts = (self._texts[piece] for piece in dict.fromkeys(question.evidence))
        return [text for text in texts if text in self._stored]


def _dense(text: str) -> str:
    """Return a text without white space, which chunks may cut, wrap and strip."""
    return "".join(text.split())


def _titled(piece: str, documents: Sequence[Document]) -> str:
    """Return evidence under the title of its document: a sentence that says "he" is of no use without."""
    for document in documents:
        if piece in document.text:
            return Document(document.title, piece).render()
    return piece


def _find(sample: Sample, number: int, text: str) -> Question:
    """Return the question that is asked: the next one, or wherever its text is; a task may have skipped some."""
    ahead = (*sample.questions[number:], *sample.questions[:number])
    for question in ahead:
        if question.text.strip() and question.text.strip() in text:
            return question
    raise unknown("question of the sample", text, [question.text for question in sample.questions])
