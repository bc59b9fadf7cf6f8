"""The comparison after training: who plays what, with which model, and that a killed one goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from small_policy import NEEDED, save_policy

from memgym.train.comparison import AFTER, BEFORE, bouts, compare, model_of
from memgym.train.folder import TrainingFolder
from memgym.train.recipe import Recipe
from memgym.train.results import ordered

WORLD = {"documents": 12, "chunk_tokens": 400, "max_steps": 3}
SAID: dict[str, Any] = {
    "name": "x", "env": {"options": WORLD}, "grpo": {"steps": 1}, "hardware": {"device": "cpu"},
    "agent": {"options": {"instructions": "", "max_tokens": 4}},
    "rollout": {"prompt_tokens": 600, "response_tokens": 8},
    "test": {"samples": 2, "agents": ["no-memory"], "settings": {"20 documents": {"documents": 20}}, "masks": ["w/o update"]},
}  # fmt: skip


def recipe(**changes: Any) -> Recipe:
    return Recipe.model_validate({**SAID, **changes})


def test_each_setting_has_both_policies_and_each_mask_the_trained_one() -> None:
    assert [(one.setting, one.policy) for one in bouts(recipe())] == [
        ("", BEFORE),
        ("", AFTER),
        ("20 documents", BEFORE),
        ("20 documents", AFTER),
        ("w/o update", AFTER),
    ]


def test_agents_play_with_the_policy_as_it_was_before() -> None:
    played = {one.policy: [agent["agent"] for agent in one.agents] for one in bouts(recipe()) if not one.setting}
    assert played == {BEFORE: ["llm", "no-memory"], AFTER: ["llm"]}


def test_a_mask_is_an_option_of_the_environment() -> None:
    assert [one.options["operations"] for one in bouts(recipe())] == ["all", "all", "all", "all", "w/o update"]


def test_every_bout_is_on_the_split_of_the_test() -> None:
    assert {one.options["split"] for one in bouts(recipe())} == {"test"}


def test_every_bout_has_a_folder_of_its_own() -> None:
    places = [one.place for one in bouts(recipe())]
    assert len(set(places)) == len(places)


def test_a_cpu_plays_a_policy_in_batches_under_the_budgets_of_training() -> None:
    name, options = model_of(recipe(), Path("p"))
    assert (name, options["prompt_limit"], options["response_limit"]) == ("policy:p", 600, 8)


def test_a_gpu_plays_a_policy_by_transformers() -> None:
    name, options = model_of(recipe(hardware={"device": "cuda"}), Path("p"))
    assert (name, options["device"]) == ("transformers:p", "cuda")


def test_rows_are_shown_by_setting_best_first() -> None:
    rows = [
        {"setting": s, "agent": a, "reward": {"mean": m}}
        for s, a, m in (("", "b", 0.1), ("x", "c", 0.9), ("", "a", 0.5))
    ]
    assert [row["agent"] for row in ordered(rows)] == ["a", "b", "c"]


@pytest.mark.slow
def test_a_comparison_is_played_once_and_goes_on_where_it_was_killed(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason=NEEDED)
    before, after = (save_policy(tmp_path / name) for name in ("before", "after"))
    folder = TrainingFolder.create(tmp_path / "run", recipe())
    policies = {BEFORE: before, AFTER: after}
    rows = compare(folder, policies)
    assert [(row["setting"], row["agent"]) for row in rows] == [
        ("", f"policy, {BEFORE}"),
        ("", "no-memory"),
        ("", f"policy, {AFTER}"),
        ("20 documents", f"policy, {BEFORE}"),
        ("20 documents", "no-memory"),
        ("20 documents", f"policy, {AFTER}"),
        ("w/o update", f"policy, {AFTER}"),
    ]
    assert all(row["n"] == 2 and row["failed"] == 0 for row in rows)
    own = folder.path / "test" / "own-after-grpo"
    lines = (own / "records.jsonl").read_text("utf-8").splitlines(keepends=True)
    (own / "metrics.json").unlink()
    (own / "records.jsonl").write_text("".join(lines[:1]) + lines[1][:50], "utf-8")
    assert compare(folder, policies) == rows
    assert json.loads((folder.path / "test" / "table.json").read_text("utf-8")) == rows
