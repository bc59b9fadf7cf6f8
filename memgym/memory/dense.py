"""Exact search over unit vectors: one growing matrix, and a map from keys to its rows.

Nothing made by a library beats this up to some ten thousand entries that change all the time, as a memory's do; only
the products and their greatest k come from faiss, whose kernel reads the rows in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
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
        self._shape = (dimension,)
        self._matrix = np.empty((16, dimension), np.float32)
        self._keys: list[int] = []
        self._rows: dict[int, int] = {}
        self._bound: Any = None

    @classmethod
    def over(cls, keys: Sequence[int], rows: NDArray[np.float32]) -> DenseIndex:
        """Return an index of distinct keys that takes over their vectors, the first rows of [>= keys, dimension]."""
        index = cls(rows.shape[1])
        if not _finite(rows[: len(keys)]):
            raise ValueError("Vectors must be finite; there is NaN or infinity among those given.")
        index._matrix, index._keys = rows, list(keys)
        index._rows = {key: row for row, key in enumerate(keys)}
        return index

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: int) -> bool:
        return key in self._rows

    def keys(self) -> list[int]:
        """Return the live keys in ascending order."""
        return sorted(self._rows)

    def vector(self, key: int) -> NDArray[np.float32]:
        """Return a copy of an entry's vector; an unknown key is a KeyError."""
        vector: NDArray[np.float32] = self._matrix[self._row(key)].copy()
        return vector

    def vectors(self, keys: Sequence[int]) -> NDArray[np.float32]:
        """Return a copy of the vectors of entries, [keys, dimension]; an unknown key is a KeyError."""
        rows: NDArray[np.float32] = self._matrix[[self._rows[key] for key in keys]]
        return rows

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
        for key, vector in zip(keys, vectors, strict=True):
            self._set(key, vector)

    def put(self, key: int, vector: NDArray[np.float32]) -> None:
        """Add one float32 row [dimension] under its key, or replace it there; the same as ``add``, for one."""
        if vector.shape != self._shape or not isfinite(vector.dot(vector)):
            self.add([key], vector[None])
        else:
            self._set(key, vector)

    def _set(self, key: int, vector: NDArray[np.float32]) -> None:
        row = self._rows.get(key)
        if row is None:
            row = len(self._keys)
            if row == len(self._matrix):
                self._grow()
            self._rows[key] = row
            self._keys.append(key)
        self._matrix[row] = vector

    def remove(self, key: int) -> None:
        """Remove an entry; the last row takes its place. An unknown key is a KeyError."""
        row = self._rows.pop(key, None)
        if row is None:
            raise KeyError(f"There is no entry {key!r} in this index.")
        moved = self._keys.pop()
        if moved != key:
            self._matrix[row] = self._matrix[len(self._keys)]
            self._keys[row] = moved
            self._rows[moved] = row

    def search(self, vector: NDArray[np.float32], k: int) -> Ranking:
        """Return the k entries with the greatest score; zero rows score 0, and a zero query finds nothing."""
        vector = np.ascontiguousarray(vector, np.float32)
        if vector.shape != (self.dimension,):
            raise ValueError(f"This index takes query vectors of shape ({self.dimension},), not {vector.shape}.")
        count = len(self._keys)
        if not count or k < 1:
            return []
        wanted = min(k + 1, count)
        found, rows = self._nearest(vector, wanted)
        # A tie at the cut is decided by key, so all of it has to be seen.
        while wanted < count and found[k - 1] == found[-1]:
            wanted = min(4 * wanted, count)
            found, rows = self._nearest(vector, wanted)
        keys = self._keys
        if len(set(found)) < wanted or 0.0 in found:
            return _ranked([keys[row] for row in rows], found, k) if vector.any() else []
        return [(keys[row], score) for row, score in zip(rows[:k], found, strict=False)]

    def among(self, keys: Sequence[int], vector: NDArray[np.float32]) -> Ranking:
        """Return the scores of some entries, in no particular order; bit for bit what ``search`` gives them."""
        kernel, pointer, _ = self._bound or self._bind()
        part = self.vectors(keys)
        scores, rows = np.empty(len(keys), np.float32), np.empty(len(keys), np.int64)
        kernel(pointer(vector), pointer(part), self.dimension, 1, len(keys), len(keys), pointer(scores), pointer(rows))
        return [(keys[row], score + 0.0) for row, score in zip(rows.tolist(), scores.tolist(), strict=True)]

    def _nearest(self, vector: NDArray[np.float32], wanted: int) -> tuple[list[float], list[int]]:
        """Return the greatest scores, falling, and their rows."""
        kernel, pointer, matrix = self._bound or self._bind()
        scores, rows = np.empty(wanted, np.float32), np.empty(wanted, np.int64)
        kernel(pointer(vector), matrix, self.dimension, 1, len(self._keys), wanted, pointer(scores), pointer(rows))
        return scores.tolist(), rows.tolist()

    def _bind(self) -> Any:
        """Return the kernel, what makes a pointer of an array, and the pointer to the rows."""
        import faiss  # a fifth of a second, which no memory without an encoder has to pay

        self._bound = faiss.knn_inner_product, faiss.swig_ptr, faiss.swig_ptr(self._matrix)
        return self._bound

    def fork(self) -> DenseIndex:
        """Return an independent copy."""
        other = DenseIndex.__new__(DenseIndex)
        other.dimension, other._shape = self.dimension, self._shape
        other._matrix = self._matrix[: max(len(self._rows), 1)].copy()
        other._keys = self._keys.copy()
        other._rows = self._rows.copy()
        other._bound = None
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_bound": None}

    def _grow(self) -> None:
        # Rows that nobody wrote to take no memory, so they are not copied either.
        grown = np.empty((2 * len(self._matrix), self.dimension), np.float32)
        grown[: len(self._keys)] = self._matrix[: len(self._keys)]
        self._matrix, self._bound = grown, None

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
    return isfinite(flat.dot(flat)) or bool(np.isfinite(flat).all())
