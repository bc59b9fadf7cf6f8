"""The endpoint at which the tests' judges are served, and a small run to judge."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from endpoint import server

from memgym.eval.bench import run_bench
from memgym.eval.config import AgentConfig, RunConfig

__all__ = ["run", "server"]


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two agents on three episodes of four questions, which nobody has judged."""
    path = tmp_path_factory.mktemp("judging") / "run"
    agents = [AgentConfig(agent=name) for name in ("bm25-rag", "scratchpad-only")]
    options = {"questions": 4}
    run_bench(
        RunConfig(env="MemGym/Synthetic-50doc", env_options=options, agents=agents, episodes=3, bounds=False), out=path
    )
    return path


@pytest.fixture
def copied(played: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Copies the run under another name."""
    return lambda name: Path(shutil.copytree(played, tmp_path / name))


@pytest.fixture
def run(copied: Callable[[str], Path]) -> Path:
    return copied("run")
