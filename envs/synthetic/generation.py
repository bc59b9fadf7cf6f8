"""Makes one sample: a world, questions about it, and the documents in which it is written down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from memgym.task import Question, Sample

from ..numbered import SPLITS
from .dice import Dice
from .documents import Writer
from .names import Namer
from .questions import Asked, Asker
from .relations import month
from .world import LEAST_ENTITIES, Fact, build

VERSION = 1
"""Part of every seed: raised whenever a change alters what a sample id stands for."""

REVISED = "-revised"
"""Ends the category of a question that needs an undated revision."""

_ATTEMPTS = 12
_NOTES = 0.3


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a sample is made by, next to its number; ``questions`` and ``hops`` are (low, high), both included.

    With probability ``single`` a sample has one question whatever ``questions`` says. ``revisions`` is "dated", or
    "undated" for the same world, told without dates.
    """

    documents: int
    questions: tuple[int, int]
    single: float
    hops: tuple[int, int]
    kinds: tuple[str, ...]
    conflicts: float
    similarity: float
    scripts: tuple[str, ...]
    split: str
    revisions: str = "dated"


def generate(recipe: Recipe, number: int) -> Sample:
    """Make the sample of a number, the same on any platform. A world with too few questions is drawn again.

    Raises:
        ValueError: No world of this size holds that many questions of these hops and kinds.
    """
    id = f"{recipe.split}-{number:07d}"
    dice = Dice(np.random.default_rng(np.random.SeedSequence([number, SPLITS.index(recipe.split), VERSION])))
    count = 1 if dice.chance(recipe.single) else dice.between(*recipe.questions)
    for _ in range(_ATTEMPTS):
        sample = _attempt(recipe, id, dice, count)
        if sample is not None:
            return sample
    raise ValueError(
        f"{count} questions of {recipe.hops[0]} to {recipe.hops[1]} hops ({', '.join(recipe.kinds)}) do not fit into "
        f"documents={recipe.documents}: ask for more documents or fewer questions."
    )


def _attempt(recipe: Recipe, id: str, dice: Dice, count: int) -> Sample | None:
    notes = min(round(recipe.documents * recipe.conflicts * _NOTES), recipe.documents - LEAST_ENTITIES)
    namer = Namer(dice, recipe.split, recipe.similarity, recipe.scripts)
    world = build(dice, recipe.documents - notes, recipe.conflicts, namer)
    dated = recipe.revisions == "dated"
    if not dated:
        world.forget_dates()
    asked = Asker(dice, world, recipe.hops, recipe.kinds).ask(count)
    if asked is None:
        return None
    writer = Writer(dice, world, recipe.similarity, {fact for one in asked for fact in one.facts}, dated)
    documents = writer.write(notes)
    questions = tuple(_question(one, f"{id}-q{at}", writer.sentences, dated) for at, one in enumerate(asked, 1))
    return Sample(id, questions, documents, {} if dated else {"before": writer.before})


def _question(asked: Asked, id: str, sentences: dict[Fact, str], dated: bool) -> Question:
    evidence = tuple(sentences[fact] for fact in asked.facts)
    revised = not dated and any(fact.previous for fact in asked.facts)
    category = asked.category + REVISED if revised else asked.category
    return Question(asked.text, asked.answers, evidence, id, category, tuple(map(_symbols, asked.facts)))


def _symbols(fact: Fact) -> tuple[str, ...]:
    """A fact as (subject, relation, object), with the month as a fourth member where it is dated."""
    plain = (fact.subject, fact.relation, fact.object)
    return (*plain, month(fact.date)) if fact.date else plain
