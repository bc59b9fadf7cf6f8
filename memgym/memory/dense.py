"""Exact search over unit vectors: one growing matrix, and a map from keys to its rows.

Nothing made by a library beats this up to some ten thousand entries that change all the time, as a memory's do; only
the products and their greatest k come from faiss, whose kernel reads the rows in order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memgym.memory.ranking import Ranking


class DenseIndex:
    """Vectors of one dimension under int keys; the score is the inner product, so unit vectors give the cosine.

    A score depends on the query and the entry's vector alone, to the last bit: products are summed row by row. A BLAS
    matrix product gives equal rows unequal scores, and is no faster.
    """

    def __init__(self, dimension: int) -> None:
        if dimension < 1:
            raise ValueError(f"A dense index needs a dimension of 1 or more, not {dimension!r}.")
        self.dimension = dimension
        self._matrix = np.empty((16, dimension), np.float32)
        self._keys = np.empty(16, np.int64)
        self._rows: dict[int, int] = {}
        self._bound: Any = None

    def __len__(self) -> int:
        return len(self._rows)

    def keys(self) -> list[int]:
        """Return the live keys in ascending order."""
        return sorted(self._rows)

    def vector(self, key: int) -> NDArray[np.float32]:
        """Return a copy of an entry's vector; an unknown key is a KeyError."""
        vector: NDArray[np.float32] = self._matrix[self._row(key)].copy()
        return vector

    def add(self, keys: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Add float32 rows [n, dimension] under their keys; a key that is there already gets the new vector."""
        vectors = np.asarray(vectors, np.float32)
        if vectors.shape != (len(keys), self.dimension):
            raise ValueError(
                f"{len(keys)} keys need vectors of shape ({len(keys)}, {self.dimension}), not {vectors.shape}. "
                "Was this index made for another encoder?"
            )
        if not _finite(vectors):
            raise ValueError("Vectors must be finite; the encoder returned NaN or infinity.")
        rows, matrix = self._rows, self._matrix
        for key, vector in zip(keys, vectors, strict=True):
            row = rows.get(key)
            if row is None:
                row, matrix = self._append(key), self._matrix
            matrix[row] = vector

    def put(self, key: int, vector: NDArray[np.float32]) -> None:
        """Add one float32 row [dimension] under its key, or replace it there; the same as ``add``, for one."""
        if vector.shape != (self.dimension,) or not math.isfinite(vector.dot(vector)):
            self.add([key], vector[None])
            return
        row = self._rows.get(key)
        if row is None:
            row = self._append(key)
        self._matrix[row] = vector

    def remove(self, key: int) -> None:
        """Remove an entry; the last row takes its place. An unknown key is a KeyError."""
        rows = self._rows
        row = rows.pop(key, None)
        if row is None:
            raise KeyError(f"There is no entry {key!r} in this index.")
        last = len(rows)
        if row != last:
            moved = self._keys.item(last)
            self._matrix[row] = self._matrix[last]
            self._keys[row] = moved
            rows[moved] = row

    def search(self, vector: NDArray[np.float32], k: int) -> Ranking:
        """Return the k entries with the greatest score; zero rows score 0, and a zero query finds nothing."""
        vector = np.ascontiguousarray(vector, np.float32)
        if vector.shape != (self.dimension,):
            raise ValueError(f"This index takes query vectors of shape ({self.dimension},), not {vector.shape}.")
        count = len(self._rows)
        if not count or k < 1:
            return []
        wanted = min(k + 1, count)
        scores, rows = self._nearest(vector, wanted)
        # A tie at the cut is decided by key, so all of it has to be seen.
        while wanted < count and scores[k - 1] == scores[-1]:
            wanted = min(4 * wanted, count)
            scores, rows = self._nearest(vector, wanted)
        found, keys = scores.tolist(), self._keys[rows].tolist()
        if len(set(found)) < wanted or 0.0 in found:
            return _ranked(keys, found, k) if vector.any() else []
        return list(zip(keys[:k], found[:k], strict=True))

    def _nearest(self, vector: NDArray[np.float32], wanted: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return the greatest scores, falling, and their rows."""
        if self._bound is None:
            import faiss  # a fifth of a second, which no memory without an encoder has to pay

            self._bound = faiss, faiss.swig_ptr(self._matrix)
        kernel, matrix = self._bound
        scores, rows = np.empty(wanted, np.float32), np.empty(wanted, np.int64)
        kernel.knn_inner_product(
            kernel.swig_ptr(vector), matrix, self.dimension, 1, len(self._rows), wanted,
            kernel.swig_ptr(scores), kernel.swig_ptr(rows),
        )  # fmt: skip
        return scores, rows

    def fork(self) -> DenseIndex:
        """Return an independent copy."""
        other = DenseIndex.__new__(DenseIndex)
        other.dimension = self.dimension
        other._matrix = self._matrix[: max(len(self._rows), 1)].copy()
        other._keys = self._keys[: max(len(self._rows), 1)].copy()
        other._rows = self._rows.copy()
        other._bound = None
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_bound": None}

    def _append(self, key: int) -> int:
        row = len(self._rows)
        if row == len(self._matrix):
            self._matrix = np.concatenate([self._matrix, np.empty_like(self._matrix)])
            self._keys = np.concatenate([self._keys, np.empty_like(self._keys)])
            self._bound = None
        self._rows[key] = row
        self._keys[row] = key
        return row

    def _row(self, key: int) -> int:
        if key not in self._rows:
            raise KeyError(f"There is no entry {key!r} in this index.")
        return self._rows[key]


def _ranked(keys: list[int], scores: list[float], k: int) -> Ranking:
    """Return the k best where scores are equal: by key. Adding 0.0 turns -0.0 into 0.0, as which it counts."""
    return sorted(zip(keys, [score + 0.0 for score in scores], strict=True), key=lambda pair: (-pair[1], pair[0]))[:k]


def _finite(vectors: NDArray[np.float32]) -> bool:
    flat = vectors.ravel()
    # The sum of squares is finite for almost all that is finite, and six times as fast to find.
    return math.isfinite(flat.dot(flat)) or bool(np.isfinite(flat).all())
