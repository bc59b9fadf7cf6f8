"""What several seeds come to: a mean with Student's interval, for few independent runs of one thing.

In the hall, because training and its report ask the same; intervals over many episodes are the eval wing's bootstrap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import NamedTuple

_T95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
"""The 97.5 % points of Student's distribution with 1 to 9 degrees of freedom; beyond, the last one is a little wide."""


class Interval(NamedTuple):
    """A mean with a 95 % interval."""

    mean: float
    low: float
    high: float


def over_seeds(values: Sequence[float]) -> Interval:
    """Return the mean over seeds with Student's 95 % interval (1908); of one seed the interval is that value."""
    mean, n = fmean(values), len(values)
    half = _T95[min(n - 2, len(_T95) - 1)] * stdev(values) / math.sqrt(n) if n > 1 else 0.0
    return Interval(mean, mean - half, mean + half)
