"""The benchmark "Whereabouts": who is where, told in sentences of four words, for policies that learn within minutes.

Separate from the world of "Synthetic", whose names and prose a model of less than a million parameters cannot copy:
here what is hard is what to keep. Made by this project, and named as synthetic wherever it appears.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from memgym.registry import unknown
from memgym.task import Document, Question, Sample, Task

from .numbered import SPLITS, Numbered
from .reading import ReadingTask, load_metric

VERSION = 1
"""Part of every seed: raised whenever a change alters what a sample id stands for."""
_PEOPLE = (
    "Anna Boris Carla David Elena Frank Gita Hugo Irene Jonas Karin Louis Maria Nadia Oscar Paula Quinn Rosa Stefan"
    " Tara Vera Walter Xenia Yusuf"
)
_PLACES = (
    "Athens Berlin Cairo Dublin Essen Florence Geneva Hamburg Istanbul Jaipur Kyoto Lisbon Madrid Nairobi Oslo Prague"
    " Quito Rome Seoul Tokyo Utrecht Vienna Warsaw Zagreb"
)
PEOPLE, PLACES = tuple(_PEOPLE.split()), tuple(_PLACES.split())
FILLERS = ("Rain in {}.", "Fog in {}.", "Bus to {}.")


class Whereabouts(Numbered):
    """Samples by number. A person may be told of again later: what is said last is true.

    All names occur in every split: a held-out sample is a new combination of known names, so it tests what is kept, not
    whether a new word can be read. Questions are known from the start and asked after the last chunk; an answer before
    that is masked, because a policy would learn to guess from the chunk at hand rather than to remember.

    Args:
        chunks, sentences: Chunks of a sample, and sentences of each.
        people: Persons of a sample, asked ones included; a chunk tells of a person once at most.
        questions: How many of them are asked about.
        told: How often an asked person is told of, at most; a number from 1 to this, drawn alike.
        fillers: The share of the other sentences that tell of no person.
        split: "train", "validation" or "test".
        reward: The metric of an answer.
    """

    name: ClassVar[str] = "Whereabouts"
    synthetic: ClassVar[bool] = True

    def __init__(
        self,
        *,
        chunks: int = 5,
        sentences: int = 3,
        people: int = 7,
        questions: int = 1,
        told: int = 3,
        fillers: float = 0.25,
        split: str = "validation",
        reward: str = "em",
    ) -> None:
        if split not in SPLITS:
            raise unknown("split", split, SPLITS)
        _check(chunks, sentences, people, questions, told, fillers)
        load_metric(reward)
        self._chunks, self._sentences, self._people = chunks, sentences, people
        self._questions, self._told, self._fillers = questions, told, fillers
        self._split, self._reward = split, reward

    @property
    def split(self) -> str:
        return self._split

    def like(self, id: str) -> str:
        return f"{self.split}-0000000"

    def task(self, sample: Sample, rng: Generator) -> Task:
        """Start one run: the chunks in their order, which says what is true."""
        chunks = [document.text for document in sample.documents]
        return ReadingTask(sample.questions, chunks, reward=self._reward, early=False)

    def describe(self) -> dict[str, Any]:
        options = {
            "chunks": self._chunks, "sentences": self._sentences, "people": self._people,
            "questions": self._questions, "told": self._told, "fillers": self._fillers,
            "split": self._split, "reward": self._reward,
        }  # fmt: skip
        return {"benchmark": self.name, "synthetic": True, "version": VERSION, "options": options}

    def made(self, number: int) -> Sample:
        rng = np.random.default_rng(np.random.SeedSequence([number, SPLITS.index(self._split), VERSION]))
        id = f"{self._split}-{number:07d}"
        cast = [PEOPLE[at] for at in rng.permutation(len(PEOPLE))[: self._people]]
        asked, others = cast[: self._questions], cast[self._questions :]
        slots = self._slots(rng, asked, others)
        where: dict[str, tuple[str, str]] = {}
        documents = []
        for slot in slots:
            places = [PLACES[at] for at in rng.permutation(len(PLACES))[: len(slot) + 1]]
            lines = [
                self._line(rng, person, place, places[-1], where) for person, place in zip(slot, places, strict=False)
            ]
            documents.append(Document("", " ".join(lines)))
        questions = tuple(self._question(f"{id}-q{at}", person, *where[person]) for at, person in enumerate(asked, 1))
        return Sample(id, questions, tuple(documents))

    def _slots(self, rng: Generator, asked: Sequence[str], others: Sequence[str]) -> list[list[str]]:
        """Return who each sentence of each chunk tells of; "" for nobody."""
        slots = []
        for _ in range(self._chunks):
            who = [others[at] for at in rng.permutation(len(others))[: self._sentences]]
            slots.append(["" if rng.random() < self._fillers else person for person in who])
        for at, person in enumerate(asked):
            for chunk in rng.permutation(self._chunks)[: int(rng.integers(1, self._told + 1))]:
                # The asked persons of a chunk stand in different places: nobody is written over.
                free = range(at, self._sentences, len(asked))
                slots[chunk][free[int(rng.integers(len(free)))]] = person
        return slots

    def _line(self, rng: Generator, person: str, place: str, spare: str, where: dict[str, tuple[str, str]]) -> str:
        if not person:
            return FILLERS[int(rng.integers(len(FILLERS)))].format(place)
        if where.get(person, ("", ""))[0] == place:
            place = spare
        where[person] = (place, f"{person} in {place}.")
        return where[person][1]

    def _question(self, id: str, person: str, place: str, line: str) -> Question:
        return Question(f"Where is {person}?", (place,), (line,), id, "", ((person, "is_in", place),))


def _check(chunks: int, sentences: int, people: int, questions: int, told: int, fillers: float) -> None:
    for name, value, least, most in (
        ("chunks", chunks, 1, 1000), ("sentences", sentences, 1, 20), ("questions", questions, 1, sentences),
        ("people", people, questions + sentences, len(PEOPLE)), ("told", told, 1, chunks), ("fillers", fillers, 0, 1),
    ):  # fmt: skip
        if not least <= value <= most:
            raise ValueError(f"{name} is {value}: expected a value from {least} to {most}.")
