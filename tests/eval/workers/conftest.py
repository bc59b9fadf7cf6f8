"""Runs of mortal agents, and the processes that a run leaves behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from levers import config
from mortal_agents import DEATHS, DOOR, FOLDER, mortals_registered, plug_in_mortals

from memgym.eval.config import plan_of
from memgym.eval.crew import Tally
from memgym.eval.driving import Driver
from memgym.eval.leavings import Leavings
from memgym.records import EpisodeRecord

TESTS = Path(__file__).resolve().parents[2]


@dataclass
class Lived:
    """What a run in memory came to: its records in the order of the plan, and of each how often it was told."""

    records: list[EpisodeRecord]
    tally: Tally
    told: list[str] = field(default_factory=list)

    @property
    def lines(self) -> list[str]:
        return [record.line() for record in self.records]


@pytest.fixture(autouse=True)
def plug_in(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The mortal agent here and in processes that are started; gives the folder that they need on their path."""
    folder = plug_in_mortals(tmp_path_factory.mktemp("plug-in"))
    monkeypatch.syspath_prepend(str(folder))
    with mortals_registered():
        yield folder


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    """Where mortal agents write what they did."""
    folder = tmp_path / "marks"
    folder.mkdir()
    return folder


@pytest.fixture
def dying(monkeypatch: pytest.MonkeyPatch, marks: Path) -> Callable[[str, int], None]:
    """Let mortal agents die on doors of a kind, so many times in all."""

    def say(door: str, deaths: int) -> None:
        for name, value in ((FOLDER, marks), (DOOR, door), (DEATHS, deaths)):
            monkeypatch.setenv(name, str(value))

    return say


@pytest.fixture
def lived() -> Callable[..., Lived]:
    """Play a protocol with mortal agents in memory."""

    def play(
        protocol: str = "isolated",
        *,
        workers: int | str = 1,
        concurrency: int = 4,
        done: Callable[[EpisodeRecord], None] = lambda record: None,
        **changes: Any,
    ) -> Lived:
        made = config(protocol, **{"agents": ["mortal"], "episodes": 12, **changes})
        told: list[str] = []
        records: dict[str, EpisodeRecord] = {}

        def note(record: EpisodeRecord) -> None:
            told.append(record.episode.id)
            records[record.episode.id] = record
            done(record)

        driver = Driver({}, Leavings(None, {}) if made.scheduler.keeps else None, note)
        driver.run(made.scheduler.lanes(plan_of(made)), workers=workers, concurrency=concurrency)
        return Lived([records[episode.id] for episode in driver.episodes], driver.tally, told)

    return play


class Started:
    """``memgym bench`` of a mortal agent as a process of its own; it and all that it starts can be found."""

    def __init__(self, plug_in: Path, mark: str, *arguments: str, **environment: str) -> None:
        self.mark = f"MEMGYM_TEST_MARK={mark}"
        path = os.pathsep.join([str(plug_in), str(TESTS)])
        variables = {**os.environ, "PYTHONPATH": path, "MEMGYM_TEST_MARK": mark, **environment}
        command = [sys.executable, "-c", _INTERRUPTIBLE, "bench", "--env", "MemGym/Levers", "--agent", "mortal"]
        self.process = subprocess.Popen(
            [*command, "--model", "none", *arguments], env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )

    def wait_for(self, held: Callable[[], bool], seconds: float = 240) -> None:
        """Wait until something holds, or the process has ended."""
        until = time.monotonic() + seconds
        while not held() and self.process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)

    def left(self) -> list[int]:
        """Return the processes that were started by this one, however remotely, and are alive."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                marked = self.mark.encode() in (folder / "environ").read_bytes()
                ended = (folder / "stat").read_text().rpartition(") ")[2].startswith("Z")
            except OSError:
                continue
            if marked and not ended and int(folder.name) != self.process.pid:
                found.append(int(folder.name))
        return found

    def none_left(self, seconds: float = 60) -> bool:
        until = time.monotonic() + seconds
        while self.left() and time.monotonic() < until:
            time.sleep(0.05)
        return not self.left()


_INTERRUPTIBLE = """\
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from memgym.cli import main
main()
"""
"""A shell that runs the tests in the background has SIGINT ignored, and what it starts inherits that."""


@pytest.fixture
def start(plug_in: Path, tmp_path: Path) -> Iterator[Callable[..., Started]]:
    """Start a run; whatever of it is alive when the test ends is killed."""
    if not Path("/proc/self/environ").exists():
        pytest.skip("processes are found by /proc, which is not here")
    made: list[Started] = []

    def begin(*arguments: str, **environment: str) -> Started:
        made.append(Started(plug_in, f"{tmp_path.name}-{os.getpid()}-{len(made)}", *arguments, **environment))
        return made[-1]

    yield begin
    for one in made:
        one.process.kill()
        one.process.communicate()
        for pid in one.left():
            os.kill(pid, 9)
