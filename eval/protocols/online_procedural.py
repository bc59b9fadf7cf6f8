"""OnlineProcedural: after each task memory is formed from it, before the next one begins."""

from __future__ import annotations

from typing import ClassVar, Literal

from .offline_procedural import acting, formed
from .plan import Plan, Player
from .protocol import PROCEDURAL, Lane, Protocol


class OnlineProcedural(Protocol):
    """Each task is played with the memory of all tasks before it, and scored on that one pass.

    forming: "experience" (the task is played with a frozen memory, then shown as what was lived, to form memory from)
    or "acting" (nothing is shown afterwards: the agent writes to its memory while it acts, and that memory goes on).
    The order of tasks belongs to the run's seed. Episodes of one pass depend on each other: their interval is too
    narrow, and several seeds tell more.
    """

    name: ClassVar[str] = "online-procedural"
    requires: ClassVar[tuple[frozenset[str], ...]] = (PROCEDURAL,)

    forming: Literal["experience", "acting"] = "experience"

    def lanes(self, plan: Plan) -> list[Lane]:
        return [self._lane(plan, player) for player in plan.players]

    def _lane(self, plan: Plan, player: Player) -> Lane:
        after: str | None = None
        for number in range(plan.count):
            task = acting(plan, player, number, after=after, frozen=self.forming == "experience")
            [played] = yield [task]
            if self.forming == "acting":
                after = task.id
            elif played.experience is not None:
                after = yield from formed(plan, player, [played.experience], after=after, number=number)
