"""Every part of some episodes left out in turn, here or in several processes; what was done is kept at a Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from functools import cache
from multiprocessing import get_context
from typing import Any

from memgym import registry
from memgym.records import EpisodeRecord
from memgym.rollout import Cast

from ..interrupts import on_interrupt
from ..metrics.rows import row_of
from ..progress import Watch
from .parts import Part, most_shown, parts_of
from .playing import MODES, Case, Course, Credit, Start, compared, course

OFFLINE = (None, "rules", "none")
"""Models that cost nothing and always say the same."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for. ``mode`` None: react where the agent can be played again at no cost, else replay.

    ``limit`` bounds the parts of an episode, ``model`` stands in for the recorded one.
    """

    by: str = "entry"
    mode: str | None = None
    model: str | None = None
    model_options: Mapping[str, Any] = field(default_factory=dict)
    limit: int | None = None
    workers: int = 1
    concurrency: int = 8

    def __post_init__(self) -> None:
        if self.mode is not None and self.mode not in MODES:
            raise registry.unknown("mode", self.mode, MODES)


@dataclass(slots=True)
class Credited:
    """One episode: how it was played again, its reward, how many parts it has, and the credit of those played.

    ``note`` says what a reader must know; where ``failed`` it says why there is no credit at all.
    """

    episode: str
    row: str
    mode: str
    reward: float
    parts: int = 0
    note: str = ""
    failed: bool = False
    credits: list[Credit] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        names = ("episode", "row", "mode", "reward", "parts", "note", "failed")
        return {
            **{name: getattr(self, name) for name in names}, "credits": [one.to_json() for one in self.credits]
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Job:
    """Some parts of one episode; ``number`` is the episode's, ``first`` the place of the first of the parts."""

    number: int
    first: int
    case: Case
    whole: Course
    parts: tuple[Part, ...]


def credit(
    records: Sequence[EpisodeRecord],
    starts: Callable[[EpisodeRecord], Start],
    wanted: Wanted,
    watch: Watch = lambda total, done: None,
) -> tuple[list[Credited], bool]:
    """Return the credit of every record in turn, and whether all was done: False after a Ctrl-C.

    ``starts`` gives the memory with which an episode began. A mode that an episode cannot be played in is a ValueError
    before anything is played.
    """
    chosen = [_mode(record, wanted) for record in records]
    found: list[Credited] = []
    jobs: list[_Job] = []
    done: dict[tuple[int, int], list[Credit]] = {}
    complete = True
    try:
        for record, (mode, note) in zip(records, chosen, strict=True):
            case = Case(record, None, wanted.by, mode, wanted.model, wanted.model_options)
            jobs += _prepared(case, note, starts, wanted, found)
        total, finished = sum(len(job.parts) for job in jobs), 0
        watch(total, finished)
        for job, credits in _played(jobs, wanted.workers):
            done[job.number, job.first] = credits
            finished += len(credits)
            watch(total, finished)
    except KeyboardInterrupt:
        complete = False
    for number, first in sorted(done):
        found[number].credits += done[number, first]
    return found, complete


def _mode(record: EpisodeRecord, wanted: Wanted) -> tuple[str, str]:
    """Return how an episode is played again, and what a reader must know of it."""
    episode = record.episode
    known = episode.agent in registry.names("agent")
    model = wanted.model or episode.model
    if wanted.mode == "replay":
        return "replay", ""
    if not known:
        if wanted.mode is None:
            return "replay", f"the agent {episode.agent!r} has no registered name, so it cannot play again"
        raise ValueError(f"{episode.id}: {registry.unknown('agent', episode.agent, registry.names('agent'))}")
    if model in OFFLINE or wanted.model is not None:
        return "react", ""
    if wanted.mode is None:
        return "replay", f"to play again would cost calls of {model}: --mode react --model {model} does"
    calls = record.usage.calls
    raise ValueError(
        f"{episode.id} was played with {model} in {calls} calls; to let it react costs about as many for every part. "
        f"Say so by --model {model}, or take --mode replay."
    )


def _prepared(
    case: Case, note: str, starts: Callable[[EpisodeRecord], Start], wanted: Wanted, found: list[Credited]
) -> list[_Job]:
    """Play an episode with all its parts, note it in ``found``, and return what is to be played without them."""
    record = case.record
    reward = 0.0 if record.outcome is None else record.outcome.reward
    mine = Credited(record.episode.id, row_of(record), case.mode, reward, note=note)
    found.append(mine)
    if record.outcome is None:
        mine.failed, mine.note = True, f"it failed when it was recorded: {record.error}"
        return []
    start = starts(record) if record.episode.after is not None else record.episode.memory
    case = replace(case, start=start)
    try:
        whole = asyncio.run(course(case, None, _cast()))
    except Exception as failure:
        whole = Course(record, error=f"{type(failure).__name__}: {failure}")
    if told := whole.error or _differs(record, whole.record, case):
        mine.failed, mine.note = True, told
        return []
    if case.model is not None and case.mode == "react":
        mine.note = f"played anew with {case.model}: its reward was {reward:.3f} when it was recorded"
        case = replace(case, record=whole.record)
    mine.reward = 0.0 if whole.record.outcome is None else whole.record.outcome.reward
    parts = parts_of(case.record, _dialect(case), start, case.by)
    mine.parts = len(parts)
    left = most_shown(parts, wanted.limit)
    size = wanted.concurrency
    return [
        _Job(len(found) - 1, first, case, whole, tuple(left[first : first + size]))
        for first in range(0, len(left), size)
    ]


def _differs(record: EpisodeRecord, now: EpisodeRecord, case: Case) -> str:
    """Return at which step an episode is not what it was, "" if it is; with a model given it need not be."""
    if case.mode == "react" and case.model is not None:
        return ""
    hint = "; --mode replay needs no agent" if case.mode == "react" else ": the data or the version is another"
    for number, (old, new) in enumerate(zip(record.steps, now.steps, strict=False), 1):
        if (old.action, old.results, old.observation) != (new.action, new.results, new.observation):
            return f"It does not play as it was recorded: step {number} is another{hint}."
    same = len(record.steps) == len(now.steps) and _end(record) == _end(now) and record.start == now.start
    return "" if same else f"It does not play as it was recorded: it begins or ends otherwise{hint}."


def _end(record: EpisodeRecord) -> Any:
    """Return what every version of a record says of the end of an episode."""
    return None if record.outcome is None else (record.outcome.reward, record.outcome.predictions)


def _dialect(case: Case) -> Any:
    env = _cast().env(case.record.episode)
    _cast().take_back(case.record.episode, env)
    return env.dialect


def _played(jobs: Sequence[_Job], workers: int) -> Iterator[tuple[_Job, list[Credit]]]:
    """Yield jobs as they are done: one after the other here, or in several processes."""
    if workers == 1:
        for job in jobs:
            yield job, play_job(job)
        return
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    try:
        with on_interrupt(signal.SIG_IGN):  # processes that start now leave Ctrl-C to us
            running = {pool.submit(play_job, job): job for job in jobs}
        for one in as_completed(running):
            yield running[one], _result(one, running[one])
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _result(one: Future[list[Credit]], job: _Job) -> list[Credit]:
    try:
        return one.result()
    except BrokenExecutor as lost:
        gone = Course(job.case.record, error=f"a process was lost: {lost}")
        return [compared(part, job.whole, gone) for part in job.parts]


def play_job(job: _Job) -> list[Credit]:
    """Play an episode once without each of some parts."""

    async def collect() -> list[Credit]:
        return await asyncio.gather(*(_one(job, part) for part in job.parts))

    return asyncio.run(collect())


async def _one(job: _Job, part: Part) -> Credit:
    try:
        less = await course(job.case, part, _cast())
    except Exception as failure:
        # What goes wrong without a part is a row of the table, and the others are played.
        less = Course(job.case.record, error=f"{type(failure).__name__}: {failure}")
    return compared(part, job.whole, less)


@cache
def _cast() -> Cast:
    """The environments and models of this process."""
    return Cast()
