"""ALFWorld in homes of our own making: needs no data, and has as many homes as one likes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from numpy.random import Generator

from memgym.registry import unknown
from memgym.task import Sample

from .benchmark import HomeGames
from .caching import PddlGame

GENERATOR = 1
"""Changes whenever a number begins to mean another home."""
SPLITS = {"train": range(100_000), "validation": range(100_000, 110_000), "test": range(110_000, 120_000)}
_ID = re.compile(r"home-(\d{6})/errand-(\d+)")


class GeneratedALFWorld(HomeGames):
    """All six kinds of task in generated homes, in ALFWorld's own engine, domain, grammar, goals and sentences.

    A sample is an errand in a home ("home-000012/errand-3"); all errands of a home start with everything in the same
    place, so that a memory that is kept helps from the second on. A schedule plays all errands of a home in a row.

    Args:
        split: "train", "validation" or "test"; they have no home in common.
        errands: How many a home has; six are one of each kind.
        clutter: About how many objects lie in a home.
        task_types, game_steps, show_admissible: as for ``HomeGames``.

    Raises:
        ValueError: A number out of range.
        UnknownName: A split, task type or sample that does not exist.
    """

    name = "ALFWorld-generated"
    synthetic = True

    def __init__(
        self,
        *,
        split: str = "validation",
        errands: int = 6,
        clutter: int = 16,
        task_types: Sequence[str | int] = (),
        game_steps: int = 50,
        show_admissible: bool = False,
    ) -> None:
        super().__init__(task_types, game_steps, show_admissible)
        if split not in SPLITS:
            raise unknown("split of ALFWorld-generated", split, SPLITS)
        if errands < 1:
            raise ValueError(f"errands={errands}: a home has at least one.")
        if not 4 <= clutter <= 60:
            raise ValueError(f"clutter={clutter}: a home has from 4 to 60 objects.")
        self.split, self.errands, self.clutter = split, errands, clutter

    def draw(self, rng: Generator) -> Sample:
        while True:
            homes = SPLITS[self.split]
            found = self._errands(homes[int(rng.integers(len(homes)))])
            if found:
                return self.sample(found[int(rng.integers(len(found)))])

    def sample(self, id: str) -> Sample:
        match = _ID.fullmatch(id)
        number = int(match[1]) if match else -1
        if number not in SPLITS[self.split] or id not in self._errands(number):
            valid = self._errands(number) if number in SPLITS[self.split] else self._errands(SPLITS[self.split][0])
            raise unknown(f"errand of ALFWorld-generated ({self.split})", id, valid)
        errand = int(id.rpartition("-")[2])
        return Sample(id, data={"home": number, "errand": errand, "task_type": self._types(number)[errand]})

    def schedule(self, rng: Generator, count: int) -> Sequence[str]:
        """Return ``count`` ids: homes in a shuffled order, the errands of each in their own."""
        homes, order = SPLITS[self.split], list[str]()
        while len(order) < count:
            for at in rng.permutation(len(homes)):
                order += self._errands(homes[int(at)])
                if len(order) >= count:
                    break
        return order[:count]

    def game(self, id: str) -> PddlGame:
        data = self.sample(id).data
        return _game(data["home"], self.clutter, data["errand"], id)

    def describe(self) -> dict[str, Any]:
        from .package import package

        rules = package()
        texts = (rules.domain, rules.grammar, repr(rules.goals), repr(rules.holds))
        return {
            **super().describe(),
            "split": self.split,
            "errands": self.errands,
            "clutter": self.clutter,
            "generator": GENERATOR,
            "package": _checksum(texts),
        }

    def _types(self, home: int) -> list[str]:
        from .errands import types

        return types(home, self.errands)

    def _errands(self, home: int) -> list[str]:
        """Return the ids of a home's errands of the chosen types."""
        chosen = [number for number, kind in enumerate(self._types(home)) if kind in self.task_types]
        return [f"home-{home:06d}/errand-{number}" for number in chosen]


@lru_cache(maxsize=64)
def _game(number: int, clutter: int, errand: int, id: str) -> PddlGame:
    from .errands import game
    from .household import home

    return game(home(number, clutter), errand, id)


def _checksum(texts: tuple[str, ...]) -> str:
    import hashlib

    return "sha256:" + hashlib.sha256("\0".join(texts).encode()).hexdigest()
