"""A memory in a file: one write that survives a kill, groups of them that survive a power cut, and opening the file."""

from __future__ import annotations

import importlib
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.rows import Row, absent, against, limited
from benchmarks.stores import DIMENSION, unit_rows
from benchmarks.timing import interleaved
from memgym.memory import Write
from memgym.memory.indexes import Scaling
from memgym.memory.journal import DurableMemory
from memgym.operations import Create

TEXT = "The user said that on 12 March they moved to Lisbon and started a job at a bakery near the river."
SOURCE = Write("benchmark", 1, "create", 1)
GROUP = 256


class Given:
    """An encoder whose vectors cost nothing."""

    name, fingerprint, dimension, sided = "given", "given", DIMENSION, False

    def encode(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        del query
        return unit_rows(len(texts), 0)


def rows(full: bool = False) -> list[Row]:
    """Measure writes, groups of writes, and opening 10,000 entries (100,000 if ``full``)."""
    with tempfile.TemporaryDirectory() as folder:
        return [*_writes(Path(folder)), *_open(Path(folder), 100_000 if full else 10_000)]


def _writes(folder: Path) -> list[Row]:
    count = iter(range(10**9))
    normal = DurableMemory(folder / "normal.sqlite", unique=False)
    synced = DurableMemory(folder / "full.sqlite", unique=False, sync="full")

    def create(memory: DurableMemory, times: int) -> None:
        for _ in range(times):
            memory.apply(Create(f"{next(count)} {TEXT}"), SOURCE)

    def group(times: int) -> None:
        for _ in range(times // GROUP):
            with synced.together():
                create(synced, GROUP)

    work: dict[str, Callable[[int], None]] = {"one": lambda times: create(normal, times), "group": group}
    times = {"one": GROUP, "group": GROUP}
    peer = _chroma(folder)
    if peer is not None:
        work["chroma"], times["chroma"] = peer, 20
    took = interleaved(work, times=times, rounds=9)
    walls = {name: _wall(function, times[name]) for name, function in work.items()}
    normal.close()
    synced.close()
    found = [
        limited("journaled create, no wait for the disk", took["one"], 30.0),
        Row("the same, wall clock", walls["one"]),
        against(f"group of {GROUP} creates, waiting for the disk", took["group"], "single creates", took["one"]),
        Row("the same, wall clock", walls["group"], "single creates", walls["one"], at_least=2.0),
    ]
    if peer is None:
        return [*found, absent("journaled create", "chromadb persistent")]
    return [*found, against("journaled create", took["one"], "chromadb persistent", took["chroma"], at_least=50.0)]


def _wall(function: Callable[[int], None], times: int) -> float:
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        function(times)
        best = min(best, (time.perf_counter() - start) * 1e6 / times)
    return best


def _chroma(folder: Path) -> Callable[[int], None] | None:
    try:
        chromadb: Any = importlib.import_module("chromadb")
    except ImportError:
        return None
    settings = importlib.import_module("chromadb.config").Settings(anonymized_telemetry=False)
    client = chromadb.PersistentClient(str(folder / "chroma"), settings)
    store, vector = client.create_collection("memory", embedding_function=None), unit_rows(1, 0)[0]
    count = iter(range(10**9))

    def add(times: int) -> None:
        for _ in range(times):
            store.add(ids=[str(next(count))], embeddings=[vector], documents=[TEXT])

    return add


def _open(folder: Path, entries: int) -> list[Row]:
    path = folder / "large.sqlite"
    exact = Scaling("exact")
    with DurableMemory(path, {"main": Given()}, unique=False, scaling=exact) as memory:
        with memory.together():
            for number in range(entries):
                memory.apply(Create(f"{number} {TEXT}"), SOURCE)
        memory.stores["main"].dense_index()

    def opened(times: int) -> None:
        for _ in range(times):
            DurableMemory(path, {"main": Given()}, unique=False, scaling=exact).close()

    took = interleaved({"open": opened}, times=1, rounds=3)
    return [limited(f"opening {entries:,} entries", took["open"], 500_000.0, size=entries)]
