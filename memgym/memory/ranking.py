"""From scores to rankings, and from several rankings to one. Separate because every index ends here.

A ranking is ordered by falling score, and equal scores by rising key, so that it is the same in every run.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ranking = list[tuple[int, float]]


def best(keys: NDArray[np.int64], scores: NDArray[np.floating], k: int) -> Ranking:
    """Return the k best of aligned keys and scores; every tie is decided by the key, at the cut too."""
    if k <= 0:
        return []
    if len(scores) > 4 * k:
        chosen = scores >= np.partition(scores, len(scores) - k)[len(scores) - k]
        keys, scores = keys[chosen], scores[chosen]
    order = np.lexsort((keys, -scores))[:k]
    return list(zip(keys[order].tolist(), scores[order].tolist(), strict=True))


def fuse(rankings: Sequence[Sequence[tuple[int, float]]], k: int, constant: int = 20) -> Ranking:
    """Return the k best by reciprocal rank fusion: the sum of 1 / (constant + rank) over the rankings, rank from 1.

    Cormack et al. (SIGIR 2009), who use 60; 20 is what was measured here. Scores of the rankings are not looked at.
    """
    if constant < 0:
        raise ValueError(f"The constant of reciprocal rank fusion must be 0 or more, not {constant!r}.")
    sums: dict[int, float] = {}
    for ranking in rankings:
        for rank, (key, _) in enumerate(ranking, start=1):
            sums[key] = sums.get(key, 0.0) + 1.0 / (constant + rank)
    return sorted(sums.items(), key=lambda item: (-item[1], item[0]))[: max(k, 0)]
