"""What one step of a MemoryEnv costs that encodes or indexes what it writes and reads, and what a snapshot costs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.endless import EndlessBenchmark
from benchmarks.rows import Row
from benchmarks.timing import medians
from memgym.env import MemoryEnv

ENTRIES = 100


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
    memory = _filled()
    took = medians(
        {
            "dense": _mixed(_filled(encoder="hashing", by="dense")),
            "text": _mixed(memory),
            "snapshot": partial(_snapshots, memory),
        },
        times=200,
    )
    return [
        Row("create + delete + read of 100 entries, hashing", took["dense"], "limit 1 ms", 1000.0, at_most=1.0),
        Row("create + delete + read of 100 entries, text index", took["text"], "limit 1 ms", 1000.0),
        Row("snapshot of 100 entries", took["snapshot"], "limit 50 us", 50.0, at_most=1.0),
    ]
