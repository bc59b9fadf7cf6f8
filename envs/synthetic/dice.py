"""Cheap draws: a world needs tens of thousands of small choices, and one call of a numpy Generator costs a microsecond.

Floats are drawn in blocks from one Generator, so every choice is the same on any platform.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from numpy.random import Generator

T = TypeVar("T")

_BLOCK = 4096


class Dice:
    """Draws from one Generator in blocks; two Dice on equal Generators give equal draws."""

    __slots__ = ("_left", "_rng")

    def __init__(self, rng: Generator) -> None:
        self._rng = rng
        self._left: list[float] = []

    def random(self) -> float:
        """Return a float in [0, 1)."""
        if not self._left:
            self._left = self._rng.random(_BLOCK).tolist()
        return self._left.pop()

    def chance(self, probability: float) -> bool:
        return self.random() < probability

    def below(self, count: int) -> int:
        """Return an integer in [0, count)."""
        return int(self.random() * count)

    def between(self, low: int, high: int) -> int:
        """Return an integer in [low, high], both ends included."""
        return low + self.below(high - low + 1)

    def pick(self, values: Sequence[T]) -> T:
        return values[self.below(len(values))]

    def shuffled(self, values: Sequence[T]) -> list[T]:
        """Return the values in a random order."""
        order = list(values)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order
