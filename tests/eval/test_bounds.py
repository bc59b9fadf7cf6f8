"""Bounds come free with every table: which are added, which are left out and why, and how they are marked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from small_house import house_registered
from small_world import registered
from typer.testing import CliRunner

from memgym.cli import app
from memgym.eval.bench import run_bench
from memgym.eval.bounds import with_bounds
from memgym.eval.config import AgentConfig, RunConfig, plan_of
from memgym.eval.metrics.bounds import BOUNDS
from memgym.eval.metrics.rows import Row
from memgym.records import read_records

ENV = "MemGym/Synthetic-50doc"


def config(*agents: str, **changes: Any) -> RunConfig:
    rows = [AgentConfig(agent=name) for name in agents or ("bm25-rag",)]
    return RunConfig(**{"env": ENV, "agents": rows, "episodes": 2, **changes})


def completed(asked: RunConfig) -> RunConfig:
    return with_bounds(asked, plan_of(asked))[0]


def names(made: RunConfig) -> list[str]:
    return [agent.name for agent in made.agents]


def test_the_four_bounds_are_added_after_the_agents_that_were_named() -> None:
    made = completed(config())
    assert names(made) == ["bm25-rag", "no-memory", "random", "full-context", "oracle"]
    assert made.left_out == {}


def test_a_bound_that_was_named_is_not_added_again() -> None:
    assert names(completed(config("oracle", "bm25-rag"))) == [
        "oracle",
        "bm25-rag",
        "no-memory",
        "random",
        "full-context",
    ]


def test_an_agent_with_options_is_no_bound_and_the_bound_gets_a_name_of_its_own() -> None:
    short = AgentConfig(agent="full-context", options={"context_tokens": 100})
    made = completed(config(agents=[short]))
    assert names(made) == ["full-context", "no-memory", "random", "full-context, bound", "oracle"]


def test_bounds_play_the_same_samples_from_the_same_seeds(tmp_path: Path) -> None:
    run_bench(config(), out=tmp_path / "run")
    played: dict[str, list[tuple[str | None, int]]] = {}
    for record in read_records(tmp_path / "run" / "records.jsonl"):
        played.setdefault(record.episode.agent, []).append((record.episode.sample, record.episode.seed))
    assert len(played) == 5
    assert all(one == played["bm25-rag"] for one in played.values())


def test_without_bounds_only_what_was_named_is_played(tmp_path: Path) -> None:
    arguments = ["bench", "--env", ENV, "--agent", "bm25-rag", "--episodes", "1", "--no-bounds"]
    result = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "run")])
    assert result.exit_code == 0, result.output
    saved = RunConfig.load(tmp_path / "run" / "config.yaml")
    assert (saved.bounds, names(saved), "(bound)" in result.output) == (False, ["bm25-rag"], False)


def test_the_saved_config_names_the_bounds_and_a_run_of_it_adds_none(tmp_path: Path) -> None:
    run_bench(config(), out=tmp_path / "run")
    saved = RunConfig.load(tmp_path / "run" / "config.yaml")
    assert names(saved)[1:] == list(BOUNDS)
    assert completed(saved) == saved


def test_a_run_of_an_earlier_version_is_resumed_without_bounds(tmp_path: Path) -> None:
    run_bench(config(bounds=False), out=tmp_path / "run")
    path = tmp_path / "run" / "config.yaml"
    path.write_text("".join(one for one in path.read_text().splitlines(keepends=True) if "bounds" not in one))
    assert [row.agent for row in run_bench(None, resume=tmp_path / "run")] == ["bm25-rag"]


def test_without_a_model_bounds_whose_answers_are_a_models_are_left_out() -> None:
    made = completed(config(model="none"))
    assert names(made) == ["bm25-rag", "random", "oracle"]
    assert set(made.left_out) == {"no-memory", "full-context"}


def test_without_a_model_random_and_the_oracle_are_scored(tmp_path: Path) -> None:
    arguments = ["bench", "--env", ENV, "--agent", "bm25-rag", "--episodes", "1", "--model", "none"]
    result = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "run")])
    lines = {line.split()[1]: line for line in result.output.splitlines() if line.startswith("│")}
    assert "[" in lines["random"]
    assert "[" in lines["oracle*"]
    assert "[" not in lines["bm25-rag"]


def test_a_text_that_is_too_long_for_its_context_leaves_full_context_out() -> None:
    made = completed(config(env="MemGym/Synthetic-1600doc", episodes=1))
    assert "its context holds 128,000" in made.left_out["full-context"]


def test_where_reading_and_asking_are_episodes_apart_what_keeps_things_in_itself_is_left_out() -> None:
    made = completed(config(protocol="offline-declarative"))
    assert names(made) == ["bm25-rag", "no-memory", "random"]
    assert "under offline-declarative" in made.left_out["oracle"]


def test_where_agents_use_each_others_memories_there_are_no_bounds() -> None:
    made = completed(config(protocol="cross-agent-transfer"))
    assert names(made) == ["bm25-rag"]
    assert set(made.left_out) == set(BOUNDS)


def test_in_a_world_only_who_can_act_is_a_bound() -> None:
    with house_registered(), registered("agent", noting="small_agents:Noting"):
        made = completed(config("noting", env="MemGym/House", model="none"))
    assert names(made) == ["noting", "random"]
    assert "world to act in" in made.left_out["oracle"]


def test_where_nothing_is_asked_there_are_no_bounds() -> None:
    with registered("agent", noting="small_agents:Noting"):
        made = completed(config("noting", env="MemGym/Experience", model="none"))
    assert names(made) == ["noting"]


def rows_of(folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((folder / "metrics.json").read_text())["rows"]
    return rows


def test_bounds_stand_below_a_line_and_are_named_so(tmp_path: Path) -> None:
    arguments = ["bench", "--env", ENV, "--agent", "bm25-rag", "--episodes", "1", "--out", str(tmp_path / "run")]
    lines = CliRunner().invoke(app, arguments).output.splitlines()
    first = {line.split("│")[1].strip(): at for at, line in enumerate(lines) if line.startswith("│ ") and "[" in line}
    line = next(at for at, text in enumerate(lines) if text.startswith("├"))
    assert first["bm25-rag"] < line < min(at for name, at in first.items() if name.endswith("(bound)"))
    assert {row["agent"]: bool(row["bound"]) for row in rows_of(tmp_path / "run")} == {
        "bm25-rag": False, "no-memory": True, "random": True, "full-context": True, "oracle": True,
    }  # fmt: skip


def test_what_is_left_out_is_said_below_the_table(tmp_path: Path) -> None:
    arguments = ["bench", "--env", ENV, "--agent", "bm25-rag", "--episodes", "1", "--protocol", "cross-agent-transfer"]
    result = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "run")])
    assert "no-memory, random, full-context, oracle: under cross-agent-transfer" in result.output


def test_every_field_of_a_row_is_in_metrics_json(tmp_path: Path) -> None:
    run_bench(config(), out=tmp_path / "run")
    row = rows_of(tmp_path / "run")[0]
    assert set(row) == set(Row.__dataclass_fields__)
    assert (row["n"], row["failed"], row["reward"]["n"], row["reward_played"]["n"]) == (2, 0, 2, 2)
    assert len(set(row["seeds"])) == 2
    assert set(row["per_step"]) == {"operations", "tokens", "calls", "model_tokens"}
    assert row["per_step"]["tokens"] == pytest.approx(row["tokens"] / row["steps"])
    steps, entries = row["size"]
    assert len(steps) == len(entries) > 1
    assert entries[-1] == pytest.approx(row["metrics"]["memory_size"]["mean"])
