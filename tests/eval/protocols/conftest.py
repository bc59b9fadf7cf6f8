"""A run under a protocol, in memory or in a folder, and the tiny world of levers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from levers import config, levers_registered, plug_in

from memgym.eval.bench import run_bench
from memgym.eval.config import RunConfig, plan_of
from memgym.eval.driving import Driver
from memgym.eval.leavings import Leavings
from memgym.records import EpisodeRecord

Lived = Callable[..., tuple[RunConfig, list[EpisodeRecord]]]


@pytest.fixture(autouse=True)
def levers(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The world of levers here and in processes that are started; gives the folder that they need on their path."""
    folder = plug_in(tmp_path_factory.mktemp("plug-in"))
    monkeypatch.syspath_prepend(str(folder))
    with levers_registered():
        yield folder


@pytest.fixture
def played() -> Lived:
    """Play a protocol in memory; gives the config and the records in the order of the plan."""

    def play(protocol: str, env: str = "MemGym/Levers", **changes: Any) -> tuple[RunConfig, list[EpisodeRecord]]:
        made = config(protocol, env, **changes)
        records: dict[str, EpisodeRecord] = {}

        def done(record: EpisodeRecord) -> None:
            records[record.episode.id] = record

        driver = Driver({}, Leavings(None, {}), done)
        driver.run(made.scheduler.lanes(plan_of(made)), workers=1, concurrency=4)
        return made, [records[episode.id] for episode in driver.episodes]

    return play


@pytest.fixture
def bench(tmp_path: Path) -> Callable[..., Path]:
    """Play a protocol into a folder, as ``memgym bench`` does; gives the folder."""

    def run(protocol: str, env: str = "MemGym/Levers", *, name: str = "run", **changes: Any) -> Path:
        run_bench(config(protocol, env, **changes), out=tmp_path / name)
        return tmp_path / name

    return run
