"""Makes one sample: lives, the conversation in which they are told, and questions about it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from memgym.task import Question, Sample

from ..numbered import SPLITS
from ..synthetic.dice import Dice
from ..synthetic.names import Namer
from .asking import phrase
from .days import plain
from .questions import UNANSWERABLE, Asked, Asker
from .solve import Told
from .world import build
from .writing import Writer

VERSION = 1
"""Part of every seed: raised whenever a change alters what a sample id stands for."""

NOT_SAID = "not mentioned"
_SALT = 7_368_787  # keeps these worlds apart from those of Synthetic, which count from the same numbers
_ATTEMPTS = 30


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a sample is made by, next to its number; see ``SyntheticDialogue`` for the meanings."""

    sessions: int
    turns: int
    people: int
    questions: int
    categories: tuple[str, ...]
    unanswerable: float
    changes: float
    similarity: float
    ask: str
    scripts: tuple[str, ...]
    split: str


def generate(recipe: Recipe, number: int) -> Sample:
    """Make the sample of a number, the same on any platform. A world with too few questions is drawn again.

    Raises:
        ValueError: No conversation of this size holds that many questions.
    """
    seed = np.random.SeedSequence([number, SPLITS.index(recipe.split), _SALT, VERSION])
    dice = Dice(np.random.default_rng(seed))
    for _ in range(_ATTEMPTS):
        sample = _attempt(recipe, f"{recipe.split}-{number:07d}", dice)
        if sample is not None:
            return sample
    raise ValueError(
        f"{recipe.questions} questions do not fit into sessions={recipe.sessions} of turns={recipe.turns}: ask for "
        "more sessions or turns, or for fewer questions."
    )


def _attempt(recipe: Recipe, id: str, dice: Dice) -> Sample | None:
    namer = Namer(dice, recipe.split, recipe.similarity, recipe.scripts)
    world = build(dice, namer, recipe.people, recipe.sessions, recipe.turns, recipe.changes)
    after = _moments(recipe, dice)
    share = recipe.questions * recipe.unanswerable
    silent = int(share) + dice.chance(share - int(share))
    asked = Asker(dice, world, recipe.categories).ask(after, silent)
    if asked is None:
        return None
    writer = Writer(dice, world, recipe.turns)
    sessions = writer.write()
    questions = tuple(_question(one, f"{id}-q{at}", writer.turns, dice) for at, one in enumerate(asked, 1))
    data = {"sessions": sessions, **({"asked_after": tuple(after)} if recipe.ask == "along" else {})}
    return Sample(id, questions, tuple(session.document() for session in sessions), data)


def _moments(recipe: Recipe, dice: Dice) -> list[int]:
    """Return after which session each question is asked, in order."""
    if recipe.ask == "end":
        return [recipe.sessions] * recipe.questions
    return sorted(dice.between((recipe.sessions + 2) // 3, recipe.sessions) for _ in range(recipe.questions))


def _question(asked: Asked, id: str, turns: dict[Told, str], dice: Dice) -> Question:
    text = phrase(asked.query, dice)
    if asked.solved is None:
        return Question(text, (NOT_SAID,), (), id, UNANSWERABLE)
    evidence = tuple(dict.fromkeys(turns[told] for told in asked.solved.used))
    facts = tuple(map(_symbols, asked.solved.used))
    return Question(text, asked.solved.answers, evidence, id, asked.category, facts)


def _symbols(told: Told) -> tuple[str, ...]:
    return (told.subject, told.relation, told.object, plain(told.day or told.said))
