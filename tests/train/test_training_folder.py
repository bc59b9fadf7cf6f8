"""The folder of a training run: what is made once, what a kill leaves, and how the commands speak of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from memgym.cli import app
from memgym.train.folder import TrainingFolder
from memgym.train.recipe_files import load_recipe, recipe_names
from memgym.train.running import first_policy, optimise, told

RECIPE = load_recipe("synthetic-cpu")


def folder(tmp_path: Path) -> TrainingFolder:
    return TrainingFolder.create(tmp_path / "run", RECIPE)


def test_a_folder_opened_again_has_the_recipe_it_was_made_with(tmp_path: Path) -> None:
    folder(tmp_path)
    assert TrainingFolder.resume(tmp_path / "run").recipe == RECIPE


def test_a_folder_in_use_is_refused_and_says_how_to_go_on(tmp_path: Path) -> None:
    folder(tmp_path)
    with pytest.raises(FileExistsError, match="--resume"):
        folder(tmp_path)


def test_a_folder_without_a_recipe_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"recipe\.yaml"):
        TrainingFolder.resume(tmp_path)


def test_folders_are_numbered_where_none_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = [TrainingFolder.create(None, RECIPE).path.as_posix() for _ in range(2)]
    assert names == ["runs/synthetic-cpu-1", "runs/synthetic-cpu-2"]


def test_a_policy_is_made_once(tmp_path: Path) -> None:
    made = folder(tmp_path)
    calls: list[Path] = []

    def make(place: Path) -> None:
        calls.append(place)
        (place / "config.json").write_text("{}", "utf-8")

    assert made.made("warm", make) == made.made("warm", make)
    assert len(calls) == 1
    assert (made.policy("warm") / "config.json").is_file()


def test_a_policy_whose_making_was_killed_is_made_anew(tmp_path: Path) -> None:
    made = folder(tmp_path)

    def killed(place: Path) -> None:
        (place / "half").write_text("", "utf-8")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        made.made("warm", killed)
    place = made.made("warm", lambda place: (place / "whole").touch())
    assert [one.name for one in place.iterdir()] == ["whole"]


def test_the_last_checkpoint_is_the_one_that_verl_wrote_down(tmp_path: Path) -> None:
    made = folder(tmp_path)
    assert made.last_checkpoint is None
    for step in (10, 20, 30):
        (made.path / "checkpoints" / f"global_step_{step}").mkdir(parents=True)
    (made.path / "checkpoints" / "latest_checkpointed_iteration.txt").write_text("20", "utf-8")
    assert made.last_checkpoint == (20, made.path / "checkpoints" / "global_step_20")


def test_metrics_are_one_line_a_step_in_order(tmp_path: Path) -> None:
    made = folder(tmp_path)
    made.save_metrics({2: {"a": 2.0}, 1: {"a": 1.0}})
    lines = [json.loads(line) for line in (made.path / "metrics.jsonl").read_text("utf-8").splitlines()]
    assert lines == [{"step": 1, "data": {"a": 1.0}}, {"step": 2, "data": {"a": 2.0}}]


def test_a_policy_that_is_there_is_taken_as_it_is(tmp_path: Path) -> None:
    recipe = load_recipe("synthetic-cpu", ["sft=null", "model.path=some/model"])
    assert first_policy(TrainingFolder.create(tmp_path / "run", recipe), print) == Path("some/model")


def test_training_that_came_to_its_last_step_is_not_started_again(tmp_path: Path) -> None:
    made = folder(tmp_path)
    (made.path / "checkpoints").mkdir()
    (made.path / "checkpoints" / "latest_checkpointed_iteration.txt").write_text(str(RECIPE.steps), "utf-8")
    said: list[str] = []
    optimise(made, Path("no/such/policy"), said.append)
    assert said == [f"GRPO is done: {RECIPE.steps} steps"]


def test_a_step_is_told_in_one_line() -> None:
    data = {"episode/reward": 0.25, "timing_s/step": 3.21, "val-core/x/reward/mean@1": 0.5}
    assert told(3, 10, data) == "step 3/10, reward 0.250, seconds 3.2, validation 0.500"


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["train", *arguments])
    return done.exit_code, done.output


def test_a_dry_run_prints_a_recipe_that_reads_back_and_what_verl_is_told(tmp_path: Path) -> None:
    status, output = run("synthetic-cpu", "grpo.lr=1e-4", "--dry-run")
    assert status == 0
    said, _, verl = output.partition("# what verl is told")
    (tmp_path / "said.yaml").write_text(said, "utf-8")
    assert load_recipe(tmp_path / "said.yaml") == load_recipe("synthetic-cpu", ["grpo.lr=1e-4"])
    assert "++actor_rollout_ref.actor.optim.lr=0.0001" in verl


def test_a_mode_that_was_never_run_needs_to_be_asked_for() -> None:
    assert "--untested" in run("synthetic-cpu", "rollout.mode=colocate_async", "--dry-run")[1]
    assert run("synthetic-cpu", "rollout.mode=colocate_async", "--dry-run", "--untested")[0] == 0


@pytest.mark.parametrize("arguments", [(), ("synthetic-cpu", "--resume", "x")])
def test_either_a_recipe_or_a_folder_is_named(arguments: tuple[str, ...]) -> None:
    status, output = run(*arguments)
    assert status != 0
    assert "one of the two" in output


def test_values_of_a_run_are_not_changed_on_its_way(tmp_path: Path) -> None:
    """Typer takes the first word for a recipe, so a value beside ``--resume`` is one of two things that were named."""
    folder(tmp_path)
    status, output = run("grpo.lr=1", "--resume", str(tmp_path / "run"))
    assert status != 0
    assert "one of the two" in output


def test_the_recipes_are_listed_and_one_is_printed_resolved() -> None:
    listed = CliRunner().invoke(app, ["recipes"], env={"COLUMNS": "200"}).output
    assert all(name in listed for name in recipe_names())
    printed = yaml.safe_load(CliRunner().invoke(app, ["recipes", "ablations/synthetic-wo-update"]).output)
    assert printed["env"]["operations"] == "w/o update"
    assert printed["grpo"]["batch"] == RECIPE.grpo.batch
