"""Every episode by itself, with an empty memory: what ``memgym bench`` does when no protocol is named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from memgym.records import Episode, EpisodeRecord

from .plan import Plan
from .protocol import Lane, Measure, Protocol


class Isolated(Protocol):
    """Every episode starts with an empty memory and leaves none behind."""

    name: ClassVar[str] = "isolated"
    requires: ClassVar[tuple[frozenset[str], ...]] = (frozenset(),)
    keeps: ClassVar[bool] = False

    def lanes(self, plan: Plan) -> list[Lane]:
        """Return one lane with all episodes at once: agents take turns on each sample, so a part compares fairly."""
        return [self._lane(plan)]

    def measures(self, records: Sequence[EpisodeRecord]) -> list[Measure]:
        return []

    def _lane(self, plan: Plan) -> Lane:
        yield episodes(plan)


def episodes(plan: Plan) -> list[Episode]:
    """Return the episodes of a plan, each by itself."""
    return [
        replace(plan.episode(player, f"{number:06d}", sample=sample, seed=seed, phase=""), tags={"row": player.name})
        for number, (sample, seed) in enumerate(zip(plan.samples, plan.seeds(plan.count), strict=True))
        for player in plan.players
    ]
