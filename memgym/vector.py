"""MemoryVectorEnv: many episodes in lock step, and one encoder call a step for all of them.

``gym.make_vec(id, num_envs=n, vectorization_mode="vector_entry_point")`` builds it. It differs from a SyncVectorEnv of
the same environments only in speed: a test holds them equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from memgym import registry
from memgym.env import Info, MemoryEnv, Texts
from memgym.operations import Action
from memgym.pomdp import TEXTS, Pomdp

Batch = dict[str, tuple[str, ...]]


class MemoryVectorEnv(VectorEnv[Batch, Sequence[str | Action], NDArray[Any]]):
    """``num_envs`` independent episodes.

    ``autoreset_mode`` is "NextStep" (Gymnasium's default), "SameStep" (the final observation and info are in
    ``infos["final_obs"]`` and ``infos["final_info"]``) or "Disabled" (reset with ``options={"reset_mask": mask}``).
    Other keyword arguments are those of MemoryEnv; each sub-environment is seeded with ``seed + index``.
    """

    def __init__(
        self, num_envs: int = 1, *, autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP, **options: Any
    ) -> None:
        if num_envs < 1:
            raise ValueError(f"num_envs is {num_envs}; 1 or more was expected.")
        self.autoreset = _mode(autoreset_mode)
        self.metadata = {**MemoryEnv.metadata, "autoreset_mode": self.autoreset}
        self.render_mode = options.get("render_mode")
        self.envs = [MemoryEnv(**options) for _ in range(num_envs)]
        self.num_envs = num_envs
        self.single_observation_space = self.envs[0].observation_space
        self.single_action_space = self.envs[0].action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._over = np.zeros(num_envs, bool)
        self._texts: list[Texts] = []

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Batch, Info]:
        options = dict(options or {})
        mask = options.pop("reset_mask", None)
        chosen = np.ones(self.num_envs, bool) if mask is None else np.asarray(mask, bool)
        if chosen.shape != (self.num_envs,) or not chosen.any():
            raise ValueError(f"reset_mask must name at least one of {self.num_envs} environments, got {mask!r}.")
        if not self._texts and not chosen.all():
            raise ResetNeeded("Call reset() without a reset_mask first: no episode is in progress.")
        seeds = self._seeds(seed)
        self._texts = self._texts or [{}] * self.num_envs
        infos: Info = {}
        for i in np.flatnonzero(chosen):
            self._texts[i], info = self.envs[i].reset(seed=seeds[i], options=dict(options))
            infos = self._add_info(infos, info, int(i))
        self._over[chosen] = False
        return self._batch(), infos

    def step(
        self, actions: Sequence[str | Action]
    ) -> tuple[Batch, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Info]:
        if isinstance(actions, str):
            raise TypeError("step takes one action for each environment, not one text.")
        if len(actions) != self.num_envs:
            raise ValueError(f"{len(actions)} actions were given for {self.num_envs} environments.")
        moving = self._begin(actions)
        self._encode(moving)
        rewards = np.zeros(self.num_envs, np.float64)
        ends = np.zeros((2, self.num_envs), np.bool_)
        infos: Info = {}
        human = self.render_mode == "human"
        for i, pomdp in moving:
            ongoing = not pomdp.over
            reward = pomdp.finish()
            self._texts[i] = pomdp.texts
            if human or pomdp.over:
                _, rewards[i], ends[0, i], ends[1, i], info = self.envs[i].told(reward, ongoing)
                if pomdp.over:
                    infos = self._ended(i, info, infos)
        self._over = np.asarray(ends[0] | ends[1], bool)
        return self._batch(), rewards, ends[0], ends[1], {**self._infos(), **infos}

    def _begin(self, actions: Sequence[str | Action]) -> list[tuple[int, Pomdp]]:
        """Begin every step, or the next episode where one was over; return whose step has a second half."""
        fresh = self._over.tolist() if self.autoreset is AutoresetMode.NEXT_STEP else [False] * self.num_envs
        moving: list[tuple[int, Pomdp]] = []
        for i, (env, action, over) in enumerate(zip(self.envs, actions, fresh, strict=True)):
            if over:
                self._texts[i], _ = env.reset()
            elif action != "" or not env.wait(action):
                env.begin(action)
                moving.append((i, env.pomdp))
        return moving

    def _ended(self, i: int, info: Info, infos: Info) -> Info:
        """Note how an episode ended, and begin the next one if that is to be done in the same step."""
        if self.autoreset is not AutoresetMode.SAME_STEP:
            return self._add_info(infos, {"outcome": info["outcome"]}, i) if "outcome" in info else infos
        infos = self._add_info(infos, {"final_obs": self._texts[i], "final_info": info}, i)
        self._texts[i], _ = self.envs[i].reset()
        return infos

    def _infos(self) -> Info:
        """Return the infos that every episode has, as ``_add_info`` would gather them one by one."""
        count, pomdps = self.num_envs, [env.pomdp for env in self.envs]
        seen, groups = np.empty(count, object), np.empty(count, object)
        for i, pomdp in enumerate(pomdps):
            seen[i] = pomdp.seen
        groups[:] = [env.group for env in self.envs]
        gathered = {
            "observation": seen,
            "group": groups,
            "step": np.array([pomdp.steps for pomdp in pomdps]),
            "memory/size": np.array([pomdp.size for pomdp in pomdps]),
        }
        return {
            name: part for key, of in gathered.items() for name, part in ((key, of), (f"_{key}", np.ones(count, bool)))
        }

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            return [int(seed) + i for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"{len(seed)} seeds were given for {self.num_envs} environments.")
        return list(seed)

    def _encode(self, moving: Sequence[tuple[int, Pomdp]]) -> None:
        """Compute every vector that this step's reads need; the encoder's cache then serves them.

        One call, or two for an encoder that takes queries and documents in different ways.
        """
        encoder = self.envs[0].encoder
        if encoder is None:
            return
        texts: list[str] = []
        queries: list[str] = []
        for _, pomdp in moving:
            reads = pomdp.reads if pomdp.options.reads == "requested" else [*pomdp.reads, *pomdp.standing()]
            for needed in pomdp.memory.missing(reads, pomdp.options.by).values() if reads else ():
                for text, is_query in needed:
                    (queries if is_query else texts).append(text)
        if not encoder.sided:
            texts, queries = texts + queries, []
        if texts:
            encoder.prepare(texts)
        if queries:
            encoder.prepare(queries, query=True)

    def _batch(self) -> Batch:
        return {name: tuple([texts[name] for texts in self._texts]) for name in TEXTS}

    def close_extras(self, **kwargs: Any) -> None:
        for env in self.envs:
            env.close()

    def render(self) -> tuple[Any, ...] | None:
        """Return the screen of every environment."""
        return tuple(env.render() for env in self.envs) if self.render_mode == "ansi" else None


def _mode(mode: str | AutoresetMode) -> AutoresetMode:
    if isinstance(mode, AutoresetMode):
        return mode
    for known in AutoresetMode:
        if mode.replace("_", "").casefold() in (known.value.casefold(), known.name.replace("_", "").casefold()):
            return known
    raise registry.unknown("autoreset mode", mode, [known.value for known in AutoresetMode])
