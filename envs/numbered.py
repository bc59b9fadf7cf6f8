"""Benchmarks whose samples are made and not read: an endless supply by number, of which a split is drawn."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence

from numpy.random import Generator

from memgym.registry import UnknownName
from memgym.task import Benchmark, Sample

SPLITS = ("train", "validation", "test")
NUMBERS = 10_000_000
"""How many samples of a split are drawn from; ids of higher numbers are valid too."""

_ID = re.compile(rf"({'|'.join(SPLITS)})-([0-9]{{7,12}})")


class Numbered(Benchmark):
    """An id such as "validation-0000123" always stands for the same sample, which ``made`` makes of its number."""

    @property
    @abstractmethod
    def split(self) -> str:
        """The split of which samples are drawn."""

    @abstractmethod
    def made(self, number: int) -> Sample:
        """Make the sample of a number, the same on any platform."""

    def draw(self, rng: Generator) -> Sample:
        return self.made(int(rng.integers(NUMBERS)))

    def sample(self, id: str) -> Sample:
        found = _ID.fullmatch(id)
        if found is None or found[1] != self.split:
            raise UnknownName(f"There is no sample {id!r} in the split {self.split!r}: ids are like {self.like(id)!r}.")
        return self.made(int(found[2]))

    def like(self, id: str) -> str:
        """Return an id of this split to show beside one that is none."""
        return f"{self.split}-0000123"

    def schedule(self, rng: Generator, count: int) -> Sequence[str]:
        """Return ``count`` different ids; more than ``NUMBERS`` is a ValueError."""
        if not 0 <= count <= NUMBERS:
            raise ValueError(f"count={count}: expected a number from 0 to {NUMBERS}.")
        return [f"{self.split}-{number:07d}" for number in rng.choice(NUMBERS, size=count, replace=False).tolist()]
