"""ReflectionProcedural: a task that failed is looked back at, and tried again with what was learned from it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from memgym.records import Episode, EpisodeRecord
from memgym.rollout import Played

from ..metrics.intervals import estimate
from .offline_procedural import acting, formed
from .plan import Plan, Player
from .protocol import (
    PROCEDURAL,
    Lane,
    Measure,
    Protocol,
    by_row,
    differences,
    forming_cost,
    rewards,
    tagged,
)  # fmt: skip


class ReflectionProcedural(Protocol):
    """A task is tried; after a failure memory is formed from it, and it is tried again (Reflexion, arXiv 2303.11366).

    retries: tries after the first. scope: "task" (each task begins with an empty memory) or "run" (what was learned
    goes on to the next task). The reward of the table is that of the first try, when nothing was known yet of the task;
    the measures tell the first and the final try apart. A try differs from the one before by its memory and by the
    agent's own stream of chance.
    """

    name: ClassVar[str] = "reflection-procedural"
    requires: ClassVar[tuple[frozenset[str], ...]] = (PROCEDURAL,)

    retries: int = Field(default=2, ge=1)
    scope: Literal["task", "run"] = "task"

    def lanes(self, plan: Plan) -> list[Lane]:
        if self.scope == "run":
            return [self._run(plan, player) for player in plan.players]
        return [self._alone(plan, player, number) for number in range(plan.count) for player in plan.players]

    def _run(self, plan: Plan, player: Player) -> Lane:
        after: str | None = None
        for number in range(plan.count):
            after = yield from self._tries(plan, player, number, after)

    def _alone(self, plan: Plan, player: Player, number: int) -> Lane:
        yield from self._tries(plan, player, number, None)

    def _tries(
        self, plan: Plan, player: Player, number: int, after: str | None
    ) -> Generator[list[Episode], list[Played], str | None]:
        """A part of a lane: try a task until it succeeds, and return the episode that left the memory after it.

        A success is formed into memory only where that goes on to other tasks.
        """
        for attempt in range(1, self.retries + 2):
            name = f"try-{attempt}"
            told = {"phase": "test" if attempt == 1 else "adapt", "member": attempt - 1, "attempt": attempt}
            task = acting(plan, player, number, name, after=after, **told)
            [played] = yield [task]
            won = played.experience is not None and played.experience.success
            last = won or attempt > self.retries
            if played.experience is not None and not (last and self.scope == "task"):
                after = yield from formed(
                    plan, player, [played.experience], after=after, name=f"{name}/form", number=number
                )
            if last:
                break
        return after

    def measures(self, records: Sequence[EpisodeRecord]) -> list[Measure]:
        found = []
        for row, group in by_row([*tagged(records, phase="test"), *tagged(records, phase="adapt")]).items():
            first = [one for one in group if one.episode.tags["attempt"] == "1"]
            final = list({one.episode.tags["number"]: one for one in sorted(group, key=_attempt)}.values())
            found += [
                Measure(row, "first try", estimate(rewards(first))),
                Measure(row, "final try", estimate(rewards(final))),
                *differences(row, "final - first", first, final),
                Measure(row, "tries", estimate([float(_attempt(one)) for one in final]), rewarded=False),
            ]
        return [*found, *forming_cost(records)]


def _attempt(record: EpisodeRecord) -> int:
    return int(record.episode.tags["attempt"])
