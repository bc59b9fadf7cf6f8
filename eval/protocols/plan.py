"""What a protocol schedules from: who plays, which samples there are, and how an episode of each kind is made.

Separate from the run's config, so that a trainer can make one too: the same schedulers serve both wings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from memgym import registry
from memgym.options import Options
from memgym.records import Episode
from memgym.rollout import make_env
from memgym.task import Benchmark, Experience

EXPERIENCE = "MemGym/Experience"
READ, ASK = {"read": [0, None]}, {"ask": [0, None]}
"""The two parts of a text with questions: all of it is read, all of them are asked."""
_SAMPLES, _EPISODES, _CHOICES = 1, 2, 3
"""Streams of a run's seed: which samples are played, each episode's own seed, and what a protocol draws."""
_FORMING = 1
"""Of the seeds of episodes, those in which memory is formed."""
_NOT_FOR_EXPERIENCE = ("advance", "max_steps")
"""Options of a world that say nothing about the episode in which memory is formed from what was lived there."""


@dataclass(frozen=True, slots=True)
class Player:
    """One row of a comparison: an agent with its options, and the environment options that it plays under."""

    name: str
    agent: str
    env_options: Mapping[str, Any] = field(default_factory=dict)
    agent_options: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    model_options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """A comparison before it is scheduled. ``count`` is how many samples are tested, ``seed`` the one of the run."""

    env: str
    players: tuple[Player, ...]
    count: int
    seed: int
    env_options: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def benchmark(self) -> Benchmark:
        return self.benchmark_with({})

    def benchmark_with(self, changes: Mapping[str, Any]) -> Benchmark:
        """Return the benchmark with some options changed (another split)."""
        return make_env(self.env, **{**self.env_options, **changes}).benchmark

    def with_players(self, players: Iterable[Player]) -> Plan:
        """Return the same plan with further players; the benchmark is not read again."""
        more = replace(self, players=(*self.players, *players))
        more.__dict__["benchmark"] = self.benchmark
        return more

    @cached_property
    def samples(self) -> tuple[str, ...]:
        """The ids of the samples that are tested, in their order."""
        return self.ids(self.count)

    def ids(self, count: int, changes: Mapping[str, Any] | None = None) -> tuple[str, ...]:
        """Return the first ``count`` ids of the run's order of samples; of fewer they are the beginning."""
        rng = np.random.default_rng(np.random.SeedSequence([self.seed, _SAMPLES]))
        benchmark = self.benchmark if not changes else self.benchmark_with(changes)
        return tuple(benchmark.schedule(rng, count))

    def seeds(self, count: int, *stream: int) -> list[int]:
        """Return seeds of episodes; those of tests have the empty stream, and are the same under every protocol."""
        made = np.random.SeedSequence([self.seed, _EPISODES, *stream]).generate_state(count, np.uint64)
        return [int(one >> np.uint64(1)) for one in made]

    def rng(self, *stream: int) -> np.random.Generator:
        """Return a protocol's own generator."""
        return np.random.default_rng(np.random.SeedSequence([self.seed, _CHOICES, *stream]))

    def episode(
        self, player: Player, name: str, *, sample: str, seed: int, phase: str, row: str = "", **more: Any
    ) -> Episode:
        """Return an episode of the environment; ``more`` are fields of Episode, or further tags."""
        fields = {key: more.pop(key) for key in ("after", "part", "frozen", "member", "options") if key in more}
        return Episode(
            id=f"{player.name}/{name}", env=self.env, agent=player.agent, seed=seed, sample=sample,
            tags=_texts(row=row or player.name, phase=phase, **more),
            agent_options=player.agent_options, model=player.model, model_options=player.model_options,
            **{"options": dict(player.env_options), **fields},
        )  # fmt: skip

    def forming(
        self,
        player: Player,
        name: str,
        lived: Iterable[Experience],
        *,
        number: int = 0,
        after: str | None = None,
        **tags: Any,
    ) -> Episode:
        """Return the episode in which an agent is shown what was lived, to form its memory from it."""
        shown = [asdict(one) for one in lived]
        own = {**registry.environment(self.env), **player.env_options}
        kept = {key: value for key, value in own.items() if key in Options.names() and key not in _NOT_FOR_EXPERIENCE}
        return Episode(
            id=f"{player.name}/{numbered(name, number)}", env=EXPERIENCE, agent=player.agent,
            seed=self.seeds(1, _FORMING, number)[0], after=after,
            options={**kept, "experiences": _plain(shown), "shuffle": False},
            agent_options=player.agent_options, model=player.model, model_options=player.model_options,
            tags=_texts(row=player.name, phase="form", number=number, **tags),
        )  # fmt: skip


def _plain(shown: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return experiences in the form that JSON gives back, so that a record read again is equal to what was asked."""
    return [{**one, "steps": [list(step) for step in one["steps"]]} for one in shown]


def _texts(**tags: Any) -> dict[str, str]:
    return {name: str(value) for name, value in tags.items()}


def numbered(name: str, number: int) -> str:
    return f"{name}-{number:06d}"
