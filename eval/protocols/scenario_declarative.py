"""ScenarioDeclarative: sittings come one after the other, and questions at the points where they arise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar

from pydantic import Field

from memgym.operations import Advance, Answer
from memgym.records import EpisodeRecord
from memgym.rollout import make_env

from ..metrics.intervals import estimate
from .plan import Plan, Player
from .protocol import DECLARATIVE, Lane, Measure, Protocol, by_row, forming_cost, rewards, tagged


class ScenarioDeclarative(Protocol):
    """Each sitting is an episode in which the agent begins anew, with the memory that the sittings before it left.

    Questions are asked when the benchmark asks them, of the memory as it is then, frozen. chunks: how many chunks a
    sitting has at most (a conversation is cut into sessions by default). Memory begins empty with each scenario. An
    episode of the table is one point at which questions arise.
    """

    name: ClassVar[str] = "scenario-declarative"
    requires: ClassVar[tuple[frozenset[str], ...]] = (DECLARATIVE | {"sessions"},)

    chunks: int = Field(default=1, ge=1)

    def lanes(self, plan: Plan) -> list[Lane]:
        return [self._lane(plan, player, number) for number in range(plan.count) for player in plan.players]

    def _lane(self, plan: Plan, player: Player, number: int) -> Lane:
        common: dict[str, Any] = {
            "sample": plan.samples[number],
            "seed": plan.seeds(plan.count)[number],
            "number": number,
        }
        after, at = None, 0
        for point in points(plan, player, number):
            while at < point.read:
                until = min(at + self.chunks, point.read)
                sitting = plan.episode(
                    player, f"scenario-{number:06d}/sitting-{at:04d}", phase="form", part={"read": [at, until]},
                    after=after, **common,
                )  # fmt: skip
                yield [sitting]
                after, at = sitting.id, until
            yield [
                plan.episode(
                    player, f"scenario-{number:06d}/asked-{at:04d}", phase="test", after=after, frozen=True, read=at,
                    part={"ask": [point.first, point.last]}, questions=point.last - point.first, **common,
                )
            ]  # fmt: skip

    def measures(self, records: Sequence[EpisodeRecord]) -> list[Measure]:
        found = [
            Measure(row, "reward a scenario", estimate(_by_scenario(group)))
            for row, group in by_row(tagged(records, phase="test")).items()
        ]
        return [*found, *forming_cost(records)]


@dataclass(frozen=True, slots=True)
class Point:
    """A moment of a scenario: after ``read`` chunks the questions ``first`` to ``last`` (not counted) are asked."""

    read: int
    first: int
    last: int


def points(plan: Plan, player: Player, number: int) -> list[Point]:
    """Return when a sample's task asks its questions, found by going through it."""
    env = make_env(plan.env, **player.env_options)
    env.reset(seed=plan.seeds(plan.count)[number], options={"sample": plan.samples[number]})
    task, read, asked = env.pomdp.task, 0, []
    while not task.done:
        if task.view.phase == "read":
            task.take(Advance())
            read += 1
        else:
            task.take(Answer(""))
            asked.append(read)
    found, first = [], 0
    for moment, questions in groupby(asked):
        count = len(list(questions))
        found.append(Point(moment, first, first + count))
        first += count
    return found


def _by_scenario(records: Sequence[EpisodeRecord]) -> list[float]:
    """Return the mean over the questions of each scenario."""
    sums: dict[str, list[float]] = {}
    for record, reward in zip(records, rewards(records), strict=True):
        tags = record.episode.tags
        total = sums.setdefault(tags["number"], [0.0, 0.0])
        total[0] += reward * int(tags["questions"])
        total[1] += int(tags["questions"])
    return [earned / count for earned, count in sums.values()]
