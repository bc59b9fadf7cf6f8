"""Bootstrap intervals: how far a mean over this many episodes can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 2000
SEED = 20260101


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
    data = np.asarray(values, np.float64)
    if data.size == 0:
        return Estimate(float("nan"), float("nan"), float("nan"), 0)
    rng = np.random.default_rng(SEED)
    means = data[rng.integers(0, data.size, (RESAMPLES, data.size))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return Estimate(float(data.mean()), float(low), float(high), int(data.size))
