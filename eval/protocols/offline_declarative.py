"""OfflineDeclarative: a text is read once, memory is frozen, questions are answered from it alone."""

from __future__ import annotations

from typing import Any, ClassVar

from memgym.records import Episode

from .plan import ASK, READ, Plan, Player, numbered
from .protocol import DECLARATIVE, Lane, Protocol


class OfflineDeclarative(Protocol):
    """Each sample is read in an episode of its own; then its questions are asked, with that memory frozen.

    The memory is the sample's (a conversation's), never shared between samples. What an agent keeps outside memory
    does not reach its second episode.
    """

    name: ClassVar[str] = "offline-declarative"
    requires: ClassVar[tuple[frozenset[str], ...]] = (DECLARATIVE,)

    def lanes(self, plan: Plan) -> list[Lane]:
        return [self._lane(plan, player, number) for number in range(plan.count) for player in plan.players]

    def _lane(self, plan: Plan, player: Player, number: int) -> Lane:
        form = reading(plan, player, number)
        yield [form]
        yield [asking(plan, player, number, after=form.id)]


def reading(
    plan: Plan, player: Player, number: int, name: str = "form", after: str | None = None, **tags: str
) -> Episode:
    """Return the episode in which a sample is read, with an empty memory or the one that an earlier episode left."""
    return plan.episode(
        player, numbered(name, number), sample=plan.samples[number], seed=plan.seeds(plan.count)[number], phase="form",
        part=READ, after=after, number=number, **tags,
    )  # fmt: skip


def asking(
    plan: Plan, player: Player, number: int, name: str = "test", after: str | None = None, **more: Any
) -> Episode:
    """Return the episode in which a sample's questions are asked of a frozen memory."""
    return plan.episode(
        player, numbered(name, number), sample=plan.samples[number], seed=plan.seeds(plan.count)[number], phase="test",
        part=ASK, after=after, frozen=True, number=number, **more,
    )  # fmt: skip
