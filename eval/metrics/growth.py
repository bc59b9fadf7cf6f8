"""Memory size over time: how many entries the episodes of a row hold after each step."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from memgym.records import EpisodeRecord

Growth = tuple[tuple[float, ...], tuple[float, ...]]


def growth(records: Sequence[EpisodeRecord], most: int) -> Growth:
    """Return at most about ``most`` step numbers, and the mean number of entries after each.

    An episode that is over keeps its last size; the last step of the longest one is always there.
    """
    played = [[step.size for step in record.steps] for record in records if record.steps]
    longest = max((len(one) for one in played), default=0)
    every = max(1, -(-longest // most))
    steps = [*range(0, longest, every)] if longest else []
    if steps and steps[-1] != longest - 1:
        steps.append(longest - 1)
    means = [fmean(one[min(at, len(one) - 1)] for one in played) for at in steps]
    return tuple(float(at + 1) for at in steps), tuple(means)
