"""Playing a record again, action by action, to prove that it happened as it says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memgym.lived import Diary
from memgym.records import EpisodeRecord, read_records
from memgym.rollout import Cast, Played, begin, finish, take
from memgym.task import Experience


@dataclass(frozen=True, slots=True)
class Replayed:
    """One episode played again: whether its record came out byte for byte the same, and the first difference."""

    id: str
    equal: bool
    difference: str = ""


def replay(path: str | Path) -> Iterator[Replayed]:
    """Play every record of a file again and compare. A failed episode is compared up to its error."""
    for record, again in replays(path):
        equal = again.record.line() == record.line()
        yield Replayed(record.episode.id, equal, "" if equal else difference(record, again.record))


def replays(path: str | Path) -> Iterator[tuple[EpisodeRecord, Played]]:
    """Yield every record of a file with what comes of it now; memories go from one episode to those after it.

    An episode whose memory is from one that the file lacks, or has only further down, is a ValueError.
    """
    cast = Cast()
    wanted = {record.episode.after for record in read_records(path)}
    left: dict[str, Mapping[str, Any]] = {}
    for record in read_records(path):
        again = played_again(record, cast, left.get(record.episode.after or ""))
        if record.episode.id in wanted:
            left[record.episode.id] = again.memory
        yield record, again


def experiences_of(record: EpisodeRecord, cast: Cast | None = None) -> tuple[Experience, ...]:
    """Return what was lived in a recorded episode: one experience, or none if no command was given or it failed.

    The episode is played again; a replay that differs from the record is a ValueError. One that comes ``after`` others
    needs their memory: ``replays`` reads the whole file.
    """
    return () if record.error is not None else lived_in(record, played_again(record, cast))


def lived_in(record: EpisodeRecord, again: Played) -> tuple[Experience, ...]:
    """Return the experience of an episode that was played again, if there is one and it is the recorded one."""
    if record.error is not None or again.experience is None:
        return ()
    for number, (old, new) in enumerate(zip(record.steps, again.record.steps, strict=True), 1):
        if old.observation != new.observation:
            raise ValueError(
                f"The episode {record.episode.id!r} does not play as it was recorded: step {number} shows another text."
            )
    return (again.experience,)


def play_again(record: EpisodeRecord, cast: Cast | None = None) -> EpisodeRecord:
    """Return the record that the recorded actions make now; no agent and no model is asked.

    What only the agent knows is carried over: model usage, privilege, error. The rest is made anew.
    """
    return played_again(record, cast).record


def played_again(record: EpisodeRecord, cast: Cast | None = None, memory: Mapping[str, Any] | None = None) -> Played:
    """Return what the recorded actions come to now, as ``play_again``, with what the episode leaves behind.

    ``memory`` is what the episode ``after`` which this one comes has left.
    """
    cast = cast or Cast()
    env = cast.env(record.episode)
    first = begin(env, record.episode, memory)
    diary, steps = Diary(env), []
    for step in record.steps:
        diary.note(step.action)
        steps.append(take(env, step.action, step.usage))
    again = finish(env, record.episode, first, steps, privileged=record.privileged, error=record.error)
    played = Played(again, env.memory.to_json(), diary.close(again.outcome))
    cast.take_back(record.episode, env)
    return played


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
