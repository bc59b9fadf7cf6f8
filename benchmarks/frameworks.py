"""A step without any memory operation beside the frameworks that are nearest: each shows the same 4 KB text."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium

from benchmarks.endless import CHUNK, EndlessBenchmark
from benchmarks.rows import Row, absent, against
from benchmarks.timing import interleaved
from memgym.env import MemoryEnv

NAMES = {"gem-llm": "gem", "textarena": "textarena"}
AT_MOST = 1.5


def rows(full: bool = False) -> Iterator[Row]:
    """Measure ours and Gymnasium's, and those of gem and TextArena where they are installed."""
    gymnasium.register("Plain-v0", entry_point="benchmarks.endless:Plain")
    gymnasium.register("Endless-v0", entry_point=lambda **options: MemoryEnv(EndlessBenchmark(), **options))
    ours: Any = gymnasium.make("Endless-v0", advance="explicit")
    plain: Any = gymnasium.make("Plain-v0")
    ours.reset(seed=0)
    plain.reset(seed=0)
    work = {"ours": _stepping(ours.step), "Gymnasium": _stepping(plain.step)}
    makers: dict[str, Callable[[], Callable[[str], object]]] = {"gem-llm": _gem, "textarena": _textarena}
    missing = []
    for name, make in makers.items():
        try:
            work[name] = _stepping(make())
        except ModuleNotFoundError:
            missing.append(name)
    took = interleaved(work, times=300, rounds=31 if full else 15)
    what = "no-op step, 4 KB observation"
    yield against(what, took["ours"], "gym.make default, same text", took["Gymnasium"], at_most=AT_MOST)
    for name in makers:
        yield absent(what, name) if name in missing else against(what, took["ours"], name, took[name])


def _stepping(step: Callable[[str], object]) -> Callable[[int], None]:
    def work(times: int) -> None:
        for _ in range(times):
            step("")

    return work


def _gem() -> Callable[[str], object]:
    core = importlib.import_module("gem.core")
    registration = importlib.import_module("gem.envs.registration")

    class Shown(core.Env):  # type: ignore[misc, name-defined]
        count = 0

        def reset(self, seed: int | None = None) -> tuple[str, dict[str, Any]]:
            return CHUNK, {}

        def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
            self.count += 1
            return f"{CHUNK} {self.count}", 0.0, False, False, {}

    registration.register("memgym:Shown", Shown)
    env = registration.make("memgym:Shown")
    env.reset()
    return env.step  # type: ignore[no-any-return]


def _textarena() -> Callable[[str], object]:
    arena = importlib.import_module("textarena")

    class Shown(arena.Env):  # type: ignore[misc, name-defined]
        def reset(self, num_players: int, seed: int | None = None) -> None:
            self.state = arena.SinglePlayerState(num_players=num_players, max_turns=1 << 60, seed=seed)
            self.state.reset(game_state={"count": 0}, player_prompt_function=lambda *_, **__: "Read and remember.")

        def step(self, action: str) -> object:
            state = self.state
            state.game_state["count"] += 1
            state.observations[0].clear()  # its history would grow for ever
            state.add_observation(
                message=f"{CHUNK} {state.game_state['count']}", observation_type=arena.ObservationType.GAME_MESSAGE
            )
            return state.step()

    env = Shown()
    env.reset(num_players=1)

    def step(action: str) -> object:
        done = env.step(action)
        return env.get_observation(), done

    return step
