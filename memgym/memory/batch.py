"""One read of each of many dense indexes, as many episodes in lock step ask for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memgym.memory.dense import DenseIndex
from memgym.memory.ranking import Ranking
from memgym.memory.scalable import Dense


def search_many(indexes: Sequence[Dense], vectors: NDArray[np.float32], k: int) -> list[Ranking]:
    """Search each index by its own query, a row of ``vectors`` [indexes, dimension]; equal to ``search`` bit for bit.

    Several stores' reads in one go cost less than one by one, because what follows the products is done for all.
    """
    vectors = np.ascontiguousarray(vectors, np.float32)
    if vectors.ndim != 2 or len(vectors) != len(indexes):
        raise ValueError(f"{len(indexes)} indexes need as many query vectors, not an array of shape {vectors.shape}.")
    exact = [index for index in indexes if isinstance(index, DenseIndex) and index.dimension == vectors.shape[1]]
    if k < 1 or len(exact) < len(indexes):
        return [index.search(vector, k) for index, vector in zip(indexes, vectors, strict=True)]
    scores = np.zeros((len(indexes), k + 1), np.float32)
    rows = np.zeros((len(indexes), k + 1), np.int64)
    for index, vector, into, at in zip(exact, vectors, scores, rows, strict=True):
        if len(index._keys) > k:
            kernel, pointer, matrix = index._bound or index._bind()
            kernel(pointer(vector), matrix, index.dimension, 1, len(index._keys), k + 1, pointer(into), pointer(at))
    # Ties and zeros, and indexes of at most k entries, whose scores stayed zero, go the long way.
    plain = ((scores[:, :-1] > scores[:, 1:]).all(axis=1) & (scores != 0).all(axis=1)).tolist()
    answers: list[Ranking] = []
    for number, (found, places) in enumerate(zip(scores[:, :k].tolist(), rows[:, :k].tolist(), strict=True)):
        index = exact[number]
        if plain[number]:
            keys = index._keys
            answers.append([(keys[row], score) for row, score in zip(places, found, strict=True)])
        else:
            answers.append(index.search(vectors[number], k))
    return answers
