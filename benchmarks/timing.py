"""Interleaved CPU timings: everything compared takes turns in one process, so that a busy machine slows all alike."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping

ROUNDS = 15


def medians(work: Mapping[str, Callable[[int], None]], *, times: int, rounds: int = ROUNDS) -> dict[str, float]:
    """Return CPU microseconds a repetition of each piece of work: the median over rounds of ``times`` repetitions.

    Each function gets the number of repetitions and loops itself; the first round warms up and does not count.
    """
    spent: dict[str, list[float]] = {name: [] for name in work}
    gc.collect()
    gc.disable()
    try:
        for turn in range(rounds + 1):
            for name, function in work.items():
                start = time.process_time_ns()
                function(times)
                if turn:
                    spent[name].append((time.process_time_ns() - start) / 1000 / times)
    finally:
        gc.enable()
    return {name: statistics.median(values) for name, values in spent.items()}
