"""Exact search over unit vectors: one growing matrix, and a map from keys to its rows.

Nothing made by a library beats this up to some ten thousand entries that change all the time, as a memory's do.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memgym.memory.ranking import Ranking, best


class DenseIndex:
    """Vectors of one dimension under int keys; the score is the inner product, so unit vectors give the cosine.

    A score depends on the query and the entry's vector alone, to the last bit: products are summed row by row. A BLAS
    matrix product would be faster for many rows, but gives equal rows unequal scores.
    """

    def __init__(self, dimension: int) -> None:
        if dimension < 1:
            raise ValueError(f"A dense index needs a dimension of 1 or more, not {dimension!r}.")
        self.dimension = dimension
        self._matrix = np.empty((16, dimension), np.float32)
        self._keys = np.empty(16, np.int64)
        self._rows: dict[int, int] = {}

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
        if not np.isfinite(vectors).all():
            raise ValueError("Vectors must be finite; the encoder returned NaN or infinity.")
        for key, vector in zip(keys, vectors, strict=True):
            row = self._rows[key] if key in self._rows else self._append(key)
            self._matrix[row] = vector

    def remove(self, key: int) -> None:
        """Remove an entry; the last row takes its place. An unknown key is a KeyError."""
        row = self._row(key)
        del self._rows[key]
        last = len(self._rows)
        if row != last:
            moved = int(self._keys[last])
            self._matrix[row] = self._matrix[last]
            self._keys[row] = moved
            self._rows[moved] = row

    def search(self, vector: NDArray[np.float32], k: int) -> Ranking:
        """Return the k entries with the greatest score; zero rows score 0, and a zero query finds nothing."""
        vector = np.ascontiguousarray(vector, np.float32)
        if vector.shape != (self.dimension,):
            raise ValueError(f"This index takes query vectors of shape ({self.dimension},), not {vector.shape}.")
        count = len(self._rows)
        if not count or not vector.any():
            return []
        # Adding 0.0 turns -0.0 into 0.0: they are equal, and one entry must not be printed in two ways.
        scores = np.einsum("nd,d->n", self._matrix[:count], vector) + np.float32(0.0)
        return best(self._keys[:count], scores, k)

    def fork(self) -> DenseIndex:
        """Return an independent copy."""
        other = DenseIndex.__new__(DenseIndex)
        other.dimension = self.dimension
        other._matrix = self._matrix[: max(len(self._rows), 1)].copy()
        other._keys = self._keys[: max(len(self._rows), 1)].copy()
        other._rows = self._rows.copy()
        return other

    def _append(self, key: int) -> int:
        row = len(self._rows)
        if row == len(self._matrix):
            self._matrix = np.concatenate([self._matrix, np.empty_like(self._matrix)])
            self._keys = np.concatenate([self._keys, np.empty_like(self._keys)])
        self._rows[key] = row
        self._keys[row] = key
        return row

    def _row(self, key: int) -> int:
        if key not in self._rows:
            raise KeyError(f"There is no entry {key!r} in this index.")
        return self._rows[key]
