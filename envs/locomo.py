"""LoCoMo: two people talk over months, and every kind of question is asked about it afterwards.

Paper: Maharana et al. 2024, "Evaluating Very Long-Term Conversational Memory of LLM Agents" (arXiv 2402.17753).
Licence of the data: CC BY-NC 4.0, non-commercial; none of it comes with memgym. File: locomo10.json, an array of ten
conversations with 1986 questions: 282 multi_hop, 321 temporal, 96 open_domain, 841 single_hop, 446 adversarial.

Rules kept: sessions stream in the order of their numbers, each with its date, its speakers and the captions of
its images; the questions come afterwards and are not known before; every category is scored by the official rule
(``locomo_scoring``).

Deviations: an image is its caption, in brackets behind the turn's text; a category-5 question is asked like any other
(the official prompt offers the wrong answer and "not mentioned" as two choices), the task says once how to say that
something was never mentioned, and the bare answer "unknown" counts as having said it; six answers are numbers and are
read as text; ``describe()["notes"]`` counts what is odd in the file (see ``locomo_records``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from memgym.registry import unknown
from memgym.task import Benchmark, Question, Sample, Task

from .collection import Collection, collect
from .files import DataNotFound, digest
from .locomo_corrections import correct
from .locomo_records import CATEGORIES, NOT_SAID, parse
from .sessions import Stream
from .shelf import Shelf
from .sources import SOURCES

OFFICIAL = {
    "multi_hop": "locomo_multi_hop",
    "temporal": "locomo_f1",
    "open_domain": "locomo_open_domain",
    "single_hop": "locomo_f1",
    "adversarial": "locomo_adversarial",
}
A_MEM = dict.fromkeys(OFFICIAL, "a_mem_f1")
_DEAL = 0
"""The seed by which questions are dealt into samples."""

SCORING = {"official": OFFICIAL, "a-mem-legacy": A_MEM}


class LoCoMo(Benchmark):
    """Questions about conversations of hundreds of turns over up to 35 sessions, scored by the official rules.

    A sample is one conversation with all its questions, up to 260; its id is the conversation's ("conv-26").

    Args:
        data: A file or folder with locomo10.json.
        conversation: The id of one conversation, or several; None: all in the file.
        categories: Some of "multi_hop", "temporal", "open_domain", "single_hop", "adversarial"; None: all.
        questions: Questions of a sample. Those of a conversation are shuffled once (a fixed seed, not the episode's)
            and dealt into samples of this size ("conv-26/0", "conv-26/1", ...; the last may be smaller), so that each
            is asked in exactly one. None: all in one.
        scoring: "official", or "a-mem-legacy": the A-Mem paper's evaluation, whose reference for an adversarial
            question is the wrong answer (see ``a_mem_f1``).
        corrections: A JSON file of corrections to the answer key (see ``locomo_corrections``).
        unit: How the conversation is cut, with ``chunk_tokens`` and ``tokenizer``: see ``Stream``.
        announced: Show the questions while reading. The benchmark does not.

    Raises:
        DataNotFound, BrokenData: At first use, also for a conversation that the file does not have.
        UnknownName: A category, unit or scoring.
    """

    name: ClassVar[str] = "LoCoMo"
    provides: ClassVar[frozenset[str]] = Benchmark.provides | {"sessions"}

    def __init__(
        self,
        *,
        data: str | None = None,
        conversation: str | Sequence[str] | None = None,
        categories: str | Sequence[str] | None = None,
        questions: int | None = None,
        scoring: str = "official",
        corrections: str | None = None,
        unit: str = "session",
        chunk_tokens: int = 4000,
        tokenizer: str = "cl100k",
        announced: bool = False,
    ) -> None:
        self.data, self.corrections = data, corrections
        self.conversations = _names(conversation)
        self.categories = _names(categories) or tuple(OFFICIAL)
        for one in self.categories:
            if one not in OFFICIAL:
                raise unknown("category of LoCoMo", one, CATEGORIES.values())
        if scoring not in SCORING:
            raise unknown("scoring of LoCoMo", scoring, SCORING)
        if questions is not None and questions < 1:
            raise ValueError(f"questions={questions}: expected a number from 1, or None for all.")
        self.questions, self.scoring = questions, scoring
        self._stream = Stream(unit, chunk_tokens, tokenizer, announced)

    def draw(self, rng: Generator) -> Sample:
        return self._shelf.draw(rng)

    def sample(self, id: str) -> Sample:
        return self._shelf.sample(id)

    def schedule(self, rng: Generator, count: int) -> Sequence[str]:
        return self._shelf.schedule(rng, count)

    def task(self, sample: Sample, rng: Generator) -> Task:
        """Start one run; nothing of it is left to chance, so it does not depend on ``rng``."""
        return self._stream.task(sample, reward="locomo_f1", rewards=SCORING[self.scoring], abstain=NOT_SAID)

    def describe(self) -> dict[str, Any]:
        """Return every option, how many questions there are by category, and what identifies and is odd in the data."""
        counts = dict.fromkeys(self.categories, 0)
        for sample in self._shelf.samples:
            for question in sample.questions:
                counts[question.category] += 1
        return {
            **super().describe(),
            "conversation": list(self.conversations) or None,
            "categories": list(self.categories),
            "questions": self.questions,
            "scoring": self.scoring,
            **self._stream.describe(),
            "samples": len(self._shelf.samples),
            "counts": counts,
            "corrections": self._applied,
            **self.collection.description,
            "checksum": self._shelf.checksum(),
        }

    @cached_property
    def collection(self) -> Collection:
        """All conversations of the file, as they stand there. Raises DataNotFound or BrokenData."""
        return collect(SOURCES[self.name], "all", parse, self.data, ())

    @cached_property
    def _corrected(self) -> tuple[Sequence[Sample], dict[str, int]]:
        if self.corrections is None:
            return self.collection.samples, {}
        return correct(self.collection.samples, self.corrections)

    @property
    def _applied(self) -> dict[str, Any] | None:
        if self.corrections is None:
            return None
        path = Path(self.corrections).expanduser()
        return {"name": path.name, "sha256": digest(path), **self._corrected[1]}

    @cached_property
    def _shelf(self) -> Shelf:
        whole = {sample.id: sample for sample in self._corrected[0]}
        for id in self.conversations:
            if id not in whole:
                raise DataNotFound(f"{unknown('conversation of LoCoMo in this file', id, whole).args[0]}")
        chosen = [self._filtered(whole[id]) for id in self.conversations or whole]
        dealt = [one for sample in chosen if sample.questions for one in self._dealt(sample)]
        return Shelf(dealt, f"No question of LoCoMo is left: categories={list(self.categories)}.")

    def _filtered(self, sample: Sample) -> Sample:
        kept = [self._keyed(one) for one in sample.questions if one.category in self.categories]
        return replace(sample, questions=tuple(kept))

    def _keyed(self, question: Question) -> Question:
        """Return the question with the key of this scoring: A-Mem's for an adversarial one is the wrong answer."""
        if self.scoring == "official":
            return question
        if question.category != "adversarial":
            return replace(question, answers=question.answers[-1:])
        [(_, wrong)] = question.facts
        return replace(question, answers=(wrong,))

    def _dealt(self, sample: Sample) -> list[Sample]:
        if self.questions is None:
            return [sample]
        order = np.random.default_rng(_DEAL).permutation(len(sample.questions)).tolist()
        hands = [sorted(order[at : at + self.questions]) for at in range(0, len(order), self.questions)]
        return [
            replace(sample, id=f"{sample.id}/{number}", questions=tuple(sample.questions[at] for at in hand))
            for number, hand in enumerate(hands)
        ]


def _names(value: str | Sequence[str] | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(dict.fromkeys(value))
