"""Interleaved CPU timings: everything compared takes turns in one process, so that a busy machine slows all alike."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping, Sequence

ROUNDS = 15


def interleaved(
    work: Mapping[str, Callable[[int], None]],
    *,
    times: int | Mapping[str, int],
    rounds: int = ROUNDS,
    before: Mapping[str, Callable[[], None]] | None = None,
) -> dict[str, list[float]]:
    """Return CPU microseconds a repetition of each piece of work, round by round, in rounds of ``times`` repetitions.

    Each function gets the number of repetitions and loops itself; the first round warms up and does not count. A slow
    piece may have fewer repetitions: ``times`` is then a mapping by name. What ``before`` holds is called before each
    round, untimed.
    """
    spent: dict[str, list[float]] = {name: [] for name in work}
    gc.collect()
    gc.disable()
    try:
        for turn in range(rounds + 1):
            for name, function in work.items():
                count = times if isinstance(times, int) else times[name]
                if before and name in before:
                    before[name]()
                start = time.process_time_ns()
                function(count)
                if turn:
                    spent[name].append((time.process_time_ns() - start) / 1000 / count)
    finally:
        gc.enable()
    return spent


def medians(work: Mapping[str, Callable[[int], None]], *, times: int, rounds: int = ROUNDS) -> dict[str, float]:
    """Return the median over rounds of what ``interleaved`` measures."""
    measured = interleaved(work, times=times, rounds=rounds)
    return {name: statistics.median(values) for name, values in measured.items()}


def spread(values: Sequence[float]) -> float | None:
    """Return the distance of the quartiles; None for fewer than four values."""
    if len(values) < 4:
        return None
    low, _, high = statistics.quantiles(values, n=4)
    return high - low
