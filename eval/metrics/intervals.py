"""Bootstrap intervals: how far a mean over this many episodes can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

RESAMPLES = 2000
SEED = 20260101
_CELLS = 120_000
"""Draws that are held at once: few enough to stay in a processor's cache."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with a 95 % interval over ``n`` values; NaN where there is nothing to average."""

    mean: float
    low: float
    high: float
    n: int


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean and its percentile bootstrap interval (2000 resamples, fixed seed; Efron and Tibshirani 1993).

    With one value the interval is that value: it says nothing, and n says so.
    """
    return estimates([values])[0]


def estimates(columns: Sequence[Sequence[float] | Values]) -> list[Estimate]:
    """Return ``estimate`` of each column; those of one length share their resamples, equal ones are made once."""
    arrays = [np.asarray(values, np.float64) for values in columns]
    distinct = {(one.size, one.tobytes()): one for one in arrays}
    made: dict[tuple[int, bytes], Estimate] = {}
    for size in {one.size: None for one in arrays}:
        same = {key: one for key, one in distinct.items() if key[0] == size}
        made.update(zip(same, _made(list(same.values()), size), strict=True))
    return [made[one.size, one.tobytes()] for one in arrays]


def _made(arrays: Sequence[Values], size: int) -> list[Estimate]:
    """Return the estimates of arrays of one size."""
    if size == 0:
        return [Estimate(float("nan"), float("nan"), float("nan"), 0)] * len(arrays)
    rng = np.random.default_rng(SEED)
    means = np.empty((len(arrays), RESAMPLES))
    rows = max(1, _CELLS // size)
    for start in range(0, RESAMPLES, rows):
        drawn = rng.integers(0, size, (min(rows, RESAMPLES - start), size))
        for one, into in zip(arrays, means, strict=True):
            into[start : start + rows] = one.take(drawn).mean(axis=1)
    bounds = np.percentile(means, [2.5, 97.5], axis=1)
    return [
        Estimate(float(one.mean()), float(low), float(high), size)
        for one, low, high in zip(arrays, *bounds, strict=True)
    ]
