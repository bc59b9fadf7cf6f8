"""BatchProcedural: all tasks of a batch see the memory as of its start; it is formed from them together at the end."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from .offline_procedural import acting, formed
from .plan import Plan, Player
from .protocol import PROCEDURAL, Lane, Protocol


class BatchProcedural(Protocol):
    """Tasks are played in batches, side by side and with a frozen memory, and memory is formed from each batch at once.

    batch: tasks in a batch. passes: how often the whole order is played, each time with the memory that was left; only
    the last pass is scored, so that a batch of everything in two passes forms once and tests once on the same tasks.
    """

    name: ClassVar[str] = "batch-procedural"
    requires: ClassVar[tuple[frozenset[str], ...]] = (PROCEDURAL,)

    batch: int = Field(default=8, ge=1)
    passes: int = Field(default=1, ge=1)

    def lanes(self, plan: Plan) -> list[Lane]:
        return [self._lane(plan, player) for player in plan.players]

    def _lane(self, plan: Plan, player: Player) -> Lane:
        after: str | None = None
        for turn in range(1, self.passes + 1):
            for first in range(0, plan.count, self.batch):
                numbers = range(first, min(first + self.batch, plan.count))
                told = {"phase": "test" if turn == self.passes else "adapt", "member": turn - 1, "turn": turn}
                tasks = [acting(plan, player, number, f"pass-{turn}/task", after=after, **told) for number in numbers]
                played = yield tasks
                lived = [one.experience for one in played if one.experience is not None]
                after = yield from formed(plan, player, lived, after=after, name=f"pass-{turn}/form", number=first)
