"""OfflineProcedural: memory is formed from tasks that were played for it, then frozen and tested on others."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any, ClassVar, Self

from pydantic import Field, model_validator

from memgym.records import Episode, EpisodeRecord
from memgym.rollout import Played
from memgym.task import Experience

from ..metrics.intervals import estimate
from .plan import Plan, Player, numbered
from .protocol import PROCEDURAL, Lane, Measure, Protocol, by_row, tagged
from .trajectories import Stored, check_trajectories, stored_trajectories

_TRAINING = 2
"""Of the seeds of episodes, those of tasks of training."""


class OfflineProcedural(Protocol):
    """Tasks of training are played without memory; memory is formed from all of them at once, then frozen for the test.

    train: how many tasks are played for training; None: as many as are tested. train_options: environment options of
    these ("split": "train"); without any they are the samples that follow the tested ones in the run's order. How each
    ended is shown with it.

    trajectories: the folder of an earlier run, or a file of experiences; nothing is then played for training, and every
    row forms its memory from the same ones, in their order (train: from the first so many). whose: the row of that run
    that lived them; None: all. The record of an episode that forms memory has their checksum in its setting.
    """

    name: ClassVar[str] = "offline-procedural"
    requires: ClassVar[tuple[frozenset[str], ...]] = (PROCEDURAL,)

    train: int | None = Field(default=None, ge=1)
    train_options: dict[str, Any] = Field(default_factory=dict)
    trajectories: str | None = None
    whose: str | None = None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if self.trajectories is not None and self.train_options:
            raise ValueError(
                "trajectories are played already: train_options would change nothing; give one of the two."
            )
        if self.trajectories is None and self.whose is not None:
            raise ValueError(f"whose={self.whose!r} says whose trajectories are taken; give trajectories=PATH with it.")
        return self

    def check(self, plan: Plan) -> None:
        super().check(plan)
        if self.trajectories is not None:
            check_trajectories(self.trajectories, plan.benchmark.name, self.whose)

    def lanes(self, plan: Plan) -> list[Lane]:
        if self.trajectories is not None:
            stored = stored_trajectories(self.trajectories, plan.benchmark.name, self.whose)
            return [self._tested(plan, player, stored) for player in plan.players]
        samples = training(plan, self.train, self.train_options)
        return [self._lane(plan, player, samples) for player in plan.players]

    def _lane(self, plan: Plan, player: Player, samples: Sequence[str]) -> Lane:
        lived = yield from gathered(plan, player, samples, self.train_options)
        after = yield from formed(plan, player, lived)
        yield [acting(plan, player, number, after=after) for number in range(plan.count)]

    def _tested(self, plan: Plan, player: Player, stored: Stored) -> Lane:
        """A lane whose training was played earlier; a test says whether its own sample was among that."""
        after = yield from formed(plan, player, stored.experiences[: self.train])
        known = frozenset(filter(None, stored.samples[: self.train]))
        tests = []
        for number in range(plan.count):
            seen = {"seen": str(plan.samples[number] in known).lower()} if known else {}
            tests.append(acting(plan, player, number, after=after, **seen))
        yield tests

    def measures(self, records: Sequence[EpisodeRecord]) -> list[Measure]:
        found = []
        for row, tests in by_row(tagged(records, phase="test")).items():
            if seen := [float(one.episode.tags["seen"] == "true") for one in tests if "seen" in one.episode.tags]:
                found.append(Measure(row, "tests that were lived before", estimate(seen), rewarded=False))
        return [*found, *super().measures(records)]


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
