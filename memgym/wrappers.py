"""Gymnasium wrappers around a MemoryEnv: one text in place of the Dict, the fully observable twin, a recorder.

Masks, capacity and budgets are options of the environment itself (memgym.options): they change what a step may do,
which a wrapper outside of the step could only pretend.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium
from gymnasium.utils import RecordConstructorArgs

from memgym.env import Info, MemoryEnv, Texts
from memgym.operations import Action
from memgym.records import Episode, StepRecord
from memgym.rollout import finish, recorded_step, start_of, written
from memgym.spaces import Unicode

_TITLES = {
    "task": "Task",
    "scratchpad": "Scratchpad",
    "memories": "Memories read",
    "feedback": "Results of the last action",
    "observation": "Input",
}


def render_prompt(texts: Mapping[str, str]) -> str:
    """Return an observation as one text: a heading and the text of every part that is not empty."""
    return "\n\n".join(f"## {title}\n{texts[name]}" for name, title in _TITLES.items() if texts[name])


class PromptObservation(gymnasium.ObservationWrapper[str, str | Action, Texts], RecordConstructorArgs):
    """The observation as one Unicode text, for agents that take a prompt."""

    def __init__(self, env: gymnasium.Env[Texts, str | Action]) -> None:
        RecordConstructorArgs.__init__(self)
        gymnasium.ObservationWrapper.__init__(self, env)
        self.observation_space = Unicode()

    def observation(self, observation: Texts) -> str:
        return render_prompt(observation)


class FullyObservable(gymnasium.ObservationWrapper[Texts, str | Action, Texts], RecordConstructorArgs):
    """The fully observable twin of a MemoryEnv: every input so far, and the whole memory, at every step."""

    def __init__(self, env: gymnasium.Env[Texts, str | Action]) -> None:
        RecordConstructorArgs.__init__(self)
        gymnasium.ObservationWrapper.__init__(self, env)
        self._history: list[str] = []
        _memory_env(env)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Texts, Info]:
        self._history = []
        return super().reset(seed=seed, options=options)

    def observation(self, observation: Texts) -> Texts:
        if observation["observation"] and observation["observation"] not in self._history[-1:]:
            self._history.append(observation["observation"])
        env = _memory_env(self.env)
        lines = [f"[{entry.id}] {entry.text}" for entry in env.memory.entries()]
        return {**observation, "observation": "\n\n".join(self._history), "memories": "\n".join(lines)}


class RecordEpisodes(gymnasium.Wrapper[Texts, str | Action, Texts, str | Action], RecordConstructorArgs):
    """Appends a record of every finished episode to a JSON Lines file, for loops that are written by hand.

    Give every ``reset`` a seed: an episode without one is played, and recorded with the error that it has no seed.
    ``agent`` is the name that the records carry.
    """

    def __init__(self, env: gymnasium.Env[Texts, str | Action], path: str | Path, agent: str = "by-hand") -> None:
        RecordConstructorArgs.__init__(self, path=str(path), agent=agent)
        gymnasium.Wrapper.__init__(self, env)
        _memory_env(env)
        self._path = Path(path)
        self._agent = agent
        self._count = 0
        self._steps: list[StepRecord] = []

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Texts, Info]:
        texts, info = self.env.reset(seed=seed, options=options)
        env = _memory_env(self.env)
        if env.spec is None:
            raise ValueError("RecordEpisodes needs an environment made by gym.make: its id goes into the records.")
        self._seed = seed
        kwargs = {name: value for name, value in env.spec.kwargs.items() if name != "render_mode"}
        start = (options or {}).get("memory", "fresh")
        self._episode = Episode(
            f"{self._agent}/{self._count:06d}", env.spec.id, self._agent, seed or 0, env.pomdp.sample.id, kwargs,
            memory=None if start == "fresh" else env.memory.to_json(), frozen=env.memory.frozen,
        )  # fmt: skip
        self._first, self._steps = start_of(texts), []
        return texts, info

    def step(self, action: str | Action) -> tuple[Texts, float, bool, bool, Info]:
        env = _memory_env(self.env)
        text = written(env, action)
        was_over = env.pomdp.over
        texts, reward, terminated, truncated, info = self.env.step(text)
        if not was_over:
            self._steps.append(recorded_step(env, text, texts, float(reward)))
            if env.pomdp.over:
                self._write(env)
        return texts, float(reward), terminated, truncated, info

    def _write(self, env: MemoryEnv) -> None:
        error = "reset was called without a seed: this episode cannot be replayed" if self._seed is None else None
        record = finish(env, self._episode, self._first, self._steps, privileged=False, error=error)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with open(self._path, "a", encoding="utf-8") as file:
            file.write(record.line() + "\n")
        self._count += 1


def _memory_env(env: gymnasium.Env[Any, Any]) -> MemoryEnv:
    inner = env.unwrapped
    if not isinstance(inner, MemoryEnv):
        raise TypeError(f"This wrapper goes around a MemoryEnv, not {type(inner).__name__}.")
    return inner
