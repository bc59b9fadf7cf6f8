"""A run under a protocol: the same bytes however it is played, resumed after a kill, its memories made anew."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from levers import config

from memgym import registry
from memgym.eval.bench import run_bench
from memgym.eval.config import AgentConfig, plan_of
from memgym.eval.driving import Driver
from memgym.eval.folder import RunFolder
from memgym.eval.leavings import Leavings
from memgym.records import read_records
from memgym.replay import replay

TESTS = Path(__file__).resolve().parents[2]
PROCEDURAL = [
    ("online-procedural", {}),
    ("batch-procedural", {"batch": 3}),
    ("streaming-procedural", {}),
    ("streaming-procedural", {"unit": "step", "every": 1}),
    ("offline-procedural", {}),
    ("adversarial-noise", {}),
    ("adversarial-noise", {"base": {"name": "batch-procedural", "batch": 2}}),
    ("temporal-shift", {}),
    ("cross-agent-transfer", {}),
    ("reflection-procedural", {}),
]


def lines(folder: Path) -> bytes:
    return (folder / "records.jsonl").read_bytes()


@pytest.mark.parametrize(("protocol", "knobs"), PROCEDURAL)
def test_a_run_that_lost_its_tail_is_resumed_to_the_same_bytes(protocol, knobs, bench):
    folder = bench(protocol, knobs=knobs, agents=["apprentice", "reader"], episodes=6)
    whole, metrics = lines(folder), (folder / "metrics.json").read_text()
    kept = whole.splitlines(keepends=True)
    for left in (0, len(kept) // 3, len(kept) - 1):
        (folder / "records.jsonl").write_bytes(b"".join(kept[:left]) + kept[left][:50])
        run_bench(None, resume=folder)
        assert lines(folder) == whole
    assert (folder / "metrics.json").read_text() == metrics


@pytest.mark.parametrize(("protocol", "knobs"), PROCEDURAL)
def test_memories_that_were_deleted_or_spoilt_are_made_anew_from_the_records(protocol, knobs, bench):
    folder = bench(protocol, knobs=knobs, episodes=5)
    whole = lines(folder)
    kept = whole.splitlines(keepends=True)
    for spoil in (_delete, _truncate, _replace):
        spoil(folder / "memories")
        (folder / "records.jsonl").write_bytes(b"".join(kept[: len(kept) * 2 // 3]))
        run_bench(None, resume=folder)
        assert lines(folder) == whole


def _delete(memories: Path) -> None:
    shutil.rmtree(memories)


def _truncate(memories: Path) -> None:
    for path in memories.iterdir():
        path.write_bytes(path.read_bytes()[:-9])


def _replace(memories: Path) -> None:
    for path in memories.iterdir():
        left = json.loads(path.read_text())
        if "memory" in left:
            left["memory"]["scratchpad"] = "somebody else's"
            path.write_text(json.dumps(left))


@pytest.mark.parametrize(("protocol", "knobs"), PROCEDURAL)
def test_every_record_of_a_run_replays_byte_for_byte(protocol, knobs, bench):
    replayed = list(replay(bench(protocol, knobs=knobs, episodes=4) / "records.jsonl"))
    assert [one for one in replayed if not one.equal] == []


def test_records_hold_no_memory_and_the_folder_does(bench):
    folder = bench("online-procedural")
    assert all(record.episode.memory is None for record in read_records(folder / "records.jsonl"))
    forms = [record for record in read_records(folder / "records.jsonl") if record.episode.tags["phase"] == "form"]
    leavings = Leavings(folder / "memories", RunFolder.resume(folder).records())
    assert len(leavings.memory(forms[-1].episode.id)["entries"]) == forms[-1].steps[-1].size


@pytest.mark.parametrize("label", ["a/b: c?", "学徒" * 80, "\N{THAI CHARACTER KO KAI}" * 30, "..", "\ud800"])
def test_what_an_agent_is_called_does_not_matter_to_its_files(label, tmp_path):
    made = config("online-procedural", episodes=2)
    named = made.model_copy(update={"agents": [AgentConfig(agent="apprentice", label=label)]})
    records = {}
    leavings = Leavings(tmp_path / "memories", {})
    driver = Driver({}, leavings, lambda record: records.setdefault(record.episode.id, record))
    driver.run(named.scheduler.lanes(plan_of(named)), workers=1, concurrency=1)
    assert len(list((tmp_path / "memories").iterdir())) == 4
    again = Leavings(tmp_path / "memories", records)
    assert all(again.memory(id) == leavings.memory(id) for id in records if not records[id].episode.frozen)


def test_isolated_episodes_leave_nothing(bench):
    folder = bench("isolated", agents=["reader"])
    assert not (folder / "memories").exists()


def test_a_failed_episode_is_played_again_with_all_that_came_after_it(bench):
    folder = bench("online-procedural")
    whole = lines(folder)
    records = [json.loads(line) for line in whole.splitlines()]
    records[3].update(error="ModelError: gone", outcome=None, steps=[])
    (folder / "records.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    run_bench(None, resume=folder)
    assert lines(folder) == whole


def test_a_record_that_is_broken_in_the_middle_is_named_by_its_line(bench):
    folder = bench("online-procedural")
    kept = lines(folder).splitlines(keepends=True)
    (folder / "records.jsonl").write_bytes(b"".join([*kept[:2], kept[2][:40] + b"\n", *kept[3:]]))
    with pytest.raises(ValueError, match="line 3 is not a record"):
        run_bench(None, resume=folder)


def test_a_memory_of_an_episode_that_is_not_on_record_is_an_error():
    with pytest.raises(ValueError, match=r"'apprentice/x'.*not on record"):
        Leavings(None, {}).memory("apprentice/x")


def test_the_metrics_hold_what_the_protocol_measures(bench):
    metrics = json.loads((bench("reflection-procedural") / "metrics.json").read_text())
    assert {"first try", "final try", "final - first"} <= {one["name"] for one in metrics["measures"]}
    assert all(set(one["value"]) == {"mean", "low", "high", "n"} for one in metrics["measures"])
    assert metrics["rows"][0]["n"] == 8


@pytest.mark.slow
@pytest.mark.parametrize(("protocol", "knobs"), PROCEDURAL)
def test_two_workers_write_the_same_bytes_as_one(protocol, knobs, bench):
    chosen = {"knobs": knobs, "agents": ["apprentice", "reader"], "episodes": 4}
    one = bench(protocol, name="one", **chosen)
    two = bench(protocol, name="two", **chosen, workers=2, concurrency=2)
    assert lines(one) == lines(two)


@pytest.mark.slow
@pytest.mark.parametrize(
    "protocol", ["offline-declarative", "scenario-declarative", "adversarial-noise", "temporal-shift"]
)
def test_two_workers_write_the_same_bytes_about_conversations(protocol, bench):
    chosen = {"agents": ["bm25-rag"], "model": "rules", "env_options": {"questions": 2, "turns": 6}, "episodes": 3}
    env = "MemGym/SyntheticDialogue-5sessions"
    one = bench(protocol, env, name="one", **chosen)
    two = bench(protocol, env, name="two", **chosen, workers=2)
    assert lines(one) == lines(two)


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_what_was_played_before_a_kill_is_kept_and_the_rest_follows_to_the_same_bytes(workers, tmp_path, levers):
    path = os.pathsep.join([str(levers), str(TESTS)])
    environment = {**os.environ, "PYTHONPATH": path}
    command = [sys.executable, "-m", "memgym", "bench"]
    chosen = ["--env", "MemGym/Levers", "--agent", "apprentice", "--agent", "reader", "--episodes", "40",
              "--protocol", "online-procedural", "--model", "none"]  # fmt: skip
    folder, records = tmp_path / "run", tmp_path / "run" / "records.jsonl"
    process = subprocess.Popen(
        [*command, *chosen, "--workers", workers, "--out", str(folder)],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < until:
        if records.exists() and records.read_bytes().count(b"\n") >= 12:
            os.killpg(process.pid, signal.SIGKILL)
            break
        time.sleep(0.005)
    process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL
    before = len(list(read_records(records)))
    assert 12 <= before < 160
    subprocess.run([*command, "--resume", str(folder)], env=environment, check=True, capture_output=True)
    whole = tmp_path / "whole"
    subprocess.run([*command, *chosen, "--out", str(whole)], env=environment, check=True, capture_output=True)
    assert lines(folder) == lines(whole)


def test_every_protocol_is_played_by_one_of_these_tests():
    named = {name for name, _ in PROCEDURAL} | {"offline-declarative", "scenario-declarative", "isolated"}
    assert named == set(registry.names("protocol")) - {"curriculum"}  # a schedule of training, tested there
