"""Playing a plan of episodes: in this process under asyncio, or in several processes. The records are the same."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from itertools import islice
from multiprocessing import get_context

from memgym.records import Episode, EpisodeRecord
from memgym.rollout import Cast, run

Done = Callable[[EpisodeRecord], None]

_cast: Cast | None = None


def play_plan(plan: Sequence[Episode], done: Done, *, workers: int, concurrency: int) -> None:
    """Play every episode and hand each record to ``done`` as soon as it is there; KeyboardInterrupt passes through."""
    if workers == 1 or len(plan) < 2:
        asyncio.run(_play_here(plan, done, concurrency))
    else:
        _play_in_processes(plan, done, workers, concurrency)


async def _play_here(plan: Iterable[Episode], done: Done, concurrency: int) -> None:
    async for record in run(plan, concurrency=concurrency):
        done(record)


def _play_in_processes(plan: Sequence[Episode], done: Done, workers: int, concurrency: int) -> None:
    """Deal the plan out in batches of ``concurrency`` episodes, small enough that every worker gets some."""
    size = max(1, min(concurrency, len(plan) // (workers * 4)))
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_start_worker)
    try:
        waiting = [pool.submit(_play_batch, batch, concurrency) for batch in _batches(plan, size)]
        for future in as_completed(waiting):
            _hand_over(future, done)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _hand_over(future: Future[list[str]], done: Done) -> None:
    for line in future.result():
        done(EpisodeRecord.from_json(json.loads(line)))


def _batches(plan: Iterable[Episode], size: int) -> Iterator[list[Episode]]:
    rest = iter(plan)
    while batch := list(islice(rest, size)):
        yield batch


def _start_worker() -> None:
    """Leave Ctrl-C to the parent, which stops the workers; keep environments and models between batches."""
    global _cast  # noqa: PLW0603
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _cast = Cast()


def _play_batch(batch: list[Episode], concurrency: int) -> list[str]:
    async def collect() -> list[str]:
        return [record.line() async for record in run(batch, concurrency=concurrency, cast=_cast)]

    return asyncio.run(collect())
