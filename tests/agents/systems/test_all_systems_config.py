"""docs/all-systems.yaml names every system that can read texts, and is a run that can be scheduled."""

from __future__ import annotations

from pathlib import Path

from memgym import registry
from memgym.agents.lifecycle.system import MemorySystem
from memgym.eval.config import RunConfig, schedule

CONFIG = Path(__file__).resolve().parents[3] / "docs" / "all-systems.yaml"
LEARNS_FROM_TRAJECTORIES = {"awm", "expel"}
ASSEMBLED = {"memory-system", "multi-system"}


def test_every_published_system_that_reads_texts_is_in_the_config():
    systems = {name for name in registry.names("agent") if issubclass(registry.load("agent", name), MemorySystem)}
    named = {agent.agent for agent in RunConfig.load(CONFIG).agents}
    assert systems - LEARNS_FROM_TRAJECTORIES - ASSEMBLED <= named


def test_the_config_is_a_run_that_can_be_scheduled():
    config = RunConfig.load(CONFIG)
    assert len(schedule(config)) == config.episodes * len(config.agents)
