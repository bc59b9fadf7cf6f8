"""Steps of ALFWorld's games a second, beside TextWorld's engine as it is shipped: ``python -m benchmarks.alfworld``.

Without ``--data`` the games are generated; with it they are published ones. ``--cheat`` also wins every one of them.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from benchmarks.rows import Row, show
from memgym import registry

AT_MOST = {"step": 0.1, "start again": 0.1}
"""Of the shipped engine's time: at least ten times as fast."""
LEAST = 250
"""Steps a second."""


def rows(games: Sequence[Any], steps: int) -> Iterator[Row]:
    """Play the same random commands in both engines, game by game in turn, and compare what they cost."""
    room = importlib.import_module("memgym.envs.alfworld.engine")
    fast, stock = room.FastEngine(), room.StockEngine()
    spent: dict[str, list[tuple[float, float]]] = {"first load": [], "start again": [], "step": []}
    for number, game in enumerate(games):
        first = [_timed(partial(engine.start, game)) for engine in (fast, stock)]
        again = [_timed(partial(engine.start, game)) for engine in (fast, stock)]
        spent["first load"].append((first[0], first[1]))
        spent["start again"].append((again[0], again[1]))
        spent["step"].append((_stepped(fast, game, number, steps), _stepped(stock, game, number, steps)))
    for what, pairs in spent.items():
        ours, theirs = (median(pair[side] for pair in pairs) for side in (0, 1))
        yield Row(f"{what} ({len(games)} games)", ours * 1e6, "stock engine", theirs * 1e6, AT_MOST.get(what))


def _stepped(engine: Any, game: Any, seed: int, steps: int) -> float:
    """Return CPU seconds a step of random play; every fifth command is one that the game refuses."""
    shown, rng, spent = engine.start(game), np.random.default_rng(seed), 0.0
    for number in range(steps):
        command = shown.admissible[int(rng.integers(len(shown.admissible)))] if number % 5 else "dance"
        start = time.process_time()
        shown = engine.step(command)
        spent += time.process_time() - start
    return spent / steps


def _timed(work: partial[Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def cheat(benchmark: Any, ids: Sequence[str]) -> int:
    """Return how many of the games are won by their own cheats."""
    won = 0
    for id in ids:
        task = benchmark.task(benchmark.sample(id), np.random.default_rng(0))
        while not task.done:
            task.take(task.cheat())
        won += int(task.outcome().reward)
    return won


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder with json_2.1.1 or one of its splits")
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--steps", type=int, default=25)
    parser.add_argument("--cheat", type=int, default=0, metavar="N", help="win N games too (valid_seen has 140)")
    options = parser.parse_args()
    name = "ALFWorld" if options.data else "ALFWorld-generated"
    benchmark: Any = registry.make_benchmark(name, **({"data": options.data} if options.data else {}))
    ids = benchmark.schedule(np.random.default_rng(0), max(options.games, options.cheat))
    measured = list(rows([benchmark.game(id) for id in ids[: options.games]], options.steps))
    held = show(measured)
    rate, stock = 1e6 / measured[-1].ours, 1e6 / (measured[-1].theirs or 1.0)
    print(f"{rate:.0f} steps/s, the stock engine {stock:.0f}: {rate / stock:.0f} times (at least {LEAST} must hold).")
    if options.cheat:
        print(f"cheat() won {cheat(benchmark, ids[: options.cheat])} of {options.cheat} games.")
    sys.exit(0 if held and rate >= LEAST else 1)


if __name__ == "__main__":
    main()
