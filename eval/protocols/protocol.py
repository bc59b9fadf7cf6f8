"""The noun: a Protocol schedules episodes in lanes, and says what its records measure.

A lane is one chain of episodes that depend on each other; lanes share nothing, so any number of them run side by side.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from pydantic import BaseModel, ConfigDict

from memgym import registry
from memgym.contracts import check_fields
from memgym.records import Episode, EpisodeRecord
from memgym.rollout import Played

from ..metrics.intervals import Estimate, estimate
from .plan import Plan, Player

Lane = Generator[list[Episode], list[Played], None]
"""Yields episodes that may run at once, and is sent what they came to, in the same order; then yields the next ones."""

DECLARATIVE = frozenset({"raw_text", "question", "reference"})
"""What there is to read, what is asked about it, and what is right."""
PROCEDURAL = frozenset({"world", "task_spec", "steps", "success"})
"""Where it is to be done, what, what was done, and whether it went well."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One number of a protocol: whose (a row), of what, and its mean with a 95 % interval over n values.

    ``rewarded`` tells whether it is made of rewards, which say nothing where no language model answered.
    """

    row: str
    name: str
    value: Estimate
    rewarded: bool = True


class Protocol(BaseModel, ABC):
    """Decides which episodes are played, with which memory, in which order. Its fields are its knobs.

    ``requires`` are the fields that a sample must have: one of the sets, where there are several. ``keeps`` says
    whether episodes leave a memory for others, ``crosses`` whether agents use each other's: then every row is a pair.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: ClassVar[str]
    requires: ClassVar[tuple[frozenset[str], ...]]
    keeps: ClassVar[bool] = True
    crosses: ClassVar[bool] = False

    @abstractmethod
    def lanes(self, plan: Plan) -> list[Lane]:
        """Return the lanes of a plan, in the order in which their records are kept. Nothing is played by this."""

    def measures(self, records: Sequence[EpisodeRecord]) -> list[Measure]:
        """Return what this protocol is for, from records alone: by default what forming memory cost."""
        return forming_cost(records)

    def check(self, plan: Plan) -> None:
        """Raise where this plan cannot be scheduled: fields that its benchmark lacks are a FieldsError."""
        check_fields(f"The protocol {self.name!r}", self.requires, plan.benchmark.name, plan.benchmark.provides)

    def plan(self, env: str, count: int, seed: int, player: Mapping[str, Any]) -> Plan:
        """Return the plan of one player, given by the fields of ``Player``: for a wing that knows protocols by name."""
        who = Player(**player)
        return Plan(env, (who,), count, seed, who.env_options)

    def to_json(self) -> dict[str, Any]:
        """Return the protocol as plain data; ``make_protocol`` is the inverse."""
        return {"name": self.name, **self.model_dump(mode="json")}


def make_protocol(data: str | Mapping[str, Any]) -> Protocol:
    """Build a protocol from its name, or from its name and knobs; what does not exist is an UnknownName error."""
    knobs = {"name": data} if isinstance(data, str) else dict(data)
    name = knobs.pop("name", None)
    if not isinstance(name, str):
        raise ValueError(f"A protocol is a name, or a mapping with one; this is {data!r}.")
    made = registry.load("protocol", name)
    for knob in knobs:
        if knob not in made.model_fields:
            told = registry.unknown(f"knob of the protocol {name!r} named", knob, made.model_fields)
            raise registry.UnknownOptionError(str(told))
    return cast("Protocol", made(**knobs))


def declarative(plan: Plan) -> bool:
    """Return whether a plan's benchmark is read and asked about; else it is a world to act in."""
    return plan.benchmark.provides >= DECLARATIVE


def rewards(records: Iterable[EpisodeRecord]) -> list[float]:
    """Return the rewards of episodes; one that could not be played counts 0."""
    return [0.0 if record.outcome is None else record.outcome.reward for record in records]


def by_row(records: Iterable[EpisodeRecord]) -> dict[str, list[EpisodeRecord]]:
    """Return records by the row that they count for, in the order in which rows first appear."""
    found: dict[str, list[EpisodeRecord]] = {}
    for record in records:
        found.setdefault(record.episode.tags["row"], []).append(record)
    return found


def tagged(records: Iterable[EpisodeRecord], **tags: str) -> list[EpisodeRecord]:
    """Return the records whose episode has all these tags."""
    return [one for one in records if all(one.episode.tags.get(name) == value for name, value in tags.items())]


def differences(row: str, name: str, before: Sequence[EpisodeRecord], after: Sequence[EpisodeRecord]) -> list[Measure]:
    """Return what ``after`` earned more than ``before``, episode by episode of the same number.

    Where questions have evidence, so is what memory showed of it: that needs no model.
    """
    found = [Measure(row, name, _paired(before, rewards(before), after, rewards(after)))]
    shown = [[_evidence(one) for one in records] for records in (before, after)]
    if any(value is not None for values in shown for value in values):
        paired = _paired(before, shown[0], after, shown[1])
        found.append(Measure(row, f"{name}, evidence shown", paired, rewarded=False))
    return found


def _paired(
    before: Sequence[EpisodeRecord],
    old: Sequence[float | None],
    after: Sequence[EpisodeRecord],
    new: Sequence[float | None],
) -> Estimate:
    first = dict(zip((one.episode.tags["number"] for one in before), old, strict=True))
    second = dict(zip((one.episode.tags["number"] for one in after), new, strict=True))
    pairs = [(first[number], second.get(number)) for number in first]
    return estimate([late - early for early, late in pairs if early is not None and late is not None])


def _evidence(record: EpisodeRecord) -> float | None:
    return None if record.outcome is None else record.outcome.metrics.get("evidence_shown")


def forming_cost(records: Sequence[EpisodeRecord]) -> list[Measure]:
    """Return what episodes that formed memory cost each row: failures, model calls and tokens, where there are any."""
    found = []
    for row, group in by_row(tagged(records, phase="form")).items():
        usages = [record.usage for record in group]
        costs = {
            "forming: failed": [float(record.error is not None) for record in group],
            "forming: calls": [float(usage.calls) for usage in usages],
            "forming: model tokens": [float(usage.prompt_tokens + usage.completion_tokens) for usage in usages],
        }
        found += [Measure(row, name, estimate(values), rewarded=False) for name, values in costs.items() if any(values)]
    return found
