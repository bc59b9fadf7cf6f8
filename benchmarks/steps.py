"""What one step of a MemoryEnv costs, beside a trivial Gymnasium environment that shows the same text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import gymnasium
from gymnasium import spaces

from benchmarks.endless import CHUNK, EndlessBenchmark
from benchmarks.rows import Row
from benchmarks.timing import medians
from memgym.env import MemoryEnv
from memgym.spaces import Unicode

ENTRIES = 100


class Plain(gymnasium.Env[dict[str, str], str]):
    """The peer: the same five texts, no memory, no task, made by ``gym.make`` with its default wrappers."""

    observation_space = spaces.Dict({name: Unicode() for name in ("a", "b", "c", "d", "e")})  # type: ignore[assignment]
    action_space = Unicode()
    metadata = {"render_modes": []}  # noqa: RUF012

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[dict[str, str], dict[str, Any]]:
        super().reset(seed=seed)
        self.count = 0
        return self._texts(), {}

    def step(self, action: str) -> tuple[dict[str, str], float, bool, bool, dict[str, Any]]:
        self.count += 1
        return self._texts(), 0.0, False, False, {"step": self.count}

    def _texts(self) -> dict[str, str]:
        return {"a": "Read and remember.", "b": f"{CHUNK} {self.count}", "c": "", "d": "", "e": ""}


def _stepping(env: gymnasium.Env[Any, Any], actions: Sequence[str]) -> Callable[[int], None]:
    env.reset(seed=0)

    def work(times: int) -> None:
        step = env.step
        for number in range(times):
            step(actions[number % len(actions)])

    return work


def _filled(**options: Any) -> MemoryEnv:
    env = MemoryEnv(EndlessBenchmark(), **options)
    env.reset(seed=0)
    for number in range(ENTRIES):
        env.step(
            f"<create_memory>Fact {number}: the user moved to city {number % 97} in {1990 + number % 30}."
            "</create_memory>"
        )
    return env


def _mixed(env: MemoryEnv) -> Callable[[int], None]:
    """One create, one read, and one delete, so that the memory stays at its size."""
    state = {"number": ENTRIES}

    def work(times: int) -> None:
        for _ in range(times):
            number = state["number"] = state["number"] + 1
            env.step(
                f"<create_memory>Fact {number}: the user left city {number % 89}.</create_memory>"
                f'<delete_memory id="m{number - ENTRIES}"/><read_memory>moved to city {number % 97}</read_memory>'
            )

    return work


def _snapshots(env: MemoryEnv, times: int) -> None:
    for _ in range(times):
        env.memory.snapshot()


def rows(full: bool = False) -> list[Row]:
    """Measure and return the rows of this benchmark."""
    gymnasium.register("Plain-v0", entry_point="benchmarks.steps:Plain")
    gymnasium.register("EndlessMemory-v0", entry_point=lambda **options: MemoryEnv(EndlessBenchmark(), **options))
    memory = _filled()
    took = medians(
        {
            "plain": _stepping(gymnasium.make("Plain-v0"), [""]),
            "noop": _stepping(gymnasium.make("EndlessMemory-v0", advance="explicit"), [""]),
            "dense": _mixed(_filled(encoder="hashing", by="dense")),
            "text": _mixed(memory),
            "snapshot": partial(_snapshots, memory),
        },
        times=200,
    )
    plain = took["plain"]
    return [
        Row("no-op step, 4 KB observation", took["noop"], "gym.make default, same text", plain, at_most=1.5),
        Row("create + delete + read of 100 entries, hashing", took["dense"], "limit 1 ms", 1000.0, at_most=1.0),
        Row("create + delete + read of 100 entries, text index", took["text"], "limit 1 ms", 1000.0),
        Row("snapshot of 100 entries", took["snapshot"], "limit 50 us", 50.0, at_most=1.0),
    ]
