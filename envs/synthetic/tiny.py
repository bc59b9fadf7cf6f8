"""The benchmark "SyntheticTiny": worlds of a dozen sentences, small enough that a policy learns on them in seconds.

Apart from ``Synthetic``, whose documents are pages: here a document is one sentence, and every sentence is a decision.
Both speak the same language, so the same reader and the model "rules" understand it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from memgym.registry import unknown
from memgym.task import Document, Question, Sample, Task

from ..numbered import SPLITS, Numbered
from ..reading import ReadingTask, load_metric
from .asking import Chain, Lookup, phrase
from .dice import Dice
from .filler import ADJECTIVES, MENTIONS, OPENINGS, SMALL_TALK, TRADES
from .generation import REVISED
from .language import fill
from .names import Namer
from .stream import shuffled
from .undated import UNDATED

VERSION = 1
"""Part of every seed: raised whenever a change alters what a sample id stands for."""

_STREAM = 7  # keeps these seeds apart from those of the large world
_CHAIN = ("works_at", "based_in")
_RANGES = {"documents": (8, 200), "chunk": (1, 200), "people": (1, 20), "organisations": (2, 20), "hops": (1, 2)}


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a sample is made by, next to its number."""

    documents: int
    people: int
    organisations: int
    hops: int
    conflicts: float
    split: str


class SyntheticTiny(Numbered):
    """Who works where, and where that is: one question over one or two hops, and a memory that cannot hold everything.

    Each of ``people`` works at one of ``organisations``, each of which is based in a city of its own. One person is
    asked about. With probability ``conflicts`` this person changes the employer: nothing is dated, so what is said
    later holds. The rest is small talk that mentions the same names. An id such as "train-0000123" always stands for
    the same sample; no two splits share a name.

    Args:
        documents: How many sentences, 8 to 200: facts, and small talk in the places that these leave.
        chunk: How many sentences a chunk shows, one a line.
        people: 1 to 20, the one who is asked about among them; organisations: 2 to 20.
        hops: 1 asks for the employer, 2 for its city.
        conflicts: The chance that the person who is asked about changes the employer.
        split: "train", "validation" or "test".
        reward: The metric of an answer: "em", "em_math" or "f1".

    Raises:
        ValueError: A number outside its range, or more facts than documents. UnknownName: a split or metric.
    """

    name: ClassVar[str] = "SyntheticTiny"
    synthetic: ClassVar[bool] = True

    def __init__(
        self,
        *,
        documents: int = 12,
        chunk: int = 4,
        people: int = 3,
        organisations: int = 3,
        hops: int = 2,
        conflicts: float = 0.4,
        split: str = "validation",
        reward: str = "em",
    ) -> None:
        numbers = {
            "documents": documents, "chunk": chunk, "people": people, "organisations": organisations, "hops": hops
        }  # fmt: skip
        for option, number in numbers.items():
            _in_range(option, number, *_RANGES[option])
        _in_range("conflicts", conflicts, 0, 1)
        if split not in SPLITS:
            raise unknown("split", split, SPLITS)
        if people + organisations + 1 > documents:
            raise ValueError(
                f"{people} people, {organisations} organisations and a change are {people + organisations + 1} facts: "
                f"too many for documents={documents}."
            )
        load_metric(reward)
        self._recipe = Recipe(documents, people, organisations, hops, float(conflicts), split)
        self._chunk, self._reward = chunk, reward

    @property
    def split(self) -> str:
        return self._recipe.split

    def made(self, number: int) -> Sample:
        return generate(self._recipe, number)

    def task(self, sample: Sample, rng: Generator) -> Task:
        """Start one run: the sentences in an order of its own, ``chunk`` of them a chunk."""
        order = shuffled(len(sample.documents), sample.data.get("before", ()), rng)
        lines = [sample.documents[at].text for at in order]
        chunks = ["\n".join(lines[at : at + self._chunk]) for at in range(0, len(lines), self._chunk)]
        return ReadingTask(sample.questions, chunks, reward=self._reward)

    def describe(self) -> dict[str, Any]:
        """Return what determines a sample, next to its id: every option, and the version of the generator."""
        options = {**asdict(self._recipe), "chunk": self._chunk, "reward": self._reward}
        return {"benchmark": self.name, "synthetic": True, "version": VERSION, "options": options}


def generate(recipe: Recipe, number: int) -> Sample:
    """Make the sample of a number, the same on any platform."""
    seeds = np.random.SeedSequence([number, SPLITS.index(recipe.split), VERSION, _STREAM])
    return _Maker(recipe, Dice(np.random.default_rng(seeds))).sample(f"{recipe.split}-{number:07d}")


class _Maker:
    """Makes one sample: names, facts, small talk, and the question."""

    def __init__(self, recipe: Recipe, dice: Dice) -> None:
        self._recipe, self._dice = recipe, dice
        namer = Namer(dice, recipe.split, 0.0, ("latin",))
        self._people = [namer.name("person") for _ in range(recipe.people)]
        self._houses = [namer.name("organisation") for _ in range(recipe.organisations)]
        self._cities = [namer.name("city") for _ in range(recipe.organisations)]

    def sample(self, id: str) -> Sample:
        """Write the sentences: the first job first, the change of it last, as ``before`` says."""
        dice, asked = self._dice, self._people[0]
        first, last = dice.shuffled(self._houses)[:2]
        changed = dice.chance(self._recipe.conflicts)
        now = last if changed else first
        jobs = [self._fact("works_at", one, dice.pick(self._houses)) for one in self._people[1:]]
        seats = {one: self._fact("based_in", one, city) for one, city in zip(self._houses, self._cities, strict=True)}
        begin = self._fact("works_at", asked, first)
        end = [self._fact("works_at", asked, now)] if changed else []
        facts = [begin, *jobs, *seats.values(), *end]
        talk = self._talk(self._recipe.documents - len(facts))
        texts = [begin, *jobs, *seats.values(), *talk, *end]
        chain = _CHAIN[: self._recipe.hops]
        city = dict(zip(self._houses, self._cities, strict=True))[now]
        evidence = (end[0] if changed else begin, seats[now])[: self._recipe.hops]
        symbols = ((asked, "works_at", now), (now, "based_in", city))[: self._recipe.hops]
        category = f"bridge-{self._recipe.hops}hop{REVISED if changed else ''}"
        answer = city if self._recipe.hops == 2 else now
        text = phrase(Lookup(Chain(asked, chain)), dice)
        question = Question(text, (answer,), evidence, f"{id}-q1", category, symbols)
        before = ((0, len(texts) - 1),) if changed else ()
        return Sample(id, (question,), tuple(Document("", one) for one in texts), {"before": before})

    def _fact(self, relation: str, subject: str, object: str) -> str:
        wording = UNDATED[relation]
        return fill(self._dice.pick((*wording.forward, *wording.inverse)), {"s": subject, "o": object})

    def _talk(self, count: int) -> list[str]:
        """Write different sentences that say nothing."""
        found: dict[str, None] = {}
        while len(found) < count:
            found[self._idle()] = None
        return list(found)

    def _idle(self) -> str:
        dice = self._dice
        kind, names = dice.pick(
            (("person", self._people), ("organisation", self._houses), ("city", self._cities))
        )  # fmt: skip
        others = MENTIONS[kind] if len(names) > 1 else ()
        template = dice.pick((*OPENINGS[kind], *SMALL_TALK[kind], *others))
        one, other = (*dice.shuffled(names), "")[:2]
        return fill(template, {"s": one, "x": other, "a": dice.pick(ADJECTIVES), "t": dice.pick(TRADES)})


def _in_range(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise ValueError(f"{name}={value!r}: expected a number from {least} to {most}.")
