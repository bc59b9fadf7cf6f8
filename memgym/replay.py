"""Playing a record again, action by action, to prove that it happened as it says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memgym.records import EpisodeRecord, read_records
from memgym.rollout import Cast, begin, finish, take


@dataclass(frozen=True, slots=True)
class Replayed:
    """One episode played again: whether its record came out byte for byte the same, and the first difference."""

    id: str
    equal: bool
    difference: str = ""


def replay(path: str | Path) -> Iterator[Replayed]:
    """Play every record of a file again and compare. A failed episode is compared up to its error."""
    cast = Cast()
    for record in read_records(path):
        again = play_again(record, cast)
        equal = again.line() == record.line()
        yield Replayed(record.episode.id, equal, "" if equal else difference(record, again))


def play_again(record: EpisodeRecord, cast: Cast | None = None) -> EpisodeRecord:
    """Return the record that the recorded actions make now; no agent and no model is asked.

    What only the agent knows is carried over: model usage, privilege, error. The rest is made anew.
    """
    cast = cast or Cast()
    env = cast.env(record.episode)
    first = begin(env, record.episode)
    steps = [take(env, step.action, step.usage) for step in record.steps]
    again = finish(env, record.episode, first, steps, privileged=record.privileged, error=record.error)
    cast.take_back(record.episode, env)
    return again


def difference(record: EpisodeRecord, again: EpisodeRecord) -> str:
    """Name the first field, or the first step and its field, in which two records differ."""
    for number, (old, new) in enumerate(zip(record.steps, again.steps, strict=True), 1):
        for name in ("results", "shown", "observation", "reward", "size", "tokens"):
            if getattr(old, name) != getattr(new, name):
                return f"step {number}, {name}: recorded {getattr(old, name)!r}, now {getattr(new, name)!r}"
    for name, value in record.to_json().items():
        if name != "steps" and again.to_json()[name] != value:
            return f"{name}: recorded {value!r}, now {again.to_json()[name]!r}"
    return "the lines differ in form only"
