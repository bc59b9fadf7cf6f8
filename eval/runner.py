"""Playing episodes: in this process under asyncio, or in several processes. The records are the same.

It knows nothing of protocols: ``driving`` decides what is played next.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from memgym.records import Episode
from memgym.rollout import Cast, Played, play_through, rollout


@dataclass(frozen=True, slots=True)
class Job:
    """One episode to play, and the memory that the episode ``after`` which it comes has left.

    ``leaves`` tells whether anybody asks for what it leaves; if not, only its record comes back.
    """

    episode: Episode
    memory: Mapping[str, Any] | None = None
    leaves: bool = True


Play = Callable[[Job], Awaitable[Played]]

_cast: Cast | None = None


@asynccontextmanager
async def player(workers: int, concurrency: int) -> AsyncIterator[Play]:
    """Give a function that plays jobs: ``concurrency`` at once here, or so many in each of several processes."""
    if workers == 1:
        yield _here(concurrency)
        return
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=start_worker)
    try:
        yield Dealer(pool, workers, concurrency)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _here(concurrency: int) -> Play:
    cast, room = Cast(), asyncio.Semaphore(concurrency)

    async def play(job: Job) -> Played:
        async with room:
            return await _play(job, cast)

    return play


async def _play(job: Job, cast: Cast) -> Played:
    if job.leaves:
        return await play_through(job.episode, cast, job.memory)
    return Played(await rollout(job.episode, cast), {}, None)


class Dealer:
    """Deals jobs out to the workers of an executor, in hands of at most ``concurrency``, which are played at once.

    A worker gets its next hand when it is done with one; hands are small enough that every worker gets some.
    """

    def __init__(self, pool: Executor, workers: int, concurrency: int) -> None:
        self._pool = pool
        self._workers, self._concurrency = workers, concurrency
        self._waiting: list[tuple[Job, asyncio.Future[Played]]] = []
        self._idle = workers
        self._dealing: set[asyncio.Task[None]] = set()

    async def __call__(self, job: Job) -> Played:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Played] = loop.create_future()
        self._waiting.append((job, future))
        loop.call_soon(self._deal)  # later in this round of the loop, when all that is ready has come
        return await future

    def _deal(self) -> None:
        while self._idle and self._waiting:
            size = max(1, min(self._concurrency, len(self._waiting) // (self._workers * 4)))
            hand, self._waiting = self._waiting[:size], self._waiting[size:]
            self._idle -= 1
            task = asyncio.create_task(self._play(hand))
            self._dealing.add(task)
            task.add_done_callback(self._dealing.discard)

    async def _play(self, hand: Sequence[tuple[Job, asyncio.Future[Played]]]) -> None:
        jobs = [job for job, _ in hand]
        try:
            played = await asyncio.wrap_future(self._pool.submit(play_hand, jobs))
        except Exception as error:
            _fail(hand, error)
            return
        for (_, future), one in zip(hand, played, strict=True):
            if not future.done():
                future.set_result(one)
        self._idle += 1
        self._deal()


def _fail(hand: Sequence[tuple[Job, asyncio.Future[Played]]], error: Exception) -> None:
    for _, future in hand:
        if not future.done():
            future.set_exception(error)


def start_worker() -> None:
    """Leave Ctrl-C to the parent, which stops the workers; keep environments and models between hands."""
    global _cast  # noqa: PLW0603
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _cast = Cast()


def play_hand(jobs: Sequence[Job]) -> list[Played]:
    """Play jobs at once, in a worker."""
    cast = _cast or Cast()

    async def collect() -> list[Played]:
        return await asyncio.gather(*(_play(job, cast) for job in jobs))

    return asyncio.run(collect())
