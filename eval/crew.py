"""Dealing jobs out to workers that may die: what one held is played again by another, and a killer is found out.

It knows no kind of worker: ``processes`` and ``ray_workers`` say how one is hired and how it is told what to play.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Protocol

from memgym import registry
from memgym.memory.memory import Memory, digest_of
from memgym.records import EpisodeRecord
from memgym.rollout import Played

from .jobs import Job

_log = logging.getLogger(__name__)

LOSSES = 3
"""Workers that may be lost with one episode; with the last of them it was alone."""
HIRES = 3
"""Tries to replace a worker that dies before it can play."""


class WorkerLost(RuntimeError):
    """A worker is gone, and with it what it had not sent back; the message says how it ended."""


class Worker(Protocol):
    """Who plays jobs elsewhere, several at once."""

    async def play(self, job: Job) -> Played:
        """Play one job; a WorkerLost if the worker dies meanwhile, the job's own error if it raises one."""
        ...

    def stop(self) -> None:
        """Tell the worker to end, without waiting for it; it may be dead already."""
        ...


Hire = Callable[[], Awaitable[Worker]]


@dataclass(slots=True)
class Tally:
    """What was lost in a run: workers that died, and episodes that were played again for it."""

    workers: int = 0
    again: int = 0
    given_up: int = 0

    def __str__(self) -> str:
        """Say it in one line; empty if nothing was lost."""
        if not self.workers:
            return ""
        said = f"Workers lost: {self.workers}. Episodes played again for it: {self.again}"
        return f"{said}; given up after {LOSSES} workers: {self.given_up}." if self.given_up else f"{said}."


@dataclass(order=True, slots=True)
class _Asked:
    number: int
    job: Job = field(compare=False)
    future: asyncio.Future[Played] = field(compare=False)
    losses: int = field(default=0, compare=False)


@dataclass(eq=False, slots=True)
class _Desk:
    """One worker and what it plays. Those in ``suspects`` were lost twice; after it they are played one by one."""

    worker: Worker
    lost: asyncio.Event = field(default_factory=asyncio.Event)
    playing: set[asyncio.Task[None]] = field(default_factory=set)
    suspects: list[_Asked] = field(default_factory=list)


class Crew:
    """Plays jobs on up to ``size`` workers, at most ``concurrency`` at once on each. A worker is hired when needed.

    A job goes to the worker with the fewest, and one that is done makes room for the next at once. If a worker dies,
    what it had sent back is kept, and what it held is dealt out again before anything new. What was lost twice is then
    played alone; lost once more, it is the reason, and becomes a record with an error.
    """

    def __init__(self, hire: Hire, size: int, concurrency: int, tally: Tally | None = None) -> None:
        self._hire, self._size, self._concurrency = hire, size, concurrency
        self._tally = tally or Tally()
        self._waiting: list[_Asked] = []
        self._open: dict[int, _Asked] = {}
        self._asked = 0
        self._ready: list[_Desk] = []
        self._staff: set[asyncio.Task[None]] = set()
        self._error: BaseException | None = None

    async def __call__(self, job: Job) -> Played:
        """Play a job; what a worker's start fails of is raised for every job."""
        if self._error is not None:
            raise self._error
        asked = _Asked(self._asked, job, asyncio.get_running_loop().create_future())
        self._asked += 1
        self._open[asked.number] = asked
        heappush(self._waiting, asked)
        if len(self._staff) < min(self._size, len(self._open)):
            staff = asyncio.create_task(self._keep_filled())
            self._staff.add(staff)
            staff.add_done_callback(self._ended)
        asyncio.get_running_loop().call_soon(self._deal)  # later in this round, when all that is ready has come
        return await asked.future

    async def close(self) -> None:
        """Stop all workers."""
        for staff in self._staff:
            staff.cancel()
        await asyncio.gather(*self._staff, return_exceptions=True)

    def _deal(self) -> None:
        while self._waiting and self._ready:
            room = min(self._concurrency, -(-len(self._open) // max(1, len(self._staff))))
            desk = min(self._ready, key=lambda one: len(one.playing))
            if len(desk.playing) >= room:
                return
            self._give(desk, heappop(self._waiting))

    def _give(self, desk: _Desk, asked: _Asked, *, alone: bool = False) -> asyncio.Task[None]:
        task = asyncio.create_task(self._play(desk, asked, alone))
        desk.playing.add(task)
        task.add_done_callback(desk.playing.discard)
        task.add_done_callback(lambda _: self._deal())
        return task

    async def _play(self, desk: _Desk, asked: _Asked, alone: bool) -> None:
        try:
            played = await desk.worker.play(asked.job)
        except WorkerLost as lost:
            self._lose(desk, asked, lost, alone)
        except Exception as error:
            self._settle(asked, error)
        else:
            self._settle(asked, played)

    def _settle(self, asked: _Asked, result: Played | BaseException) -> None:
        self._open.pop(asked.number, None)
        if asked.future.done():
            return
        if isinstance(result, BaseException):
            asked.future.set_exception(result)
        else:
            asked.future.set_result(result)

    def _lose(self, desk: _Desk, asked: _Asked, lost: WorkerLost, alone: bool) -> None:
        if desk in self._ready:
            self._ready.remove(desk)
        desk.lost.set()
        asked.losses += 1
        _log.warning("A worker was lost while it played %r: %s", asked.job.episode.id, lost)
        if alone:
            self._tally.given_up += 1
            self._settle(asked, unplayed(asked.job, lost))
            return
        self._tally.again += 1
        if asked.losses < LOSSES - 1:
            heappush(self._waiting, asked)
        else:
            desk.suspects.append(asked)

    async def _keep_filled(self) -> None:
        """Keep one place of the crew filled: a worker that is lost is followed by another."""
        suspects: list[_Asked] = []
        while True:
            desk = _Desk(await self._hired())
            try:
                await self._work(desk, suspects)
            finally:
                desk.worker.stop()
            self._tally.workers += 1
            suspects.extend(desk.suspects)

    async def _work(self, desk: _Desk, suspects: list[_Asked]) -> None:
        """Have a worker play until it is lost: first what is under suspicion, each alone, then what comes."""
        try:
            while suspects and not desk.lost.is_set():
                await self._give(desk, suspects.pop(0), alone=True)
            if not desk.lost.is_set():
                self._ready.append(desk)
                self._deal()
            await desk.lost.wait()
            await asyncio.gather(*desk.playing)
        except asyncio.CancelledError:
            for task in desk.playing:
                task.cancel()
            raise

    async def _hired(self) -> Worker:
        for _ in range(HIRES - 1):
            try:
                return await self._hire()
            except WorkerLost as lost:
                self._tally.workers += 1
                _log.warning("A worker was lost before it could play: %s", lost)
        return await self._hire()

    def _ended(self, staff: asyncio.Task[None]) -> None:
        """A place that cannot be filled fails all that waits: an environment that cannot start will not by waiting."""
        if staff.cancelled() or (error := staff.exception()) is None:
            return
        self._error = error
        for asked in list(self._open.values()):
            self._settle(asked, error)


def unplayed(job: Job, lost: WorkerLost) -> Played:
    """Return the failed record of an episode that nobody survived, and the memory that it began with."""
    episode = job.episode
    start = job.memory if episode.after is not None else episode.memory
    memory = Memory().to_json() if start is None else dict(start)
    error = f"WorkerLost: {LOSSES} workers ended while they played it, with the last of them it was alone; {lost}"
    record = EpisodeRecord(
        episode, episode.sample or "", "", "", 0, (), None, terminated=False, truncated=False,
        memory=digest_of(memory), setting={}, privileged=registry.load("agent", episode.agent).privileged, error=error,
    )  # fmt: skip
    return Played(record, memory, None)
