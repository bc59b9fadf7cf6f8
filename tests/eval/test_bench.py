"""Runs on the embedded world with the rules model: real environments, real agents, real files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from small_world import registered
from typer.testing import CliRunner

from memgym.cli import app
from memgym.eval.bench import bench_config, run_bench
from memgym.eval.config import AgentConfig, RunConfig, schedule
from memgym.eval.folder import RunFolder
from memgym.eval.table import title
from memgym.records import read_records

ENV = "MemGym/Synthetic-50doc"


def config(*agents: str, **changes) -> RunConfig:
    chosen = {
        "env": ENV,
        "agents": agents or ("bm25-rag", "no-memory"),
        "model": None,
        "env_options": {},
        "episodes": 3,
        "bounds": False,
    }
    return bench_config(**{**chosen, **changes})


def lines(folder: Path) -> bytes:
    return (folder / "records.jsonl").read_bytes()


def test_all_agents_play_the_same_samples_from_the_same_seeds():
    plan = schedule(config("bm25-rag", "oracle"))
    pairs = {name: [(e.sample, e.seed) for e in plan if e.agent == name] for name in ("bm25-rag", "oracle")}
    assert pairs["bm25-rag"] == pairs["oracle"]
    assert len(set(pairs["oracle"])) == 3


def test_another_seed_plays_other_samples():
    first, second = (schedule(config(seed=seed)) for seed in (0, 1))
    assert {e.sample for e in first}.isdisjoint(e.sample for e in second)


def test_two_rows_of_one_name_are_refused():
    twice = RunConfig(env=ENV, agents=[AgentConfig(agent="oracle"), AgentConfig(agent="oracle")])
    with pytest.raises(ValueError, match="label"):
        schedule(twice)


def test_a_run_leaves_config_records_and_metrics(tmp_path):
    rows = run_bench(config(), out=tmp_path / "run")
    assert [row.agent for row in rows] == ["bm25-rag", "no-memory"]
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert metrics["rows"][0]["n"] == 3
    assert metrics["config"]["seed"] == 0
    assert metrics["settings"][0]["benchmark"]["benchmark"] == "Synthetic"
    assert len(list(read_records(tmp_path / "run" / "records.jsonl"))) == 6
    assert RunConfig.load(tmp_path / "run" / "config.yaml") == config()


def test_a_folder_in_use_is_refused_and_the_message_says_how_to_go_on(tmp_path):
    (tmp_path / "a").write_text("something")
    with pytest.raises(FileExistsError, match="--resume"):
        run_bench(config(), out=tmp_path)


def test_a_run_that_lost_its_tail_is_resumed_to_the_same_bytes(tmp_path):
    run_bench(config(), out=tmp_path / "run")
    whole = lines(tmp_path / "run")
    kept = whole.splitlines(keepends=True)
    (tmp_path / "run" / "records.jsonl").write_bytes(b"".join(kept[:2]) + kept[2][:50])
    run_bench(None, resume=tmp_path / "run")
    assert lines(tmp_path / "run") == whole


def test_a_resumed_run_plays_failed_episodes_again(tmp_path):
    run_bench(config(), out=tmp_path / "run")
    whole = lines(tmp_path / "run")
    records = [json.loads(line) for line in whole.splitlines()]
    records[1].update(error="ModelError: gone", outcome=None, steps=[])
    (tmp_path / "run" / "records.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    run_bench(None, resume=tmp_path / "run")
    assert lines(tmp_path / "run") == whole


@pytest.mark.slow
def test_two_workers_write_the_same_bytes_as_one(tmp_path):
    run_bench(config("bm25-rag", "random", episodes=4), out=tmp_path / "one")
    run_bench(config("bm25-rag", "random", episodes=4, workers=2, concurrency=2), out=tmp_path / "two")
    assert lines(tmp_path / "one") == lines(tmp_path / "two")


@pytest.mark.slow
@pytest.mark.parametrize("kill", [signal.SIGINT, signal.SIGKILL])
def test_what_was_done_before_a_kill_is_kept_and_the_rest_can_be_played(tmp_path, kill):
    folder = tmp_path / "run"
    command = [
        sys.executable,
        "-m",
        "memgym",
        "bench",
        "--env",
        ENV,
        "--agent",
        "bm25-rag",
        "--episodes",
        "300",
        "--no-bounds",
    ]
    # A shell that runs the tests in the background has SIGINT ignored, and what it starts inherits that.
    process = subprocess.Popen(
        [*command, "--concurrency", "1", "--out", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    records = folder / "records.jsonl"
    until = time.monotonic() + 120
    while (not records.exists() or records.stat().st_size == 0) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    os.kill(process.pid, kill)
    said = process.communicate(timeout=120)[0].decode()
    done = len(list(read_records(records)))
    assert done >= 1
    if kill is signal.SIGINT:
        assert process.returncode == 130
        assert "--resume" in said
    finished = subprocess.run([*command[:4], "--resume", str(folder)], capture_output=True, text=True, check=True)
    assert "bm25-rag" in finished.stdout
    assert len(list(read_records(records))) == 300


def test_the_table_says_what_is_synthetic_privileged_and_for_tests(tmp_path):
    arguments = ["bench", "--env", ENV, "--agent", "oracle", "--agent", "dense-rag", "--episodes", "1"]
    result = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "run")])
    assert result.exit_code == 0, result.output
    for said in ("Synthetic", "oracle*", "not a language model", "hashing encoder, which is meant for tests"):
        assert said in result.output


def test_an_unknown_agent_is_one_line_with_the_nearest_name(tmp_path):
    result = CliRunner().invoke(app, ["bench", "--agent", "bm25rag", "--out", str(tmp_path / "run")])
    assert result.exit_code == 2
    assert "bm25-rag" in result.output
    assert not (tmp_path / "run").exists()


def test_a_folder_that_is_no_run_cannot_be_resumed(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"config\.yaml"):
        RunFolder.resume(tmp_path)


def test_an_agent_option_of_a_wrong_type_is_refused_before_anything_is_played(tmp_path):
    mistaken = RunConfig(env=ENV, agents=[AgentConfig(agent="bm25-rag", options={"rounds": "two"})])
    with pytest.raises(ValueError, match="rounds"):
        run_bench(mistaken, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_run_in_which_an_agent_never_played_exits_with_1_and_is_kept(tmp_path):
    path = tmp_path / "run.yaml"
    agents = [AgentConfig(agent="noting", options={"fail_at": 1})]
    RunConfig(env=ENV, agents=agents, episodes=1, bounds=False).save(path)
    with registered("agent", noting="small_agents:Noting"):
        result = CliRunner().invoke(app, ["bench", "--config", str(path), "--out", str(tmp_path / "run")])
    assert result.exit_code == 1, result.output
    assert "Every episode of noting failed" in result.output
    assert len(list(read_records(tmp_path / "run" / "records.jsonl"))) == 1


def test_a_start_that_is_refused_leaves_no_folder(tmp_path, monkeypatch):
    for name in ("OPENAI_API_KEY", "MEMGYM_API_KEY", "OPENAI_BASE_URL", "MEMGYM_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    arguments = ["bench", "--env", ENV, "--agent", "bm25-rag", "--model", "openai:x", "--episodes", "1"]
    result = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "run")])
    assert result.exit_code == 2, result.output
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--agent", "awm"], "requires steps, success, task_spec"),
        (["--agent", "llm", "--model", "rules"], "does not answer policy"),
        (["--agent", "handcoded"], "this is a text to read"),
        (["--env", "MemGym/ALFWorld-generated", "--agent", "bm25-rag"], "this is a world to act in"),
    ],
)
def test_an_agent_that_would_fail_every_episode_is_refused_before_anything_is_played(tmp_path, arguments, said):
    result = CliRunner().invoke(app, ["bench", *arguments, "--out", str(tmp_path / "run")])
    assert result.exit_code == 2, result.output
    assert "cannot play" in result.output
    assert said in result.output
    assert not (tmp_path / "run").exists()


def test_options_beside_resume_are_refused_by_name(tmp_path):
    run_bench(config(), out=tmp_path / "run")
    result = CliRunner().invoke(app, ["bench", "--resume", str(tmp_path / "run"), "--seed", "3", "--agent", "oracle"])
    assert result.exit_code == 2
    assert "--agent, --seed" in result.output


def test_options_beside_a_config_file_are_refused_by_name_but_the_folder_is_not(tmp_path):
    config().save(tmp_path / "run.yaml")
    arguments = ["bench", "--config", str(tmp_path / "run.yaml"), "--out", str(tmp_path / "run")]
    refused = CliRunner().invoke(app, [*arguments, "--episodes", "20", "--no-bounds"])
    assert refused.exit_code == 2
    assert "--episodes, --no-bounds" in refused.output or "--episodes, --bounds" in refused.output
    assert CliRunner().invoke(app, arguments).exit_code == 0


def test_a_title_names_long_options_and_does_not_print_them():
    long = RunConfig(env_options={"experiences": [{"task": "x" * 50}] * 3, "note": "y" * 99, "questions": [1, 3]})
    said = title(long)
    assert "experiences=(3 of them)" in said
    assert "questions=[1, 3]" in said
    assert len(said) < 200


def test_a_table_with_a_failure_shows_both_denominators(tmp_path):
    run_bench(config(), out=tmp_path / "run")
    path = tmp_path / "run" / "records.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    records[0].update(error="ModelError: gone", outcome=None, steps=[])
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    said = CliRunner().invoke(app, ["rescore", str(tmp_path / "run")]).output
    assert "played" in said
    assert "3 (1 failed)" in said
