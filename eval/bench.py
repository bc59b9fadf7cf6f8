"""A run from its config to its table: make the plan, play what is missing, keep everything, score, show."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from memgym.model import ModelError
from memgym.records import EpisodeRecord

from .bounds import with_bounds
from .config import DEFAULT_AGENTS, DEFAULT_ENV, DEFAULT_OPTIONS, AgentConfig, RunConfig, plan_of
from .driving import Driver
from .folder import RunFolder
from .judging.progress import judge_with_progress
from .judging.verdicts import with_verdicts
from .leavings import Leavings
from .metrics.rows import Row
from .progress import bar
from .protocols.protocol import Lane
from .scored import score
from .table import show


class AllFailed(RuntimeError):
    """An agent of a run has no episode that could be played; the run is kept all the same."""


DENSE = ("dense-rag", "hybrid-rag")
UNIT_TEST_ENCODER = "hashing"


def bench_config(
    *, env: str | None, agents: Sequence[str] | None, model: str | None, env_options: dict[str, Any], **rest: Any
) -> RunConfig:
    """Fill in what was not said, in the open: the saved config names every choice.

    No environment: twenty questions an episode on 100 documents; one question in each of 20 episodes orders nothing.
    Dense agents without an encoder get the
    hashing one, which needs no package and is meant for tests; the table says so.
    """
    env_options = {**(DEFAULT_OPTIONS if env is None else {}), **env_options}
    env = env or DEFAULT_ENV
    names = list(agents or DEFAULT_AGENTS)
    encoder = {} if "encoder" in env_options or not set(names) & set(DENSE) else {"encoder": UNIT_TEST_ENCODER}
    return RunConfig(
        env=env,
        env_options={**env_options, **encoder},
        agents=[AgentConfig(agent=name) for name in names],
        model=model or "",
        **rest,
    )


def run_bench(config: RunConfig | None, *, out: Path | None = None, resume: Path | None = None) -> list[Row]:
    """Play a run, or what is left of one, and print its table. On Ctrl-C what was done is kept, scored and shown."""
    if config is None and resume is None:
        raise ValueError("run_bench needs a config or a folder to resume.")
    settled = config if config is not None else RunFolder.resume(_given(resume)).config
    plan = plan_of(settled)
    if config is not None:
        settled, plan = with_bounds(config, plan)
        _say_bounds(config, settled)
    lanes = settled.scheduler.lanes(plan)
    folder = RunFolder.create(out, settled) if config is not None else RunFolder.resume(_given(resume))
    known = folder.records()
    driver = Driver(known, Leavings(folder.memories, known) if settled.scheduler.keeps else None, folder.append)
    try:
        interrupted = _play(driver, lanes, folder.config)
    except BaseException:
        if resume is None:
            folder.discard_if_unused()
        raise
    asked = driver.episodes
    records = list(folder.close(asked).values())
    trouble = None if interrupted else _judge(folder, records)
    scored = score(folder.config, with_verdicts(records, folder.path))
    folder.save_metrics(scored.to_json())
    show(scored)
    said = f"{len(records)} of {len(asked)} episodes. Go on with: memgym bench --resume {folder.path}"
    Console(highlight=False, soft_wrap=True).print(
        f"Stopped after {said}" if interrupted else f"Run folder: {folder.path}"
    )
    if lost := str(driver.tally):
        Console(highlight=False, soft_wrap=True).print(lost)
    if interrupted:
        raise KeyboardInterrupt
    if trouble is not None:
        raise trouble
    if dead := [row.agent for row in scored.rows if row.failed == row.n]:
        raise AllFailed(f"Every episode of {', '.join(dead)} failed; the reasons stand below the table.")
    return list(scored.rows)


def _say_bounds(asked: RunConfig, settled: RunConfig) -> None:
    """Say which rows come free before they cost anything."""
    if added := [agent.name for agent in settled.agents[len(asked.agents) :]]:
        told = f"With the bounds {', '.join(added)}; without them: --no-bounds."
        Console(stderr=True, highlight=False, soft_wrap=True).print(told, style="dim")


def _judge(folder: RunFolder, records: Sequence[EpisodeRecord]) -> BaseException | None:
    """Have the answers judged, if the config names a judge; return what went wrong, which can wait for the table."""
    if folder.config.judge is None:
        return None
    try:
        judge_with_progress(folder.path, records, folder.config.judge)
    except (ModelError, ValueError, KeyboardInterrupt) as trouble:
        return trouble
    return None


def _given(path: Path | None) -> Path:
    assert path is not None
    return path


def _play(driver: Driver, lanes: Sequence[Lane], config: RunConfig) -> bool:
    """Play with a progress bar; return whether a person interrupted it."""
    with bar("episodes", 0) as watch:
        driver.watch(watch)
        try:
            driver.run(lanes, workers=config.workers, concurrency=config.concurrency)
        except KeyboardInterrupt:
            return True
    return False
