"""Where episodes are played: in this process under asyncio, in several, or on Ray. The records are the same.

It knows nothing of protocols: ``driving`` decides what is played next.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

from memgym.rollout import Cast, Played

from .crew import Crew, Tally, Worker
from .jobs import Job, Play, play_job

RAY = "ray"
_WORKERS = re.compile(rf"(?:{RAY}(?::(?P<ray>\d+))?|(?P<processes>\d+))")


class Staff(Protocol):
    """Where workers come from: how many there are at once, how one is hired, and the end of all."""

    size: int

    async def hire(self) -> Worker: ...

    def close(self) -> None: ...


def workers_of(said: int | str) -> int | str:
    """Return what is said of workers in its one form: a number of processes, "ray" or "ray:N"; else a ValueError."""
    match = _WORKERS.fullmatch(str(said))
    numbers = [int(number) for number in match.groups() if number is not None] if match else [0]
    if 0 in numbers:
        raise ValueError(f'workers is {said!r}; a number of processes from 1, "{RAY}" or "{RAY}:N" was expected.')
    return str(said) if str(said).startswith(RAY) else numbers[0]


@asynccontextmanager
async def player(workers: int | str, concurrency: int, tally: Tally | None = None) -> AsyncIterator[Play]:
    """Give a function that plays jobs: ``concurrency`` at once here, or so many on each of several workers.

    ``tally`` counts the workers that were lost, and what was played again for it.
    """
    if workers == 1:
        yield _here(concurrency)
        return
    staff = _staff(workers)
    crew = Crew(staff.hire, staff.size, concurrency, tally)
    try:
        yield crew
    finally:
        await crew.close()
        staff.close()


def _staff(workers: int | str) -> Staff:
    if isinstance(workers, int):
        from .processes import Processes

        return Processes(workers)
    from .ray_workers import RayCluster

    number = workers.partition(":")[2]
    return RayCluster(int(number) if number else None)


def _here(concurrency: int) -> Play:
    cast, room = Cast(), asyncio.Semaphore(concurrency)

    async def play(job: Job) -> Played:
        async with room:
            return await play_job(job, cast)

    return play
