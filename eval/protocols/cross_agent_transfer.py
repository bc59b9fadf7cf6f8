"""CrossAgentTransfer: one agent forms a memory, another one uses it; every pair, as a matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from memgym.records import EpisodeRecord
from memgym.registry import unknown

from ..metrics.intervals import estimate
from .offline_declarative import asking, reading
from .offline_procedural import acting, formed, gathered, training
from .plan import Plan, Player
from .protocol import (
    DECLARATIVE,
    PROCEDURAL,
    Lane,
    Measure,
    Protocol,
    by_row,
    declarative,
    differences,
    forming_cost,
    rewards,
    tagged,
)  # fmt: skip


class CrossAgentTransfer(Protocol):
    """Every agent forms a memory; every agent, the same one too, is tested with a frozen copy of it.

    writers: the rows whose memory is used; none named: all. train, train_options: as for offline-procedural, where the
    benchmark is a world to act in. A row of the table is "writer > reader". A reader plays in its own environment, with
    the stores of the writer added, so that it can be given a memory of another make.
    """

    name: ClassVar[str] = "cross-agent-transfer"
    requires: ClassVar[tuple[frozenset[str], ...]] = (DECLARATIVE, PROCEDURAL)
    crosses: ClassVar[bool] = True

    writers: tuple[str, ...] = ()
    train: int | None = Field(default=None, ge=1)
    train_options: dict[str, Any] = Field(default_factory=dict)

    def lanes(self, plan: Plan) -> list[Lane]:
        writers = self._writers(plan)
        if declarative(plan):
            return [self._read(plan, writer, number) for number in range(plan.count) for writer in writers]
        samples = training(plan, self.train, self.train_options)
        return [self._lived(plan, writer, samples) for writer in writers]

    def check(self, plan: Plan) -> None:
        super().check(plan)
        self._writers(plan)

    def _writers(self, plan: Plan) -> list[Player]:
        known = {player.name: player for player in plan.players}
        for name in self.writers:
            if name not in known:
                raise unknown("row of this run to write a memory:", name, known)
        return [known[name] for name in self.writers or known]

    def _read(self, plan: Plan, writer: Player, number: int) -> Lane:
        form = reading(plan, writer, number)
        yield [form]
        yield [asking(plan, reader, number, **_pair(writer, reader, form.id)) for reader in plan.players]

    def _lived(self, plan: Plan, writer: Player, samples: Sequence[str]) -> Lane:
        lived = yield from gathered(plan, writer, samples, self.train_options)
        after = yield from formed(plan, writer, lived)
        yield [
            acting(plan, reader, number, **_pair(writer, reader, after))
            for reader in plan.players
            for number in range(plan.count)
        ]

    def measures(self, records: Sequence[EpisodeRecord]) -> list[Measure]:
        """Return the matrix, cell by cell, and what each reader gains over using the memory that it forms itself."""
        tests = tagged(records, phase="test")
        found = [Measure(row, "reward", estimate(rewards(group))) for row, group in by_row(tests).items()]
        for row, group in by_row(tests).items():
            tags = group[0].episode.tags
            own = tagged(tests, writer=tags["reader"], reader=tags["reader"])
            if own and tags["writer"] != tags["reader"]:
                found += differences(row, "gain over its own memory", own, group)
        return [*found, *forming_cost(records)]


def _pair(writer: Player, reader: Player, after: str | None) -> dict[str, Any]:
    """Return what an episode of a reader with a writer's memory has beyond the sample."""
    return {
        "name": f"of/{writer.name}/test",
        "after": after,
        "row": f"{writer.name} > {reader.name}",
        "writer": writer.name,
        "reader": reader.name,
        "options": _with_stores(reader.env_options, writer.env_options),
    }


def _with_stores(own: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    stores = [_stores(own), _stores(other)]
    if set(stores[1]) <= set(stores[0]):
        return dict(own)
    return {**own, "stores": list(dict.fromkeys((*stores[0], *stores[1])))}


def _stores(options: Mapping[str, Any]) -> tuple[str, ...]:
    stores = options.get("stores", ("main",))
    return (stores,) if isinstance(stores, str) else tuple(stores)
