"""The agents of these tests, known by name, and an episode that one of them plays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from keepers import AGENTS, ENV

from memgym import registry
from memgym.records import Episode, EpisodeRecord
from memgym.rollout import play


@pytest.fixture(autouse=True)
def agents() -> Iterator[None]:
    for made in AGENTS:
        registry.add("agent", made.name, f"keepers:{made.__name__}")
    yield
    for made in AGENTS:
        del registry._rows["agent"][made.name]


@pytest.fixture
def recorded() -> Callable[..., EpisodeRecord]:
    """Play an episode and give its record."""

    def play_one(agent: str = "keeper", seed: int = 0, env: str = ENV, **options: Any) -> EpisodeRecord:
        own = {"agent_options": options.pop("agent_options", {}), "memory": options.pop("memory", None)}
        asks = "model" in registry.parameters(registry.load("agent", agent))
        [record] = play(
            [Episode(f"{agent}/{seed}", env, agent, seed, model="rules" if asks else None, options=options, **own)]
        )
        assert record.error is None
        return record

    return play_one
