"""Worker processes that die, by their own hand and by another's: what was done is kept, what was not is played again."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from pathlib import Path

import pytest
from mortal_agents import begun, deaths

from memgym.eval.jobs import Job
from memgym.eval.processes import portable
from memgym.eval.runner import player
from memgym.records import Episode, read_records
from memgym.registry import UnknownName

pytestmark = pytest.mark.slow


def kill_a_worker_after(count: int):
    """Return a function to be told of records, which kills a worker process when it was told of so many."""
    seen: list[str] = []

    def done(record) -> None:
        seen.append(record.episode.id)
        if len(seen) == count:
            os.kill(multiprocessing.active_children()[0].pid, signal.SIGKILL)

    return done


@pytest.mark.parametrize(("protocol", "concurrency"), [("isolated", 4), ("isolated", 1), ("online-procedural", 4)])
def test_a_run_in_which_a_worker_is_killed_writes_the_same_bytes(protocol, concurrency, lived):
    chosen = {"agents": ["mortal", "reader"], "episodes": 30, "concurrency": concurrency}
    whole = lived(protocol, **chosen)
    killed = lived(protocol, workers=2, done=kill_a_worker_after(5), **chosen)
    assert killed.tally.workers == 1
    assert killed.lines == whole.lines
    assert len(killed.told) == len(killed.records)


def test_no_finished_episode_is_played_again(lived, dying, marks):
    whole = lived(episodes=20)
    dying("oak", 1)
    run = lived(episodes=20, workers=2, concurrency=4)
    assert run.lines == whole.lines
    assert deaths(marks) == 1
    assert (run.tally.workers, run.tally.given_up) == (1, 0)
    assert 1 <= run.tally.again <= 4
    assert 20 < begun(marks) <= 20 + run.tally.again


def test_an_episode_that_kills_every_worker_is_a_record_with_an_error_and_the_others_are_played(lived, dying, marks):
    whole = lived(episodes=12)
    guilty = [n for n, record in enumerate(whole.records) if "glass" in record.sample]
    dying("glass", 1000)
    run = lived(episodes=12, workers=2)
    failed = [n for n, record in enumerate(run.records) if record.error is not None]
    assert failed == guilty != []
    assert "killed by signal 9" in run.records[failed[0]].error
    assert run.records[failed[0]].outcome is None
    assert run.tally.given_up == len(failed)
    assert deaths(marks) <= 3 * len(failed)
    assert [line for n, line in enumerate(run.lines) if n not in failed] == [
        line for n, line in enumerate(whole.lines) if n not in failed
    ]


def test_a_chain_of_memories_goes_on_after_an_episode_that_kills_every_worker(lived, dying, marks):
    dying("glass", 1000)
    run = lived("online-procedural", workers=2, episodes=8)
    failed = [record for record in run.records if record.error is not None]
    assert failed
    assert all("glass" in record.sample or record.episode.tags["phase"] == "form" for record in failed)
    assert len(run.told) == len(run.records)


def test_workers_end_when_the_run_is_killed(start, tmp_path):
    records = tmp_path / "run" / "records.jsonl"
    run = start("--episodes", "5000", "--workers", "2", "--out", str(tmp_path / "run"))
    run.wait_for(lambda: records.exists() and records.stat().st_size > 0)
    assert run.left()
    run.process.kill()
    run.process.communicate(timeout=60)
    assert run.none_left()


def test_ctrl_c_keeps_what_was_done_and_leaves_no_process(start, tmp_path):
    records = tmp_path / "run" / "records.jsonl"
    run = start("--episodes", "5000", "--workers", "2", "--out", str(tmp_path / "run"))
    run.wait_for(lambda: records.exists() and records.stat().st_size > 0)
    run.process.send_signal(signal.SIGINT)
    said = run.process.communicate(timeout=60)[0].decode()
    assert run.process.returncode == 130, said
    assert "--resume" in said
    assert 1 <= len(list(read_records(records))) < 5000
    assert run.none_left()


def test_what_was_lost_is_said_below_the_table(start, tmp_path: Path):
    folder = tmp_path / "marks"
    folder.mkdir()
    dying = {"FOLDER": str(folder), "DOOR": "oak", "DEATHS": "1"}
    run = start(
        "--episodes", "12", "--workers", "2", "--out", str(tmp_path / "run"),
        **{f"MEMGYM_TEST_MORTAL_{name}": value for name, value in dying.items()},
    )  # fmt: skip
    said = run.process.communicate(timeout=240)[0].decode()
    assert run.process.returncode == 0, said
    assert "Workers lost: 1." in said


def test_an_error_before_an_episode_starts_comes_back_as_itself():
    async def play() -> None:
        async with player(2, 1) as dealt:
            await dealt(Job(Episode("one", "MemGym/Levers", "reader", 0, sample="gold-1")))

    with pytest.raises(UnknownName, match="no door 'gold-1'"):
        asyncio.run(play())


@pytest.mark.parametrize("error", [OSError(2, "gone"), ValueError("\ud800")])
def test_an_error_that_can_travel_travels_as_itself(error):
    assert type(portable(error)) is type(error)


def test_an_error_that_cannot_travel_is_told_by_its_kind_and_words():
    class Local(Exception):
        pass

    assert str(portable(Local("why"))) == "Local: why"
