"""OfflineProcedural: memory is formed from tasks that were played for it, then frozen and tested on others."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from memgym.records import Episode
from memgym.rollout import Played
from memgym.task import Experience

from .plan import Plan, Player, numbered
from .protocol import PROCEDURAL, Lane, Protocol

_TRAINING = 2
"""Of the seeds of episodes, those of tasks of training."""


class OfflineProcedural(Protocol):
    """Tasks of training are played without memory; memory is formed from all of them at once, then frozen for the test.

    train: how many tasks are played for training; None: as many as are tested. train_options: environment options of
    these ("split": "train"); without any they are the samples that follow the tested ones in the run's order. How each
    ended is shown with it.
    """

    name: ClassVar[str] = "offline-procedural"
    requires: ClassVar[tuple[frozenset[str], ...]] = (PROCEDURAL,)

    train: int | None = Field(default=None, ge=1)
    train_options: dict[str, Any] = Field(default_factory=dict)

    def lanes(self, plan: Plan) -> list[Lane]:
        samples = training(plan, self.train, self.train_options)
        return [self._lane(plan, player, samples) for player in plan.players]

    def _lane(self, plan: Plan, player: Player, samples: Sequence[str]) -> Lane:
        lived = yield from gathered(plan, player, samples, self.train_options)
        after = yield from formed(plan, player, lived)
        yield [acting(plan, player, number, after=after) for number in range(plan.count)]


def training(plan: Plan, count: int | None, changes: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the ids of samples to train on: of another split, or those after the tested ones in the run's order."""
    count = count or plan.count
    return plan.ids(count, changes) if changes else plan.ids(plan.count + count)[plan.count :]


def gathered(
    plan: Plan, player: Player, samples: Sequence[str], changes: Mapping[str, Any], name: str = "train"
) -> Generator[list[Episode], list[Played], list[Experience]]:
    """A part of a lane: play samples with an empty, frozen memory, and return what was lived, in their order."""
    options, seeds = {**player.env_options, **changes}, plan.seeds(len(samples), _TRAINING)
    played = yield [
        plan.episode(
            player, numbered(name, number), sample=sample, seed=seeds[number], phase="train", frozen=True,
            options=options, number=number,
        )
        for number, sample in enumerate(samples)
    ]  # fmt: skip
    return [one.experience for one in played if one.experience is not None]


def formed(
    plan: Plan,
    player: Player,
    lived: Sequence[Experience],
    *,
    after: str | None = None,
    name: str = "form",
    number: int = 0,
    **tags: str,
) -> Generator[list[Episode], list[Played], str | None]:
    """A part of a lane: form memory from what was lived, and return the episode that left it. Of nothing, nothing."""
    if not lived:
        return after
    episode = plan.forming(player, name, lived, number=number, after=after, **tags)
    yield [episode]
    return episode.id


def acting(
    plan: Plan, player: Player, number: int, name: str = "test", after: str | None = None, **more: Any
) -> Episode:
    """Return the episode in which a sample is acted in with a frozen memory."""
    return plan.episode(
        player, numbered(name, number), sample=plan.samples[number], seed=plan.seeds(plan.count)[number],
        **{"phase": "test", "after": after, "frozen": True, "number": number, **more},
    )  # fmt: skip
