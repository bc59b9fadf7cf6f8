"""A graph over vectors (HNSW, Malkov & Yashunin 2018) that entries join and leave: one generation of a scalable index.

Separate from the index because there may be two, the one that is read and the one that is being built. faiss has no
deletion from such a graph: what leaves is only marked, and an entry that changes gets a new place.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memgym.memory.dense import DenseIndex

NEIGHBOURS = 32
BREADTH_BUILT = 80
"""Candidates looked at when an entry joins (efConstruction)."""

WAITING = 128
"""Entries that wait outside, searched exactly, until they join together: faiss pays for all entries at each joining."""

CHUNK = 2000


class Graph:
    """Places 0, 1, 2, ... in the order of joining, with int8 rows; ``keys[place]`` is the entry there, or -1.

    The same sequence of calls gives the same graph: faiss draws levels from a generator with a fixed seed, and entries
    join one after the other in one thread. ``background`` has them join in a thread of the graph's own; nothing may be
    searched before ``settle``.
    """

    def __init__(self, keys: Sequence[int], rows: NDArray[np.float32], *, background: bool) -> None:
        import faiss

        kind: Any = faiss.ScalarQuantizer.QT_8bit
        self._graph: Any = faiss.IndexHNSWSQ(rows.shape[1], kind, NEIGHBOURS, faiss.METRIC_INNER_PRODUCT)
        self._graph.hnsw.efConstruction = BREADTH_BUILT
        self.keys: list[int] = []
        self.places: dict[int, int] = {}
        self.waiting = DenseIndex(rows.shape[1])
        self._worker = ThreadPoolExecutor(1, "memgym-graph") if background else None
        self._running: list[Future[None]] = []
        self._do(_train, rows)
        for at in range(0, len(keys), CHUNK):
            self._join(keys[at : at + CHUNK], rows[at : at + CHUNK])

    def put(self, key: int, vector: NDArray[np.float32]) -> None:
        """Add an entry, or give it a new place."""
        self._leave(key)
        self.waiting.put(key, vector)
        if len(self.waiting) >= WAITING:
            keys = self.waiting.keys()
            self._join(keys, self.waiting.vectors(keys))
            self.waiting = DenseIndex(self.waiting.dimension)

    def remove(self, key: int) -> None:
        """Remove an entry that is there."""
        if not self._leave(key):
            self.waiting.remove(key)

    def near(self, vector: NDArray[np.float32], count: int, breadth: int) -> list[int]:
        """Return the entries at about ``count`` places near a query, less those that left; the waiting are not seen."""
        self._graph.hnsw.efSearch = max(breadth, count)
        _, places = self._graph.search(vector[None], count)
        keys = self.keys
        return [key for key in (keys[place] for place in places[0].tolist() if place >= 0) if key >= 0]

    @property
    def dead(self) -> float:
        """The share of places that nobody is at."""
        return 1 - len(self.places) / max(len(self.keys), 1)

    def settle(self) -> None:
        """Wait until all have joined; from then on they join in the caller's thread."""
        for one in self._running:
            one.result()
        self._running.clear()
        if self._worker is not None:
            self._worker.shutdown()
            self._worker = None

    @property
    def ready(self) -> bool:
        """Whether ``settle`` would not wait."""
        return all(one.done() for one in self._running)

    def fork(self) -> Graph:
        """Return an independent copy; waits for a graph that is being built."""
        import faiss

        self.settle()
        other = Graph.__new__(Graph)
        other._graph = faiss.clone_index(self._graph)
        other._worker, other._running = None, []
        other.keys, other.places, other.waiting = self.keys.copy(), self.places.copy(), self.waiting.fork()
        return other

    def __getstate__(self) -> dict[str, Any]:
        import faiss

        self.settle()
        return {**self.__dict__, "_graph": faiss.serialize_index(self._graph)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        import faiss

        self.__dict__.update(state)
        self._graph = faiss.deserialize_index(state["_graph"])

    def _leave(self, key: int) -> bool:
        place = self.places.pop(key, None)
        if place is not None:
            self.keys[place] = -1
        return place is not None

    def _join(self, keys: Sequence[int], rows: NDArray[np.float32]) -> None:
        self.places.update(zip(keys, range(len(self.keys), len(self.keys) + len(keys)), strict=True))
        self.keys += keys
        self._do(_add, rows)

    def _do(self, what: Any, rows: NDArray[np.float32]) -> None:
        if self._worker is None:
            what(self._graph, rows)
        else:
            self._running.append(self._worker.submit(what, self._graph, rows))


def _train(graph: Any, rows: NDArray[np.float32]) -> None:
    import faiss

    # int8 spans what is there now, and a quarter more for what comes.
    storage: Any = faiss.downcast_index(graph.storage)
    storage.sq.rangestat_arg = 0.125
    graph.train(rows[:: max(1, len(rows) // 20_000)])


def _add(graph: Any, rows: NDArray[np.float32]) -> None:
    import faiss

    # In one thread, lest the order of joining be an accident.
    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        graph.add(rows)
    finally:
        faiss.omp_set_num_threads(threads)
