"""Curriculum: every episode by itself, in stages of growing difficulty: for training, and scored stage by stage.

A stage changes options of the environment: more documents, more hops, a smaller memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from memgym.records import Episode, EpisodeRecord

from ..metrics.intervals import estimate
from .plan import Plan
from .protocol import Lane, Measure, Protocol, by_row, rewards


class Stage(BaseModel):
    """Environment options that hold for a share of the episodes, in proportion to ``weight``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    options: Mapping[str, Any] = Field(default_factory=dict)
    weight: float = Field(default=1.0, gt=0)


class Curriculum(Protocol):
    """Stages follow each other; every episode starts with an empty memory and leaves none behind.

    stages: options of the environment with weights; none: one stage without changes. No sample is in two stages, as
    far as the options leave a sample its id.
    """

    name: ClassVar[str] = "curriculum"
    requires: ClassVar[tuple[frozenset[str], ...]] = (frozenset(),)
    keeps: ClassVar[bool] = False

    stages: tuple[Stage, ...] = ()

    def lanes(self, plan: Plan) -> list[Lane]:
        """Return one lane that asks for stage after stage."""
        return [self._lane(plan)]

    def measures(self, records: Sequence[EpisodeRecord]) -> list[Measure]:
        found = []
        for row, group in by_row(records).items():
            for stage in sorted({record.episode.tags["stage"] for record in group}, key=int):
                own = [record for record in group if record.episode.tags["stage"] == stage]
                found.append(Measure(row, f"reward, stage {int(stage) + 1}", estimate(rewards(own))))
        return found

    def _lane(self, plan: Plan) -> Lane:
        seeds, start = plan.seeds(plan.count), 0
        for number, (stage, end) in enumerate(zip(self.stages or (Stage(),), self.ends(plan.count), strict=True)):
            samples = plan.ids(plan.count, stage.options)[start:end]
            yield [
                self._episode(plan, number, start + at, sample, seeds[start + at], player)
                for at, sample in enumerate(samples)
                for player in range(len(plan.players))
            ]
            start = end

    def ends(self, count: int) -> list[int]:
        """Return after how many of ``count`` episodes each stage ends."""
        weights = [stage.weight for stage in self.stages] or [1.0]
        return [round(count * sum_ / sum(weights)) for sum_ in accumulate(weights)]

    def _episode(self, plan: Plan, stage: int, number: int, sample: str, seed: int, player: int) -> Episode:
        who = plan.players[player]
        options = self.stages[stage].options if self.stages else {}
        made = plan.episode(
            who, f"{number:06d}", sample=sample, seed=seed, phase="", options={**who.env_options, **options}
        )
        return replace(made, tags={"row": who.name, "stage": str(stage)})
