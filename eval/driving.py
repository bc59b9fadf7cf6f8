"""Driving the lanes of a protocol side by side: what is on record is not played again, the rest is, and is kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from memgym.records import Episode, EpisodeRecord
from memgym.rollout import Played

from .crew import Tally
from .jobs import Job, Play
from .leavings import Leavings
from .progress import Watch
from .protocols.protocol import Lane
from .runner import player

Done = Callable[[EpisodeRecord], None]


class Driver:
    """Plays lanes. ``records`` are those that are there already, ``leavings`` what episodes left (None: none do).

    A record is taken over if it is of the very episode that a lane asks for, did not fail, and comes after none that
    had to be played again. ``done`` is told of every record that was played.
    """

    def __init__(self, records: Mapping[str, EpisodeRecord], leavings: Leavings | None, done: Done) -> None:
        self._records, self._leavings, self._done = records, leavings, done
        self._fresh: set[str] = set()
        self._finished = 0
        self._watch: Watch = lambda total, finished: None
        self.plan: list[list[Episode]] = []
        self.tally = Tally()

    def watch(self, watch: Watch) -> None:
        """Have ``watch`` told, as the run goes on, how many episodes were asked for so far, and how many are done."""
        self._watch = watch

    @property
    def episodes(self) -> list[Episode]:
        """What the lanes have asked for so far, lane by lane: the order in which records are kept."""
        return [episode for lane in self.plan for episode in lane]

    def run(self, lanes: Sequence[Lane], *, workers: int | str, concurrency: int) -> None:
        """Play the lanes to their ends; KeyboardInterrupt and what goes wrong before an episode starts pass through."""
        self.plan = [[] for _ in lanes]
        asyncio.run(self._all(lanes, workers, concurrency))

    async def _all(self, lanes: Sequence[Lane], workers: int | str, concurrency: int) -> None:
        async with player(workers, concurrency, self.tally) as play:
            await asyncio.gather(*(self._lane(lane, plan, play) for lane, plan in zip(lanes, self.plan, strict=True)))

    async def _lane(self, lane: Lane, plan: list[Episode], play: Play) -> None:
        batch = next(lane, None)
        while batch is not None:
            plan.extend(batch)
            played = await asyncio.gather(*(self._counted(episode, play) for episode in batch))
            try:
                batch = lane.send(list(played))
            except StopIteration:
                return

    async def _counted(self, episode: Episode, play: Play) -> Played:
        played = await self._one(episode, play)
        self._finished += 1
        self._watch(sum(len(lane) for lane in self.plan), self._finished)
        return played

    async def _one(self, episode: Episode, play: Play) -> Played:
        record = self._records.get(episode.id)
        if record is not None and self._holds(record, episode):
            lived = None if self._leavings is None else self._leavings.experience(episode.id)
            return Played(record, {}, lived)
        self._fresh.add(episode.id)
        leavings = self._leavings
        memory = None if leavings is None else leavings.before(episode)
        played = await play(Job(episode, memory, leaves=leavings is not None))
        if self._leavings is not None:
            self._leavings.add(played)
        self._done(played.record)
        return played

    def _holds(self, record: EpisodeRecord, episode: Episode) -> bool:
        return record.error is None and episode.after not in self._fresh and _plain(record.episode) == _plain(episode)


def _plain(episode: Episode) -> Any:
    """Return an episode as JSON gives it back, where a tuple is a list."""
    return json.loads(json.dumps(asdict(episode)))
