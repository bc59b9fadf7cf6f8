"""The only loop that plays an episode: one Agent in one MemoryEnv, or many at once under asyncio.

Evaluation, replay and training all call ``rollout``; what differs between them is only who the agent is.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import memgym
from memgym import registry
from memgym.agent import Agent, Briefing
from memgym.env import MemoryEnv
from memgym.lived import Diary
from memgym.model import ChatModel, Meter, Usage
from memgym.operations import Action
from memgym.records import NO_USAGE, Episode, EpisodeRecord, StepRecord, digest
from memgym.task import Experience
from memgym.tokens import make_tokenizer

_AGENT = 1
"""The agent's stream of an episode's seed; the environment takes the seed itself."""
_FREE = 64
"""Environments that a Cast keeps for later; the one that was not used for longest is let go."""


@dataclass(frozen=True, slots=True)
class Played:
    """An episode's record and what it leaves behind for others: its memory, and what was lived (None: nothing was).

    ``memory`` is what ``Memory.to_json`` gives; of a frozen episode it is the memory that it began with.
    """

    record: EpisodeRecord
    memory: Mapping[str, Any]
    experience: Experience | None


class Cast:
    """Builds what episodes name, once: environments by id and options, models by name and options.

    An environment plays one episode at a time, so a free one is lent and taken back; models are shared.
    """

    def __init__(self, models: Mapping[str, ChatModel] | None = None) -> None:
        self._models: dict[str, ChatModel] = dict(models or {})
        self._free: list[tuple[str, MemoryEnv]] = []

    def env(self, episode: Episode) -> MemoryEnv:
        key = _key(episode)
        for at in reversed(range(len(self._free))):
            if self._free[at][0] == key:
                return self._free.pop(at)[1]
        return make_env(episode.env, **episode.options)

    def take_back(self, episode: Episode, env: MemoryEnv) -> None:
        self._free = [*self._free[1 - _FREE :], (_key(episode), env)]

    def model(self, episode: Episode) -> ChatModel | None:
        if episode.model is None:
            return None
        if episode.model not in self._models:
            self._models[episode.model] = registry.make_model(episode.model, **episode.model_options)
        return self._models[episode.model]


def make_env(id: str, **options: Any) -> MemoryEnv:
    """Build the MemoryEnv of an id without Gymnasium's wrappers."""
    return MemoryEnv(**{**registry.environment(id), **options})


async def rollout(episode: Episode, cast: Cast | None = None, model: ChatModel | None = None) -> EpisodeRecord:
    """Play one episode to its end and return its record. ``model`` answers in place of the one that it names.

    What goes wrong while it is played (a model that cannot be reached, an agent's own error) becomes a record with
    ``error``; names, options and samples that do not exist raise before it starts.
    """
    cast = cast or Cast()
    env = cast.env(episode)
    record = await play_begun(env, episode, model or cast.model(episode), begin(env, episode))
    cast.take_back(episode, env)
    return record


async def play_through(episode: Episode, cast: Cast, memory: Mapping[str, Any] | None = None) -> Played:
    """Play one episode as ``rollout`` does; return with its record what it leaves behind.

    ``memory`` is what the episode ``after`` which this one comes has left.
    """
    env = cast.env(episode)
    first = begin(env, episode, memory)
    diary = Diary(env)
    record = await play_begun(env, episode, cast.model(episode), first, diary)
    played = Played(record, env.memory.to_json(), diary.close(record.outcome))
    cast.take_back(episode, env)
    return played


async def play_begun(
    env: MemoryEnv, episode: Episode, model: ChatModel | None, first: tuple[str, int], diary: Diary | None = None
) -> EpisodeRecord:
    """Play an episode that ``begin`` began in ``env``, as ``rollout`` does."""
    meter = None if model is None else Meter(model)
    agent = registry.make_agent(episode.agent, model=meter, **episode.agent_options)
    steps: list[StepRecord] = []
    error = None
    try:
        await agent.reset(_briefing(env, agent, episode))
        while not env.pomdp.over:
            steps.append(await _step(env, agent, meter, diary))
    except Exception as failure:
        # A failed episode is data: it is counted, and the run goes on.
        error = f"{type(failure).__name__}: {failure}"
    return finish(env, episode, first, steps, privileged=agent.privileged, error=error)


def begin(env: MemoryEnv, episode: Episode, memory: Mapping[str, Any] | None = None) -> tuple[str, int]:
    """Start an episode; return the digest and the tokens of its first observation.

    An episode that comes ``after`` another starts with the ``memory`` that this one left; without it that is a
    ValueError.
    """
    if episode.after is not None and memory is None:
        raise ValueError(
            f"The episode {episode.id!r} starts with the memory that {episode.after!r} left, which is not given."
        )
    start = memory if episode.after is not None else episode.memory
    options = {"memory": "fresh" if start is None else start, "frozen": episode.frozen, "part": episode.part}
    texts, _ = env.reset(seed=episode.seed, options={**options, "sample": episode.sample})
    return start_of(texts)


def _briefing(env: MemoryEnv, agent: Agent, episode: Episode) -> Briefing:
    rng = np.random.default_rng(np.random.SeedSequence([episode.seed, _AGENT, episode.member]))
    sample = env.pomdp.sample if agent.privileged else None
    return Briefing(
        rng, env.dialect, env.options.allowed, env.options.k or 6, sample, frozenset(env.benchmark.provides)
    )  # fmt: skip


async def _step(env: MemoryEnv, agent: Agent, meter: Meter | None, diary: Diary | None) -> StepRecord:
    action = await agent.act(env.pomdp.seen)
    text = written(env, action)
    if diary is not None:
        diary.note(text)
    return take(env, text, Usage() if meter is None else meter.take())


def written(env: MemoryEnv, action: str | Action) -> str:
    """Return the text of an action as a record will give it back: there, the halves of a surrogate pair are one."""
    text = env.dialect.format(action) if isinstance(action, Action) else action
    if not isinstance(text, str) or text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def take(env: MemoryEnv, text: str, usage: Usage = NO_USAGE) -> StepRecord:
    """Take one step with an action's text and return its record."""
    texts, reward, *_ = env.step(text)
    return recorded_step(env, text, texts, reward, usage)


def recorded_step(
    env: MemoryEnv, text: str, texts: Mapping[str, str], reward: float, usage: Usage = NO_USAGE
) -> StepRecord:
    """Return the record of a step that was just taken with ``text``."""
    seen = env.pomdp.seen
    shown = tuple(hit.entry.id for hit in seen.memories)
    tokens = (_tokens(texts), make_tokenizer("cl100k").count(text))
    return StepRecord(text, seen.results, shown, digest(texts), reward, len(env.memory), tokens, usage)


def start_of(texts: Mapping[str, str]) -> tuple[str, int]:
    """Return the digest and the tokens of a first observation."""
    return digest(texts), _tokens(texts)


def _tokens(texts: Mapping[str, str]) -> int:
    count = make_tokenizer("cl100k").count
    return sum(count(text) for text in texts.values())


def finish(
    env: MemoryEnv,
    episode: Episode,
    first: tuple[str, int],
    steps: list[StepRecord],
    *,
    privileged: bool,
    error: str | None,
) -> EpisodeRecord:
    """Return the record of an episode that was played in ``env``."""
    pomdp = env.pomdp
    setting = {
        "memgym": memgym.__version__,
        "options": env.options.to_json(),
        "benchmark": env.benchmark.describe(),
        "encoder": None if env.encoder is None else env.encoder.fingerprint,
        "max_steps": pomdp.max_steps,
    }
    return EpisodeRecord(
        episode, pomdp.sample.id, env.group, first[0], first[1], tuple(steps),
        None if error else pomdp.outcome, pomdp.terminated, pomdp.truncated, env.memory.digest(), setting,
        privileged, error,
    )  # fmt: skip


async def run(
    episodes: Iterable[Episode], *, concurrency: int = 8, cast: Cast | None = None
) -> AsyncGenerator[EpisodeRecord, None]:
    """Play episodes, at most ``concurrency`` at once, and yield records as they are done, not in lock step."""
    if concurrency < 1:
        raise ValueError(f"concurrency is {concurrency}; 1 or more was expected.")
    cast = cast or Cast()
    waiting = iter(episodes)
    running: set[asyncio.Task[EpisodeRecord]] = set()
    done: set[asyncio.Task[EpisodeRecord]] = set()
    try:
        while True:
            while len(running) < concurrency and (episode := next(waiting, None)) is not None:
                running.add(asyncio.create_task(rollout(episode, cast)))
            if not running:
                return
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                yield task.result()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, *done, return_exceptions=True)  # a second error is not told again


def play(episodes: Iterable[Episode], *, concurrency: int = 8, cast: Cast | None = None) -> list[EpisodeRecord]:
    """Play episodes and return their records in the order given. For scripts; must not be called in an event loop."""

    async def collect() -> list[EpisodeRecord]:
        listed = list(episodes)
        if len({episode.id for episode in listed}) < len(listed):
            raise ValueError("Two episodes have the same id; a record is known by it.")
        records = {record.episode.id: record async for record in run(listed, concurrency=concurrency, cast=cast)}
        return [records[episode.id] for episode in listed]

    return asyncio.run(collect())


def _key(episode: Episode) -> str:
    return f"{episode.env} {sorted(episode.options.items(), key=lambda pair: pair[0])!r}"
