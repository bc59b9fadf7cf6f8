"""Real Ray on this machine: the same bytes, workers that die, a cluster that is there already, an end that leaves none."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from mortal_agents import deaths

from memgym.eval.ray_workers import start_local
from memgym.records import read_records

ray = pytest.importorskip("ray", reason="ray is not installed (extra ray)")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """A cluster that is there before a run, as one that somebody else started; gives its address."""
    start_local(ray, 2)
    yield ray.get_runtime_context().gcs_address
    ray.shutdown()


@pytest.mark.parametrize("protocol", ["isolated", "online-procedural"])
def test_ray_writes_the_same_bytes_as_one_process(protocol, lived, cluster):
    chosen = {"agents": ["mortal", "reader"], "episodes": 8}
    assert lived(protocol, workers="ray:2", **chosen).lines == lived(protocol, **chosen).lines


def test_a_run_in_which_a_ray_worker_is_killed_writes_the_same_bytes(lived, dying, marks, cluster):
    whole = lived("online-procedural", episodes=12)
    dying("oak", 1)
    run = lived("online-procedural", episodes=12, workers="ray")
    assert deaths(marks) == 1
    assert (run.tally.workers, run.tally.given_up) == (1, 0)
    assert run.lines == whole.lines


def test_an_episode_that_kills_every_ray_worker_is_a_record_with_an_error(lived, dying, cluster):
    whole = lived(episodes=6)
    dying("glass", 1000)
    run = lived(episodes=6, workers="ray:2")
    guilty = [n for n, record in enumerate(whole.records) if "glass" in record.sample]
    assert [n for n, record in enumerate(run.records) if record.error is not None] == guilty != []
    assert all(run.lines[n] == whole.lines[n] for n in range(6) if n not in guilty)


def test_a_run_joins_the_cluster_at_the_address_and_leaves_it_running(start, cluster, tmp_path):
    run = start("--episodes", "4", "--workers", "ray:1", "--out", str(tmp_path / "run"), RAY_ADDRESS=cluster)
    said = run.process.communicate(timeout=300)[0].decode()
    assert run.process.returncode == 0, said
    assert run.none_left()
    assert ray.cluster_resources()["CPU"] == 2


def test_ctrl_c_keeps_what_was_done_and_leaves_no_ray_process(start, tmp_path):
    records = tmp_path / "run" / "records.jsonl"
    run = start("--episodes", "5000", "--workers", "ray:2", "--out", str(tmp_path / "run"), RAY_ADDRESS="")
    run.wait_for(lambda: records.exists() and records.stat().st_size > 0)
    assert run.left()
    run.process.send_signal(signal.SIGINT)
    said = run.process.communicate(timeout=300)[0].decode()
    assert run.process.returncode == 130, said
    assert "--resume" in said
    assert 1 <= len(list(read_records(records))) < 5000
    assert run.none_left()
