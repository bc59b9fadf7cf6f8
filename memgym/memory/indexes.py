"""What an index is, and those there are: ``TextIndex`` and its halves, ``DenseIndex``, ``ScalableIndex``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from memgym.memory.batch import search_many
from memgym.memory.dense import DenseIndex
from memgym.memory.lexical import Bm25Index, NgramIndex, TextIndex
from memgym.memory.ranking import Ranking, best, fuse
from memgym.memory.scalable import Dense, ScalableIndex, Scaling

__all__ = [
    "Bm25Index",
    "Dense",
    "DenseIndex",
    "Index",
    "NgramIndex",
    "Ranking",
    "ScalableIndex",
    "Scaling",
    "TextIndex",
    "best",
    "fuse",
    "hybrid_search",
    "search_many",
]


def hybrid_search(text: TextIndex, dense: Dense, query: str, vector: NDArray[np.float32], k: int) -> Ranking:
    """Return the k best by fusion of three equal votes: words, n-grams and vectors; none for a blank query.

    Fusing ``text.search`` with the dense ranking instead would give the vectors one vote of two; with MiniLM on LoCoMo
    that finds 56 % where three votes find 59 % (standard error 2.4).
    """
    if k <= 0 or not query.strip():
        return []
    return fuse([*text.rankings(query, k), dense.search(vector, max(k, text.depth))], k)


Contents_contra = TypeVar("Contents_contra", contravariant=True)
Query_contra = TypeVar("Query_contra", contravariant=True)


class Index(Protocol[Contents_contra, Query_contra]):
    """Entries under int keys (their sequence numbers), searched by one query at a time.

    ``Index[Sequence[str], str]`` is a text index, ``Index[NDArray[np.float32], NDArray[np.float32]]`` a dense one. An
    index answers like a fresh one over the same live entries, bit for bit, whatever was added and removed before; only
    which entries a ``ScalableIndex`` finds depends on the order of writes.
    """

    def __len__(self) -> int: ...

    def keys(self) -> list[int]:
        """Return the live keys in ascending order."""
        ...

    def add(self, keys: Sequence[int], contents: Contents_contra, /) -> None:
        """Add contents under their keys; a key that is there already is replaced."""
        ...

    def remove(self, key: int) -> None:
        """Remove an entry; an unknown key is a KeyError."""
        ...

    def search(self, query: Query_contra, k: int, /) -> Ranking:
        """Return at most k entries as (key, score), by falling score, then by rising key."""
        ...

    def fork(self) -> Self:
        """Return an independent copy."""
        ...
