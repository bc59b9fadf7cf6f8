"""A run from its config to its table: make the plan, play what is missing, keep everything, score, show."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from memgym.records import EpisodeRecord

from .config import DEFAULT_AGENTS, DEFAULT_ENV, DEFAULT_OPTIONS, AgentConfig, RunConfig, schedule
from .folder import RunFolder
from .metrics.rows import Row, rows
from .runner import play_plan
from .table import show

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
    plan = schedule(config if config is not None else RunFolder.resume(_given(resume)).config)
    folder = RunFolder.create(out, config) if config is not None else RunFolder.resume(_given(resume))
    finished = {id for id, record in folder.records().items() if record.error is None}
    left = [episode for episode in plan if episode.id not in finished]
    interrupted = _play(folder, left, len(plan))
    records = list(folder.close(plan).values())
    scored = save_scores(folder, records)
    show(scored, folder.config)
    said = f"{len(records)} of {len(plan)} episodes. Go on with: memgym bench --resume {folder.path}"
    Console(highlight=False, soft_wrap=True).print(
        f"Stopped after {said}" if interrupted else f"Run folder: {folder.path}"
    )
    if interrupted:
        raise KeyboardInterrupt
    return scored


def _given(path: Path | None) -> Path:
    assert path is not None
    return path


def _play(folder: RunFolder, left: list[Any], total: int) -> bool:
    """Play with a progress bar; return whether a person interrupted it."""
    columns = (TextColumn("episodes"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task("episodes", total=total, completed=total - len(left))

        def done(record: EpisodeRecord) -> None:
            folder.append(record)
            progress.advance(bar)

        try:
            play_plan(left, done, workers=folder.config.workers, concurrency=folder.config.concurrency)
        except KeyboardInterrupt:
            return True
    return False


def save_scores(folder: RunFolder, records: Sequence[EpisodeRecord]) -> list[Row]:
    """Score records without any model and write metrics.json: the rows, the config, and what produced the data."""
    scored = rows(records)
    folder.save_metrics(
        {
            "config": folder.config.model_dump(),
            "settings": _settings(records),
            "rows": [row.to_json() for row in scored],
        }
    )
    return scored


def _settings(records: Sequence[EpisodeRecord]) -> list[Any]:
    """Return the distinct settings that records were made under (versions, options, data checksum, encoder)."""
    distinct: dict[str, Any] = {}
    for record in records:
        distinct.setdefault(repr(record.setting), record.setting)
    return list(distinct.values())
