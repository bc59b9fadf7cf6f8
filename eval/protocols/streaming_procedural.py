"""StreamingProcedural: memory is formed beside the tasks, or within them, and nothing waits for it."""

from __future__ import annotations

from collections.abc import Generator
from typing import ClassVar, Literal

from pydantic import Field

from memgym.records import Episode, EpisodeRecord
from memgym.rollout import Played
from memgym.task import Experience

from .offline_procedural import acting, formed
from .plan import Plan, Player
from .protocol import PROCEDURAL, Lane, Protocol


class StreamingProcedural(Protocol):
    """Forming memory and playing tasks overlap.

    every, unit: after how many tasks or steps memory is formed. With tasks, the last ones are formed into memory while
    the next is played, which does not see them yet: the memory always lags one task behind an online one. With
    steps, a task is stopped after so many commands, memory is formed from those, and the task goes on with it; the
    agent begins anew there, and what it knew is in memory or gone. At the end of a task it is shown whole; its last
    piece is its score.
    """

    name: ClassVar[str] = "streaming-procedural"
    requires: ClassVar[tuple[frozenset[str], ...]] = (PROCEDURAL,)

    every: int = Field(default=1, ge=1)
    unit: Literal["task", "step"] = "task"

    def lanes(self, plan: Plan) -> list[Lane]:
        lane = self._by_tasks if self.unit == "task" else self._by_steps
        return [lane(plan, player) for player in plan.players]

    def _by_tasks(self, plan: Plan, player: Player) -> Lane:
        after: str | None = None
        waiting: list[Experience] = []
        for number in range(plan.count):
            task = acting(plan, player, number, after=after)
            forms = []
            if len(waiting) >= self.every:
                forms = [plan.forming(player, "form", waiting, number=number, after=after)]
                waiting = []
            played = yield [task, *forms]
            after = forms[0].id if forms else after
            waiting += [played[0].experience] if played[0].experience is not None else []

    def _by_steps(self, plan: Plan, player: Player) -> Lane:
        after: str | None = None
        for number in range(plan.count):
            after = yield from self._task(plan, player, number, after)

    def _task(
        self, plan: Plan, player: Player, number: int, after: str | None
    ) -> Generator[list[Episode], list[Played], str | None]:
        """A part of a lane: play one task in pieces, and return the episode that left the memory after it."""
        whole: list[tuple[str, str]] = []
        piece = 0
        while True:
            part = {"commands": [command for _, command in whole], "limit": self.every}
            [played] = yield [
                acting(plan, player, number, f"piece-{piece}/test", after=after, part=part, member=piece, piece=piece)
            ]
            lived = played.experience
            if lived is None:
                return after
            whole += lived.steps
            stopped = _stopped(played.record)
            shown = lived if stopped else Experience(lived.task, tuple(whole), lived.success, lived.task_type)
            after = yield from formed(plan, player, [shown], after=after, name=f"piece-{piece}/form", number=number)
            if not stopped:
                return after
            piece += 1


def _stopped(record: EpisodeRecord) -> bool:
    """Return whether a task goes on after a piece of it."""
    return record.outcome is not None and record.outcome.metrics.get("unfinished") == 1.0
