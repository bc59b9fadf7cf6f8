"""Scores from records alone: what was scored once is scored again to the last bit."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memgym import registry
from memgym.cli import app
from memgym.eval.bench import run_bench
from memgym.eval.config import AgentConfig, RunConfig
from memgym.eval.report.rescoring import changes, question_scores, rescored
from memgym.eval.report.runs import Run, read_run
from memgym.records import Episode, EpisodeRecord
from memgym.rollout import play
from memgym.task import Outcome

ENV = "MemGym/Synthetic-50doc"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two agents on three episodes of four questions."""
    path = tmp_path_factory.mktemp("rescoring") / "run"
    agents = [AgentConfig(agent=name) for name in ("bm25-rag", "random")]
    run_bench(RunConfig(env=ENV, env_options={"questions": 4}, agents=agents, episodes=3, bounds=False), out=path)
    return path


@pytest.fixture(scope="module")
def run(folder: Path) -> Run:
    return read_run(folder)


def record(outcome: Outcome | None, error: str | None = None) -> EpisodeRecord:
    return EpisodeRecord(Episode("e", ENV, "a", 0), "s", "g", "", 0, (), outcome, True, False, "", {}, error=error)


def test_every_record_of_a_run_scores_as_it_did(run: Run) -> None:
    assert [rescored(one) for one in run.records] == list(run.records)


def test_no_environment_and_no_model_is_made(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("something was built")

    for name in ("environment", "make_model", "make_agent", "make_benchmark"):
        monkeypatch.setattr(registry, name, refuse)
    assert [rescored(one).outcome for one in run.records] == [one.outcome for one in run.records]


def test_the_rescored_file_equals_the_metrics_of_the_run(folder: Path) -> None:
    result = CliRunner().invoke(app, ["rescore", str(folder)])
    assert result.exit_code == 0, result.output
    assert "6 of 6 episodes score as they did" in result.output
    assert (folder / "rescored.json").read_bytes() == (folder / "metrics.json").read_bytes()


def test_a_metric_can_be_added(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "more.json"
    result = CliRunner().invoke(app, ["rescore", str(folder), "--metric", "a_mem_f1", "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert "a_mem_f1" in json.loads(out.read_text())["rows"][0]["metrics"]


def test_an_unknown_metric_is_one_line_with_the_nearest(folder: Path) -> None:
    result = CliRunner().invoke(app, ["rescore", str(folder), "--metric", "a_mem_f2"])
    assert (result.exit_code, "a_mem_f1" in result.output) == (2, True)


def test_a_score_that_is_not_what_it_was_is_named_and_ends_with_1(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    copy.mkdir()
    lines = [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()]
    lines[0]["outcome"]["metrics"]["em"] += 0.125
    (copy / "records.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (copy / "config.yaml").write_bytes((folder / "config.yaml").read_bytes())
    result = CliRunner().invoke(app, ["rescore", str(copy)])
    assert result.exit_code == 1
    assert "bm25-rag/000000: em was" in result.output
    assert "5 of 6 episodes" in result.output


def test_a_reward_of_several_metrics_is_the_mean_of_each_questions_own() -> None:
    outcome = Outcome(
        0.0, {}, ("Paris", "not mentioned", None), (("paris",), ("no information available",), ("x",)),
        ("em", "f1", "em"), ("place", "none", "place"),
    )  # fmt: skip
    parts = question_scores(outcome)
    assert (parts[0], parts[2]) == (1.0, 0.0)
    again = rescored(record(outcome)).outcome
    assert again is not None
    assert again.reward == sum(parts) / 3


def test_scores_by_category_are_made_again() -> None:
    outcome = Outcome(
        0.0, {"score/place": 0.0, "score/other": 0.0}, ("a", "b", "c"), (("a",), ("x",), ("c",)), ("em",) * 3, ("place", "place", "")
    )  # fmt: skip
    again = rescored(record(outcome)).outcome
    assert again is not None
    assert again.metrics == {"score/place": 0.5, "score/other": 1.0}


def test_what_only_a_played_episode_tells_is_kept() -> None:
    outcome = Outcome(1.0, {"evidence_shown": 0.25, "em": 0.0}, ("a",), (("a",),), ("em",))
    again = rescored(record(outcome)).outcome
    assert again is not None
    assert again.metrics == {"evidence_shown": 0.25, "em": 1.0}


def test_the_reward_of_a_record_that_names_no_metric_is_kept() -> None:
    again = rescored(record(Outcome(0.375, {}, ("a",), (("a",),)))).outcome
    assert again is not None
    assert again.reward == 0.375


@pytest.mark.parametrize("one", [record(None, "ModelError: gone"), record(Outcome(1.0, {"success": 1.0}))])
def test_a_failed_episode_and_a_game_come_back_as_they_are(one: EpisodeRecord) -> None:
    assert rescored(one, ["f1"]) is one


def test_an_added_metric_is_no_change() -> None:
    one = record(Outcome(1.0, {}, ("a",), (("a",),), ("em",)))
    assert changes(one, rescored(one, ["f1"])) == []


def test_a_played_episode_names_the_metric_and_the_category_of_each_question() -> None:
    [played] = play([Episode("one", ENV, "oracle", seed=0, options={"questions": 3, "reward": "f1"})])
    assert played.outcome is not None
    assert played.outcome.scored_by == ("f1",) * 3
    assert len(played.outcome.categories) == 3


@pytest.mark.slow
def test_ten_thousand_episodes_are_rescored_from_one_reading_with_each_distinct_answer_scored_once_a_metric(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Bound by counts, not by a clock: they are the same whatever the machine is doing."""
    asked = 0
    real = registry.load

    @cache
    def counting(kind: str, name: str) -> object:
        loaded = real(kind, name)

        def scored(*arguments: object) -> object:
            nonlocal asked
            asked += 1
            return loaded(*arguments)

        return scored if kind == "metric" else loaded

    first = run.records[0]
    lines = (replace(first, episode=replace(first.episode, id=f"bm25-rag/{n:06d}")).line() for n in range(10_000))
    (tmp_path / "records.jsonl").write_text("\n".join(lines) + "\n")
    run.config.save(tmp_path / "config.yaml")
    stored = read_run(tmp_path)
    assert first.outcome is not None
    monkeypatch.setattr(registry, "load", counting)
    assert sum(rescored(one).outcome == first.outcome for one in stored.records) == 10_000
    metrics = [name for name in first.outcome.metrics if name in registry.names("metric")]
    distinct = set(zip(first.outcome.predictions, first.outcome.references, strict=True))
    assert asked == len(distinct) * len(metrics)
