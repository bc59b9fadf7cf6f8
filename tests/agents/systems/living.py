"""A stage for a system that learns from experience: what was lived is shown to it, and all that it did is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
from small_house import House, as_json
from staged import Staged

from memgym.agent import Agent, Briefing
from memgym.env import MemoryEnv
from memgym.memory import Memory
from memgym.model import Meter
from memgym.operations import Action, Result
from memgym.task import Experience

HASHING = {"backend": {"encoder": "hashing"}}


def lived(
    system: Any, model: Any, experiences: Sequence[Experience], memory: Memory | str = "fresh", **options: Any
) -> Staged:
    """Show experiences in the order given; ``options`` are those of the system's stages."""
    meter = Meter(model)
    agent = system(meter, options={**HASHING, **options})
    env = MemoryEnv(
        "Experience", advance="explicit", encoder="hashing", shuffle=False,
        experiences=[as_json(one) for one in experiences],
    )  # fmt: skip
    return played(agent, env, meter, memory=memory)


def acted(system: Any, model: Any, sample: str, memory: Memory | str = "fresh", **options: Any) -> Staged:
    """Play an errand with a memory that was formed before."""
    meter = Meter(model)
    agent = system(meter, options={**HASHING, **options})
    env = MemoryEnv(House(), advance="explicit", encoder="hashing")
    return played(agent, env, meter, memory=memory, sample=sample)


def played(agent: Agent, env: MemoryEnv, meter: Meter, **reset: Any) -> Staged:
    """Play an episode to its end."""
    env.reset(seed=0, options=reset)
    actions: list[Action] = []
    results: list[Result] = []

    async def play() -> None:
        await agent.reset(Briefing(np.random.default_rng(0), env.dialect, env.options.allowed, 6))
        while not env.pomdp.over:
            action = await agent.act(env.pomdp.seen)
            assert isinstance(action, Action)
            actions.append(action)
            env.step(action)
            results.extend(env.pomdp.seen.results)

    asyncio.run(play())
    return Staged(env, actions, results, meter.take())
