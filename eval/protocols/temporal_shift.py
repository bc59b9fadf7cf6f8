"""TemporalShift: memory is formed in one period, then in another; what is kept of the first, and what is in the way?"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field

from memgym.records import Episode, EpisodeRecord
from memgym.rollout import Played

from ..metrics.intervals import estimate
from .offline_declarative import asking, reading
from .offline_procedural import acting, formed, gathered, training
from .plan import Plan, Player
from .protocol import DECLARATIVE, PROCEDURAL, Lane, Measure, Protocol, declarative, differences, forming_cost, tagged
from .provenance import Provenance, share

Numbers = tuple[tuple[int, ...], tuple[int, ...]]


class TemporalShift(Protocol):
    """Memory is formed on period A and tested, formed further on period B and tested again, on both periods each time.

    shift: the share of samples that are of period A. by: "order" (A comes first in the run's order of samples) or
    "task_type" (A has other kinds of task than B). train, train_options: as for offline-procedural, where the benchmark
    is a world to act in. Where it is read, each sample is read into the one memory, and its questions are the test.

    Retention is what tests of A earn after B more than before it (below 0: forgotten); adaptation what tests of B earn
    more by then. Stale is what a test of B is shown after B though it was last written in A; a stale error is such a
    test that was not won.
    """

    name: ClassVar[str] = "temporal-shift"
    requires: ClassVar[tuple[frozenset[str], ...]] = (DECLARATIVE, PROCEDURAL)

    shift: float = Field(default=0.5, gt=0, lt=1)
    by: Literal["order", "task_type"] = "order"
    train: int | None = Field(default=None, ge=2)
    train_options: dict[str, Any] = Field(default_factory=dict)

    def lanes(self, plan: Plan) -> list[Lane]:
        return [self._lane(plan, player) for player in plan.players]

    def _lane(self, plan: Plan, player: Player) -> Lane:
        tested = self._periods(plan, plan.samples)
        after: str | None = None
        for period in ("A", "B"):
            after = yield from self._form(plan, player, period, after)
            yield [
                self._test(plan, player, number, of, period, after)
                for of, numbers in zip(("A", "B"), tested, strict=True)
                for number in numbers
            ]

    def check(self, plan: Plan) -> None:
        super().check(plan)
        self._periods(plan, plan.samples)

    def _form(
        self, plan: Plan, player: Player, period: str, after: str | None
    ) -> Generator[list[Episode], list[Played], str | None]:
        """A part of a lane: form memory on one period, and return the episode that left it."""
        if declarative(plan):
            for number in self._periods(plan, plan.samples)[period == "B"]:
                form = reading(plan, player, number, after=after, period=period)
                yield [form]
                after = form.id
            return after
        samples = training(plan, self.train, self.train_options)
        chosen = [samples[number] for number in self._periods(plan, samples)[period == "B"]]
        lived = yield from gathered(plan, player, chosen, self.train_options, f"{period}/train")
        return (yield from formed(plan, player, lived, after=after, name=f"{period}/form", period=period))

    def _test(self, plan: Plan, player: Player, number: int, of: str, period: str, after: str | None) -> Episode:
        when = f"{of} after {period}"
        make = asking if declarative(plan) else acting
        return make(
            plan,
            player,
            number,
            f"{when}/test",
            after=after,
            row=f"{player.name}: {when}",
            who=player.name,
            when=when,
        )

    def _periods(self, plan: Plan, samples: Sequence[str]) -> Numbers:
        """Return the numbers of the samples of each period; a period without any is a ValueError."""
        first = self._first(plan, samples)
        periods = (
            tuple(number for number, early in enumerate(first) if early),
            tuple(number for number, early in enumerate(first) if not early),
        )
        if not all(periods):
            raise ValueError(
                f"shift={self.shift} by {self.by} leaves a period without samples: there are {len(samples)} in all."
            )
        return periods

    def _first(self, plan: Plan, samples: Sequence[str]) -> list[bool]:
        """Tell of each sample whether it is of period A."""
        if self.by == "order":
            return [number < round(self.shift * len(samples)) for number in range(len(samples))]
        kinds = [str(plan.benchmark.sample(id).data.get("task_type", "")) for id in plan.samples]
        known = sorted(set(kinds))
        early = known[: max(1, round(self.shift * len(known)))]
        benchmark = plan.benchmark if samples is plan.samples else plan.benchmark_with(self.train_options)
        return [str(benchmark.sample(id).data.get("task_type", "")) in early for id in samples]

    def measures(self, records: Sequence[EpisodeRecord]) -> list[Measure]:
        provenance = Provenance(records)
        old = [one.episode.id for one in tagged(records, phase="form", period="A")]
        found = []
        for player in dict.fromkeys(one.episode.tags["who"] for one in tagged(records, phase="test")):
            own = tagged(records, who=player)
            now = tagged(own, when="B after B")
            stale = [(one, share(provenance.shown(one), old)) for one in now]
            errors = [float(bool(part) and not _won(one)) for one, part in stale]
            found += [
                *differences(player, "retention", tagged(own, when="A after A"), tagged(own, when="A after B")),
                *differences(player, "adaptation", tagged(own, when="B after A"), now),
                Measure(
                    player,
                    "stale among shown",
                    estimate([part for _, part in stale if part is not None]),
                    rewarded=False,
                ),
                Measure(player, "stale errors", estimate(errors)),
            ]
        return [*found, *forming_cost(records)]


def _won(record: EpisodeRecord) -> bool:
    return record.outcome is not None and record.outcome.reward >= 1
