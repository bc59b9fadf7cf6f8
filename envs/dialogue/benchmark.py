"""The benchmark "SyntheticDialogue": an endless supply of conversations over many sessions, with questions.

It needs no download and is never a stand-in for a real data set: it is named as synthetic wherever it appears.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, ClassVar

from numpy.random import Generator

from memgym.registry import unknown
from memgym.task import Sample, Task

from ..numbered import SPLITS, Numbered
from ..reading import load_metric
from ..sessions import Stream
from ..synthetic.names import SCRIPTS
from .generation import NOT_SAID, VERSION, Recipe, generate
from .questions import CATEGORIES, UNANSWERABLE

ASKED = ("end", "along")
_RANGES = {"sessions": (2, 100), "turns": (4, 200), "people": (2, 5), "questions": (1, 100)}


class SyntheticDialogue(Numbered):
    """Invented people talk over dated sessions; some of what they say changes, some was never said.

    An id such as "validation-0000123" always stands for the same sample.

    Args:
        sessions: How many sessions, 2 to 100; turns: of each session, 4 to 200, about half of which tell something.
        people: How many talk, 2 to 5.
        questions: Of a sample, 1 to 100.
        categories: Some of "single_hop", "multi_hop" (over a role: "Ana's sister"), "temporal" (from relative and
            absolute dates) and "changed" (what is so now, or was before), asked in turn.
        unanswerable: The share of questions about something never said. Only an abstention is right, so whoever
            always abstains, as an agent without memory does, scores exactly this share, and nothing else.
        changes: The chance that an attribute is told anew in a later session; the latest telling holds.
        similarity: How often a name borrows a word of another.
        ask: "end" (all questions after the last session) or "along" (after sessions from the first third on; what
            holds then is right).
        split: "train", "validation" or "test"; no two of them share a name, hence none a fact.
        scripts: In which scripts names are written: "latin", "cyrillic", "greek", "han", "thai", "arabic".
        reward: The metric of an answer, "em" or "f1"; unanswerable questions are scored by ``abstention``.
        unit: How the conversation is cut, with ``chunk_tokens`` and ``tokenizer``: see ``Stream``.
        announced: Show the questions while reading.

    Raises:
        ValueError: A number outside its range. UnknownName: a category, split, script, unit, reward or ``ask``.
    """

    name: ClassVar[str] = "SyntheticDialogue"
    synthetic: ClassVar[bool] = True
    provides: ClassVar[frozenset[str]] = Numbered.provides | {"sessions"}

    def __init__(
        self,
        *,
        sessions: int = 10,
        turns: int = 16,
        people: int = 2,
        questions: int = 10,
        categories: str | Sequence[str] = CATEGORIES,
        unanswerable: float = 0.1,
        changes: float = 0.5,
        similarity: float = 0.5,
        ask: str = "end",
        split: str = "validation",
        scripts: str | Sequence[str] = "latin",
        reward: str = "em",
        unit: str = "session",
        chunk_tokens: int = 4000,
        tokenizer: str = "cl100k",
        announced: bool = False,
    ) -> None:
        numbers = {"sessions": sessions, "turns": turns, "people": people, "questions": questions}
        for name, number in numbers.items():
            _in_range(name, number, *_RANGES[name])
        shares = {"unanswerable": unanswerable, "changes": changes, "similarity": similarity}
        for name, share in shares.items():
            _in_range(name, share, 0, 1)
        load_metric(reward)
        self._recipe = Recipe(
            sessions=sessions,
            turns=turns,
            people=people,
            questions=questions,
            unanswerable=float(unanswerable),
            changes=float(changes),
            similarity=float(similarity),
            categories=_some("category", categories, CATEGORIES),
            ask=_some("moment of asking", ask, ASKED)[0],
            scripts=_some("script", scripts, SCRIPTS),
            split=_some("split", split, SPLITS)[0],
        )
        self.reward = reward
        self._stream = Stream(unit, chunk_tokens, tokenizer, announced)
        self._sample = lru_cache(maxsize=16)(lambda number: generate(self._recipe, number))

    @property
    def split(self) -> str:
        return self._recipe.split

    def made(self, number: int) -> Sample:
        return self._sample(number)

    def task(self, sample: Sample, rng: Generator) -> Task:
        """Start one run; a conversation has one order, so nothing depends on ``rng``."""
        return self._stream.task(sample, reward=self.reward, rewards={UNANSWERABLE: "abstention"}, abstain=NOT_SAID)

    def describe(self) -> dict[str, Any]:
        """Return what determines a sample, next to its id: every option, and the version of the generator."""
        made = {name: getattr(self._recipe, name) for name in self._recipe.__slots__}
        options = {name: list(value) if isinstance(value, tuple) else value for name, value in made.items()}
        options |= {"reward": self.reward, **self._stream.describe()}
        return {**super().describe(), "synthetic": True, "version": VERSION, "options": options}

    def __getstate__(self) -> dict[str, Any]:
        """Leave the cache out of pickles and copies."""
        return {name: value for name, value in self.__dict__.items() if name != "_sample"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._sample = lru_cache(maxsize=16)(lambda number: generate(self._recipe, number))


def _in_range(name: str, value: float, least: float, most: float) -> None:
    whole = isinstance(least, int) and most > 1
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)) or not least <= value <= most:
        raise ValueError(f"{name}={value!r}: expected a number from {least} to {most}.")


def _some(what: str, value: str | Sequence[str], valid: Sequence[str]) -> tuple[str, ...]:
    """Return one name or several as a tuple, each known and named once."""
    chosen = (value,) if isinstance(value, str) else tuple(dict.fromkeys(value))
    for one in chosen:
        if one not in valid:
            raise unknown(what, one, valid)
    if not chosen:
        raise ValueError(f"At least one {what} is needed: {', '.join(valid)}.")
    return chosen
