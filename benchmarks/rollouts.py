"""256 episodes at once whose model takes 5 ms to answer: how much of the ideal rate is left, and what a slow one costs.

These are wall times, as waiting is what is measured; the ideal is the longer of the waiting of one episode and the work
of all with a model that answers at once.
"""

from __future__ import annotations

import asyncio
import statistics
import threading
import time
from collections.abc import Iterator

from benchmarks.rows import Row, against
from memgym import registry
from memgym.model import Reply, Request, Usage
from memgym.records import Episode
from memgym.rollout import Cast, run

EPISODES = 256
STEPS = 8
DELAY, LONG = 0.005, 0.5
"""Seconds that a model takes to answer; LONG is the slow one's."""
IDEAL = 1 / 0.8
OTHERS = 1.25
_ENV = "Endless"


class Waiting:
    """A chat model that answers after a while, with a create and a read; it notes how many threads there are."""

    def __init__(self, name: str, delay: float) -> None:
        self.name, self.delay = name, delay
        self.threads = self.asked = 0

    async def chat(self, request: Request) -> Reply:
        self.asked += 1
        self.threads = max(self.threads, threading.active_count())
        await asyncio.sleep(self.delay)
        text = f"<create_memory>Note {self.asked}.</create_memory><read_memory>note</read_memory>"
        return Reply(text, Usage(1, 100, 20))


def rows(full: bool = False) -> Iterator[Row]:
    """Measure the run with and without waiting, in turns, and once more with one slow episode among them."""
    registry.add("benchmark", "Endless", "benchmarks.endless:EndlessBenchmark")
    registry.add_environment(_ENV, {"benchmark": "Endless"})
    times: dict[str, list[float]] = {"at once": [], "waiting": [], "others": []}
    threads = 0
    for turn in range(1 + (9 if full else 5)):
        took = {}
        for name, delay, slow in (("at once", 0.0, 0.0), ("waiting", DELAY, 0.0), ("others", DELAY, LONG)):
            model = Waiting("model", delay)
            took[name] = asyncio.run(_others(model, Waiting("slow", slow or delay)))
            threads = max(threads, model.threads)
        if turn:
            for name, value in took.items():
                times[name].append(value)
    ideal = [max(one, STEPS * DELAY * 1e6) for one in times["at once"]]
    rate = EPISODES * STEPS / statistics.median(times["waiting"]) * 1e6
    what = f"{EPISODES} episodes at once, a model of 5 ms, {rate:,.0f} recorded steps/s (wall)"
    yield against(what, times["waiting"], "ideal: no step waits for another", ideal, at_most=IDEAL)
    yield against(
        f"{EPISODES - 1} of them beside one whose model takes 500 ms (wall)",
        times["others"], "without the slow one", times["waiting"], at_most=OTHERS,
    )  # fmt: skip
    yield Row(f"threads while {EPISODES} episodes run", threads, "the process's own", 1.0, 1.0, unit="threads")


async def _others(model: Waiting, slow: Waiting) -> float:
    """Return the wall time in microseconds until all episodes but the slow one are done."""
    cast = Cast({"model": model, "slow": slow})
    options = {"max_steps": STEPS}
    episodes = [
        Episode(f"e{number}", _ENV, "llm", number, options=options, model="model" if number else "slow")
        for number in range(EPISODES)
    ]
    start, last = time.perf_counter(), 0.0
    async for record in run(episodes, concurrency=EPISODES, cast=cast):
        if record.error or len(record.steps) != STEPS:
            raise RuntimeError(f"An episode of the benchmark ended after {len(record.steps)} steps: {record.error}")
        if record.episode.model == "model":
            last = time.perf_counter()
    return (last - start) * 1e6
