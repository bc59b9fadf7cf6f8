"""``python -m benchmarks.rescoring``: CPU seconds to score stored episodes again, stage by stage, without any model.

The episodes are 40 that were played, told again under other names and with other answers, so that no two of one agent
have all their texts in common.
"""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from memgym.collecting import uncollected
from memgym.eval.bench import run_bench
from memgym.eval.config import AgentConfig, RunConfig
from memgym.eval.folder import RECORDS
from memgym.eval.report.rescoring import rescored
from memgym.eval.report.runs import read_run
from memgym.eval.scored import score
from memgym.records import EpisodeRecord, read_records

EPISODES = 10_000
LIMIT = 30.0
"""CPU seconds that ten thousand episodes may take."""
AGENTS = ("bm25-rag", "random", "full-context", "no-memory")

T = TypeVar("T")


def store(folder: Path, count: int) -> None:
    """Leave a run of ``count`` episodes in a folder."""
    agents = [AgentConfig(agent=name) for name in AGENTS]
    config = RunConfig(env="MemGym/Synthetic-100doc", env_options={"questions": 20}, agents=agents, episodes=10)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        run_bench(config, out=folder)
    played = list(read_records(folder / RECORDS))
    with open(folder / RECORDS, "w", encoding="utf-8") as file:
        file.writelines(record.line() + "\n" for record in _told_again(played, count))


def _told_again(played: Sequence[EpisodeRecord], count: int) -> Iterator[EpisodeRecord]:
    for number in range(count):
        record = played[number % len(played)]
        outcome = record.outcome
        assert outcome is not None
        said = tuple(
            f"{text} {number}" if at % 2 and text is not None else text for at, text in enumerate(outcome.predictions)
        )
        named = replace(record.episode, id=f"{record.episode.agent}/{number:06d}", seed=number)
        yield rescored(replace(record, episode=named, outcome=replace(outcome, predictions=said)))


def timed(what: str, work: Callable[[], T]) -> tuple[float, T]:
    start = time.process_time()
    made = work()
    spent = time.process_time() - start
    print(f"{what:8} {spent:6.2f}")
    return spent, made


def main(count: int = EPISODES) -> bool:
    """Print the CPU seconds of each stage; return whether all together held the limit."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        # In a process of its own: what it scores is not remembered in this one.
        subprocess.run([sys.executable, "-m", "benchmarks.rescoring", str(count), str(path)], check=True)
        size = (path / RECORDS).stat().st_size / 1e6
        print(f"{count:,} episodes, {size:,.0f} MB; CPU seconds:")
        with uncollected():  # as the command does
            reading, run = timed("read", lambda: read_run(path))
            scoring, again = timed("score", lambda: [rescored(record) for record in run.records])
            assert again == list(run.records)
            table, _ = timed("table", lambda: score(run.config, again))
    total = reading + scoring + table
    print(f"{'in all':8} {total:6.2f}   must be <= {LIMIT * count / EPISODES:g}")
    return total <= LIMIT * count / EPISODES


if __name__ == "__main__":
    _asked, _folder = int((sys.argv[1:] or [str(EPISODES)])[0]), sys.argv[2:]
    if _folder:
        store(Path(_folder[0]), _asked)
    else:
        sys.exit(0 if main(_asked) else 1)
