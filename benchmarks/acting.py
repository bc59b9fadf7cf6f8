"""What a step that uses the memory costs when no text has to be embedded: from an action's text to a text observation.

Every episode holds 200 entries and more; a step creates (half of them), reads its nearest six (a fifth), updates (a
fifth) or deletes. All vectors are known to the encoder's cache, as they are in a GRPO group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import SyncVectorEnv

from benchmarks.endless import EndlessBenchmark
from benchmarks.floor import FloorEnv
from benchmarks.rows import Row, against, limited
from benchmarks.timing import interleaved
from memgym import registry
from memgym.dialects import Dialect
from memgym.env import MemoryEnv
from memgym.memory.encoders import make_encoder
from memgym.memory.memory import Snapshot
from memgym.operations import Action, Create, Delete, Operation, Read, Update
from memgym.vector import MemoryVectorEnv

ENTRIES = 200
STEPS = 60
OPTIONS: dict[str, Any] = {"encoder": "random:384", "by": "dense"}
SYNC, TOGETHER, FASTER, OVER = 20.0, 12.0, 1.5, 1.5


def _fact(number: int) -> str:
    return (
        f"fact {number}: the user moved to city {number % 97} and works at place {number % 31} near the river "
        f"since {1990 + number % 30}"
    )


def script(seed: int, dialect: Dialect) -> tuple[list[str], list[str]]:
    """Return the texts that an episode begins with, and those of its actions."""
    rng = np.random.default_rng(seed)
    texts = iter([_fact(int(number)) for number in rng.permutation(20_000)])
    start = [next(texts) for _ in range(ENTRIES)]
    made, last = list[int](), ENTRIES + 1  # one entry is made and dropped before an episode is timed
    actions: list[str] = []
    for _ in range(STEPS):
        chance = rng.random()
        operation: Operation
        if chance < 0.5 or (chance >= 0.9 and not made):
            last += 1
            made.append(last)
            operation = Create(next(texts))
        elif chance < 0.7:
            operation = Read(next(texts))
        elif chance < 0.9:
            operation = Update(f"m{int(rng.integers(1, ENTRIES + 1))}", next(texts))
        else:
            operation = Delete(f"m{made.pop(int(rng.integers(len(made))))}")
        actions.append(dialect.format(Action((operation,))))
    return start, actions


class Episodes:
    """The same episodes in a list, a SyncVectorEnv or a MemoryVectorEnv; ``begin`` brings them to their start."""

    def __init__(self, count: int, name: str, kind: str) -> None:
        self.options = {**OPTIONS, "dialect": name}
        dialect = registry.load("dialect", name)()
        scripts = [script(seed, dialect) for seed in range(count)]
        self.turns: list[tuple[str, ...]] = list(zip(*(actions for _, actions in scripts), strict=True))
        self.steps: Callable[[Sequence[str]], object]
        if kind == "loop":
            self.envs = [self._make() for _ in range(count)]
            self.steps = self._loop
            for env in self.envs:
                env.reset(seed=0)
        else:
            vector: Any = (
                SyncVectorEnv([self._make] * count)
                if kind == "sync"
                else MemoryVectorEnv(count, benchmark=EndlessBenchmark(), **self.options)
            )
            vector.reset(seed=0)
            self.envs, self.steps = list(vector.envs), vector.step
        self._filled = [self._fill(env, start) for env, (start, _) in zip(self.envs, scripts, strict=True)]

    def _make(self) -> MemoryEnv:
        return MemoryEnv(EndlessBenchmark(), **self.options)

    def _loop(self, actions: Sequence[str]) -> object:
        return [env.step(action) for env, action in zip(self.envs, actions, strict=True)]

    def _fill(self, env: MemoryEnv, start: Sequence[str]) -> Snapshot:
        env.step(Action((*map(Create, start), Read(start[0]))))
        return env.memory.snapshot()

    def begin(self) -> None:
        """Return every episode to its start; its index has room for one more entry, and nothing waits to be encoded."""
        for env, filled in zip(self.envs, self._filled, strict=True):
            env.memory.restore(filled)
            env.step(Action((Create("none"), Read("none"))))
            env.step(Action((Delete(f"m{ENTRIES + 1}"),)))

    def play(self, times: int) -> None:
        """Play all steps; ``times`` is the number of steps over all episodes, for the timing alone."""
        for actions in self.turns:
            self.steps(actions)


class Floor:
    """The same episodes in the environment of ``benchmarks.floor``, under a SyncVectorEnv."""

    def __init__(self, count: int) -> None:
        dialect = registry.load("dialect", "tools")()
        scripts = [script(seed, dialect) for seed in range(count)]
        self.turns = list(zip(*(actions for _, actions in scripts), strict=True))
        self._starts = [start for start, _ in scripts]
        texts = [_fact(number) for number in range(20_000)]
        vectors = dict(zip(texts, make_encoder("random:384").encode(texts), strict=True))
        self._vector: Any = SyncVectorEnv([lambda: FloorEnv(vectors)] * count)
        self._vector.reset()

    def begin(self) -> None:
        for env, start in zip(self._vector.envs, self._starts, strict=True):
            env.begin(start)
            env.last += 1  # the id that the others gave out before they were timed

    def play(self, times: int) -> None:
        for actions in self.turns:
            self._vector.step(actions)


def rows(full: bool = False) -> Iterator[Row]:
    """Measure both dialects in 64 episodes (all of them in 256 too)."""
    for count in (64, 256) if full else (64,):
        for name in ("tools", "xml"):
            yield from _compared(count, name, rounds=9 if full else 7)


def _compared(count: int, name: str, rounds: int) -> Iterator[Row]:
    kinds: dict[str, Episodes | Floor] = {kind: Episodes(count, name, kind) for kind in ("loop", "sync", "memory")}
    if name == "tools":
        kinds["floor"] = Floor(count)
    took = interleaved(
        {kind: one.play for kind, one in kinds.items()},
        times=count * STEPS,
        rounds=rounds,
        before={kind: one.begin for kind, one in kinds.items()},
    )
    what = f"step with a store, {count} episodes, {name}"
    yield limited(f"{what}, SyncVectorEnv", took["sync"], SYNC)
    yield limited(f"{what}, MemoryVectorEnv", took["memory"], TOGETHER)
    yield against(f"{what}, MemoryVectorEnv", took["memory"], "SyncVectorEnv", took["sync"], at_least=FASTER)
    if "floor" in took:
        peer = "hand-written, numpy, no checks, SyncVectorEnv"
        yield against(f"{what}, SyncVectorEnv", took["sync"], peer, took["floor"])
        yield against(f"{what}, MemoryVectorEnv", took["memory"], peer, took["floor"])
    over = [one + OVER for one in took["loop"]]
    yield against(f"{what}, MemoryVectorEnv", took["memory"], f"plain loop + {OVER} us", over, at_most=1.0)
