"""What a worker is given and what it does with it; separate, so that each kind of worker imports this alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
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


async def play_job(job: Job, cast: Cast) -> Played:
    """Play an episode here.

    A model whose endpoint has never answered is a ModelError before the episode starts: a run whose every episode would
    fail is stopped by the first. What goes wrong later becomes a record.
    """
    reach = getattr(cast.model(job.episode), "reach", None)
    if reach is not None:
        await reach()
    if job.leaves:
        return await play_through(job.episode, cast, job.memory)
    return Played(await rollout(job.episode, cast), {}, None)
