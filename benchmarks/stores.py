"""One store through an episode: 0 to 500 entries, half of the operations creates, a fifth reads of the nearest six, a
fifth updates, a tenth deletes, beside what others keep vectors in. No model, no texts: the dense index alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers import PEERS
from benchmarks.rows import Row, absent, against, limited
from benchmarks.timing import interleaved
from memgym.memory.dense import DenseIndex

DIMENSION = 384
ENTRIES = 500
K = 6
WORK = "store mix, 0 to 500 entries, dim 384"
BOUNDS = {"numpy growing matrix": 1.0, "faiss IDMap2": 2.5, "qdrant in memory": 25.0, "chromadb in memory": 1000.0}
SLOW = {"qdrant in memory": 3, "chromadb in memory": 1, "hnswlib": 3}
"""Peers that play fewer rounds."""

Operations = list[tuple[str, int, NDArray[np.float32] | None]]


class Keeper(Protocol):
    """What is compared: vectors under int keys."""

    def put(self, key: int, vector: NDArray[np.float32]) -> None: ...
    def change(self, key: int, vector: NDArray[np.float32]) -> None: ...
    def remove(self, key: int) -> None: ...
    def nearest(self, vector: NDArray[np.float32], k: int) -> Sequence[Any]: ...


class Ours:
    """The dense index of a store."""

    def __init__(self, dimension: int) -> None:
        index = DenseIndex(dimension)
        self.put = self.change = index.put
        self.remove, self.nearest = index.remove, index.search


def unit_rows(count: int, seed: int, dimension: int = DIMENSION) -> NDArray[np.float32]:
    """Return unit rows around 40 centres."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(7).standard_normal((40, dimension))
    rows = centres[rng.integers(40, size=count)] + 0.7 * rng.standard_normal((count, dimension))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def episode(seed: int) -> Operations:
    """Draw operations until a store holds 500 entries."""
    rng, rows = np.random.default_rng(seed), iter(unit_rows(4000, seed))
    live: list[int] = []
    done: Operations = []
    made = 0
    while len(live) < ENTRIES:
        chance = rng.random()
        if chance < 0.5 or not live:
            done.append(("put", made, next(rows)))
            live.append(made)
            made += 1
        elif chance < 0.7:
            done.append(("nearest", 0, next(rows)))
        elif chance < 0.9:
            done.append(("change", live[int(rng.integers(len(live)))], next(rows)))
        else:
            done.append(("remove", live.pop(int(rng.integers(len(live)))), None))
    return done


def play(keeper: Keeper, operations: Operations) -> None:
    put, change, remove, nearest = keeper.put, keeper.change, keeper.remove, keeper.nearest
    for what, key, vector in operations:
        if what == "put":
            put(key, vector)  # type: ignore[arg-type]
        elif what == "nearest":
            nearest(vector, K)  # type: ignore[arg-type]
        elif what == "change":
            change(key, vector)  # type: ignore[arg-type]
        else:
            remove(key)


def rows(full: bool = False) -> list[Row]:
    """Measure the mix beside every peer that is installed, and the copy of a store."""
    rounds = 15 if full else 7
    found: list[Row] = []
    for name, make in PEERS.items():
        try:
            make(DIMENSION)
        except ImportError:
            found.append(absent(WORK, name))
            continue
        ours, theirs = _mix(make, min(SLOW.get(name, rounds), rounds))
        found.append(against(WORK, ours, name, theirs, at_least=BOUNDS.get(name)))
    return [*found, *_copy()]


def _mix(make: Callable[[int], Keeper], rounds: int) -> tuple[list[float], list[float]]:
    spent: tuple[list[float], list[float]] = [], []
    for turn in range(rounds + 1):
        operations = episode(turn)
        # The first round, which does not count, need not be whole for a peer that takes a second.
        part = operations if turn or rounds > 3 else operations[:50]
        for kept, maker in zip(spent, (Ours, make), strict=True):
            keeper = maker(DIMENSION)
            start = time.process_time_ns()
            play(keeper, part)
            if turn:
                kept.append((time.process_time_ns() - start) / 1000 / len(part))
    return spent


def _copy() -> list[Row]:
    index = DenseIndex(DIMENSION)
    index.add(range(200), unit_rows(200, 0))

    def copy(times: int) -> None:
        for _ in range(times):
            index.fork()

    took = interleaved({"copy": copy}, times=50)
    return [limited("copy of a store of 200 entries", took["copy"], 50.0)]
