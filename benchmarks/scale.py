"""What an operation costs from 10 to 1,000,000 entries, and what a graph finds of what reading every row finds.

Recall means something on real sentences only: MEMGYM_BENCH_VECTORS names a .npy file of unit float32 rows, of which the
last 200 are the queries and the others are the entries. Where it has fewer than are asked for, the rest is made of it:
an entry, half the difference of two of its neighbours, and noise. Without the file the rows are clustered noise.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.rows import Row, against, limited
from benchmarks.stores import K, unit_rows
from benchmarks.timing import interleaved
from memgym.memory.dense import DenseIndex
from memgym.memory.indexes import ScalableIndex, Scaling

QUERIES = 200
SIZES = (10, 100, 1_000, 10_000)
LARGE = (100_000, 1_000_000)
RECALL = 0.95

Rows = NDArray[np.float32]


def vectors(count: int) -> tuple[Rows, Rows, str]:
    """Return entries, queries, and what they are."""
    file = os.environ.get("MEMGYM_BENCH_VECTORS")
    if not file:
        return unit_rows(count, 1), unit_rows(QUERIES, 2), "clustered noise"
    given = np.load(Path(file))
    known, queries = given[:-QUERIES], given[-QUERIES:]
    if count <= len(known):
        return known[:count], queries, "real sentences"
    return np.concatenate([known, _mixed(known, count - len(known))]), queries, "sentences and mixtures of them"


def _mixed(known: Rows, count: int) -> Rows:
    rng, made = np.random.default_rng(0), np.empty((count, known.shape[1]), np.float32)
    # Neighbours: entries that have their greatest product with the same one of 256 others.
    centre = np.argmax(known @ known[rng.integers(len(known), size=256)].T, axis=1)
    order = np.argsort(centre, kind="stable")
    for at in range(0, count, 50_000):
        size = min(50_000, count - at)
        place = rng.integers(len(known) - 8, size=size)
        one, two = order[place], order[place + rng.integers(1, 8, size=size)]
        rows = known[rng.integers(len(known), size=size)] + 0.5 * (known[one] - known[two])
        rows += rng.standard_normal(rows.shape) * (0.1 / known.shape[1] ** 0.5)
        made[at : at + size] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return made


def rows(full: bool = False) -> list[Row]:
    """Measure exact reads and writes by size; a graph at 10,000 entries, and with ``full`` at 100,000 and 1,000,000."""
    found: list[Row] = []
    for size in SIZES + (LARGE if full else ()):
        entries, queries, _ = vectors(size)
        index = DenseIndex(entries.shape[1])
        index.add(range(size), entries)
        found += _exact(index, entries, queries)
        if size >= SIZES[-1]:
            found += graph(index, queries)
    return found


def _exact(index: DenseIndex, entries: Rows, queries: Rows) -> list[Row]:
    size, times = len(index), max(1, min(200, 200_000 // len(index)))

    def read(times: int) -> None:
        for number in range(times):
            index.search(queries[number % QUERIES], K)

    def write(times: int) -> None:
        for number in range(times):
            index.put(number % size, entries[number % size])

    took = interleaved({"read": read, "write": write}, times={"read": times, "write": 1000}, rounds=5)
    return [
        limited("exact read of 6", took["read"], 1e6, size=size),
        limited("update in place", took["write"], 1e6, size=size),
    ]


def graph(exact: DenseIndex, queries: Rows) -> list[Row]:
    """Build a graph over an index's rows and measure it beside reading them all."""
    size, work = len(exact), "approximate read of 6"
    start = time.process_time()
    index = ScalableIndex(exact.fork(), Scaling("scalable"))
    index.settle()
    built = (time.process_time() - start) * 1e6
    share = recall(index, exact, queries)

    def one(index: DenseIndex | ScalableIndex, times: int) -> None:
        for number in range(times):
            index.search(queries[number % QUERIES], K)

    took = interleaved(
        {"ours": lambda times: one(index, times), "exact": lambda times: one(exact, times)},
        times={"ours": 50, "exact": max(2, min(50, 1_000_000 // size))},
        rounds=7,
    )
    fifty = 50.0 if size >= LARGE[-1] else None
    return [
        against(work, took["ours"], "reading every row", took["exact"], at_least=fifty, size=size),
        limited(work, took["ours"], 1000.0, size=size),
        Row("recall@6 of a graph, what is missed", 1 - share, "at most", 1 - RECALL, at_most=1.0, unit="", size=size),
        Row("building a graph, an entry", built / size, size=size),
        *_writes(index, size),
    ]


def recall(index: ScalableIndex, exact: DenseIndex, queries: Rows) -> float:
    """Return the share of the six nearest that are found."""
    pairs = [(dict(index.search(query, K)), dict(exact.search(query, K))) for query in queries]
    return float(np.mean([len(found.keys() & wanted.keys()) / len(wanted) for found, wanted in pairs]))


def _writes(index: ScalableIndex, size: int) -> list[Row]:
    fresh = unit_rows(2048, 5, index.dimension)
    state = {"insert": size, "update": 0}

    def insert(times: int) -> None:
        for number in range(times):
            index.put(state["insert"] + number, fresh[number])
        state["insert"] += times

    def update(times: int) -> None:
        for number in range(times):
            index.put(state["update"] + number, fresh[number])
        state["update"] += times

    took = interleaved({"insert": insert, "update": update}, times=512, rounds=3)
    return [against("update under a graph", took["update"], "insert", took["insert"], at_most=1.2, size=size)]
