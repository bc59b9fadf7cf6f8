"""What goes wrong under a protocol is said, from the command line: who changes what is frozen, what is missing or cut."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from memgym.cli import app
from memgym.eval.bench import run_bench
from memgym.records import read_records

OFF = "offline-procedural"


def run(*arguments):
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    return result.exit_code, result.output


def test_a_frozen_memory_that_an_agent_tries_to_change_is_said_to_it_and_counted(bench):
    folder = bench(OFF, agents=["scribbler"], episodes=3)
    tests = [one for one in read_records(folder / "records.jsonl") if one.episode.tags["phase"] == "test"]
    refused = [r for one in tests for step in one.steps for r in step.results if r.status == "frozen"]
    assert {r.operation for r in refused} == {"create", "update", "delete", "scratchpad"}
    assert {r.reason for r in refused} == {"this memory is frozen"}
    [row] = json.loads((folder / "metrics.json").read_text())["rows"]
    assert row["statuses"]["frozen"] == len(refused)
    assert len({one.memory for one in tests}) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--env", "MemGym/Levers", "--agent", "reader", "--protocol", "ofline-procedural"], "'offline-procedural'"),
        (["--env", "MemGym/Levers", "--agent", "reader", "--protocol", "scenario-declarative"], "lacks"),
        (["--env", "MemGym/Synthetic-50doc", "--agent", "bm25-rag", "--protocol", OFF], "lacks steps, success"),
        (
            ["--env", "MemGym/Levers", "--agent", "reader", "--protocol", OFF, "--protocol-set", "trajectories=gone"],
            "There is no gone",
        ),
    ],
)
def test_what_cannot_be_scheduled_is_one_line_before_anything_is_played(arguments, said, tmp_path):
    code, told = run("bench", *arguments, "--out", tmp_path / "run")
    assert code == 2
    assert said in told
    assert len(told.strip().splitlines()) == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("command", ["rescore", "report", "view"])
def test_of_a_truncated_file_each_command_keeps_the_whole_part_and_says_what_was_cut(command, bench):
    folder = bench("online-procedural", episodes=4)
    records = folder / "records.jsonl"
    whole = records.read_bytes()
    records.write_bytes(whole[:-50])
    code, told = run(command, folder)
    assert code == 0, told
    assert "Line 8 of records.jsonl was cut off" in told
    assert "the 7 records before it are kept" in told
    assert records.read_bytes() == whole[:-50]


def test_a_truncated_file_is_replayed_as_far_as_it_is_whole(bench):
    folder = bench("online-procedural", episodes=4)
    records = folder / "records.jsonl"
    records.write_bytes(records.read_bytes()[:-50])
    code, told = run("replay", records)
    assert code == 0, told
    assert "7" in told


def test_a_truncated_run_is_resumed_with_all_that_was_whole(bench):
    folder = bench("online-procedural", episodes=4)
    records = folder / "records.jsonl"
    whole = records.read_bytes()
    records.write_bytes(whole[:-50])
    run_bench(None, resume=folder)
    assert records.read_bytes() == whole
