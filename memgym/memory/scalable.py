"""Search over more vectors than can be read through: a graph proposes, exact products decide.

A store takes this index in place of the exact one once it is large (``Scaling``). Deletes and updates are real at once;
what they leave behind in the graph goes when it is built anew, beside the reads and not before them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memgym.memory.dense import DenseIndex
from memgym.memory.graph import Graph
from memgym.memory.ranking import Ranking
from memgym.options import KINDS, SWAPS
from memgym.registry import unknown

DEAD = 0.4
"""Share of places that nobody is at from which a graph is built anew."""

BREADTH = 96
"""Candidates that a search keeps (efSearch) up to 100,000 entries; above, more by the cube root of the size.

With 96 recall@6 on sentences was 0.997 at 10,000 and 0.985 at 100,000, but 0.88 at 1,000,000, where 192 gave 0.952.
"""

LEAST = 1000

PROPOSED = 4
"""Times k that the graph proposes, at least 32."""


@dataclass(frozen=True, slots=True)
class Scaling:
    """When a dense index stops reading through all of its rows.

    kind: "auto" (from ``threshold`` entries on), "exact" (never), "scalable" (from 1000 entries on, below which a graph
        gains nothing).
    threshold: entries from which "auto" takes a graph. Below, every answer is exact.
    swap: when a graph that was built in the background is put to use. "counted": at the write at which a tenth as many
        entries were written as it began with, waiting for it if need be; the same operations give the same answers in
        every run. "ready": at the first write or read after it is ready; never waits, and is not reproducible.
    """

    kind: str = "auto"
    threshold: int = 10_000
    swap: str = "counted"

    def __post_init__(self) -> None:
        for name, valid in (("kind", KINDS), ("swap", SWAPS)):
            if getattr(self, name) not in valid:
                raise unknown(f"value of the option {name}:", getattr(self, name), valid)
        if isinstance(self.threshold, bool) or not isinstance(self.threshold, int) or self.threshold < 1:
            raise ValueError(f"threshold is {self.threshold!r}; a whole number of at least 1 was expected.")

    def grown(self, index: Dense) -> Dense:
        """Return the index that suits the present size: the same one, or a scalable one over its rows."""
        if isinstance(index, ScalableIndex) or self.kind == "exact":
            return index
        return ScalableIndex(index, self) if len(index) >= self.least else index

    @property
    def least(self) -> int:
        """Entries from which there is a graph."""
        return self.threshold if self.kind == "auto" else LEAST


class ScalableIndex:
    """Takes over the rows of an exact index, and answers exactly until its first graph is built.

    Scores are those of the exact index, bit for bit; what is approximate is only which entries are found. Costs per
    entry, beside its row of 4 bytes a dimension: one byte a dimension, and about 300 bytes of links.
    """

    def __init__(self, rows: DenseIndex, scaling: Scaling | None = None) -> None:
        self.dimension = rows.dimension
        self.scaling = scaling or Scaling()
        self.exact = rows
        self._graph: Graph | None = None
        self._coming: Graph | None = None
        self._left = 0
        self._after_write(0)

    def __len__(self) -> int:
        return len(self.exact)

    def __contains__(self, key: int) -> bool:
        return key in self.exact

    def keys(self) -> list[int]:
        """Return the live keys in ascending order."""
        return self.exact.keys()

    def vector(self, key: int) -> NDArray[np.float32]:
        """Return a copy of an entry's vector; an unknown key is a KeyError."""
        return self.exact.vector(key)

    def add(self, keys: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Add float32 rows [n, dimension] under their keys; a key that is there already gets the new vector."""
        vectors = np.asarray(vectors, np.float32)
        self.exact.add(keys, vectors)
        for graph in self._graphs():
            for key, vector in zip(keys, vectors, strict=True):
                graph.put(key, vector)
        self._after_write(len(keys))

    def put(self, key: int, vector: NDArray[np.float32]) -> None:
        """Add one float32 row [dimension] under its key, or replace it there."""
        self.exact.put(key, vector)
        for graph in self._graphs():
            graph.put(key, vector)
        self._after_write(1)

    def remove(self, key: int) -> None:
        """Remove an entry; an unknown key is a KeyError."""
        self.exact.remove(key)
        for graph in self._graphs():
            graph.remove(key)
        self._after_write(1)

    def search(self, vector: NDArray[np.float32], k: int) -> Ranking:
        """Return k entries near the query by falling score; as many as there are, if they are fewer."""
        if self._coming is not None and self.scaling.swap == "ready" and self._coming.ready:
            self._take()
        graph = self._graph
        vector = np.ascontiguousarray(vector, np.float32)
        if graph is None or vector.shape != (self.dimension,) or k < 1 or not vector.any():
            return self.exact.search(vector, k)
        count = max(PROPOSED * k, 32)
        if 4 * count >= len(self):
            return self.exact.search(vector, k)
        near = graph.near(vector, count, _breadth(len(self)))
        if len(near) < k:
            # Most of what is near has left; a new graph is on its way.
            return self.exact.search(vector, k)
        found = self.exact.among(near, vector) + graph.waiting.search(vector, k)
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:k]

    def settle(self) -> None:
        """Wait for a graph that is being built, and put it to use now."""
        if self._coming is not None:
            self._take()

    @property
    def approximate(self) -> bool:
        """Whether a graph is in use."""
        return self._graph is not None

    def fork(self) -> ScalableIndex:
        """Return an independent copy; waits for a graph that is being built, and leaves its turn where it was."""
        other = ScalableIndex.__new__(ScalableIndex)
        other.dimension, other.scaling, other._left = self.dimension, self.scaling, self._left
        other.exact = self.exact.fork()
        other._graph = None if self._graph is None else self._graph.fork()
        other._coming = None if self._coming is None else self._coming.fork()
        return other

    def _graphs(self) -> list[Graph]:
        return [graph for graph in (self._graph, self._coming) if graph is not None]

    def _after_write(self, written: int) -> None:
        """Begin a graph when it is time for one; put the coming one to use when it is its turn."""
        if self._coming is not None:
            self._left -= written
            if self._coming.ready if self.scaling.swap == "ready" else self._left <= 0:
                self._take()
        elif self._graph is not None and self._graph.dead > DEAD and len(self) < self.scaling.least // 2:
            self._graph = None
        elif (self._graph is None and len(self) >= self.scaling.least) or (
            self._graph is not None and self._graph.dead > DEAD
        ):
            keys = self.exact.keys()
            self._coming = Graph(keys, self.exact.vectors(keys), background=True)
            self._left = max(1, len(self) // 10)

    def _take(self) -> None:
        assert self._coming is not None
        self._coming.settle()
        self._graph, self._coming = self._coming, None


def _breadth(size: int) -> int:
    return max(BREADTH, round(BREADTH * math.cbrt(size / 100_000)))


Dense = DenseIndex | ScalableIndex
