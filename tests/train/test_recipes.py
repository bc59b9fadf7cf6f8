"""Recipes: reading, extending, changing and saving them, and what is said of a mistake."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from memgym.registry import UnknownName
from memgym.rollout import make_env
from memgym.train.recipe import Recipe
from memgym.train.recipe_files import load_recipe, recipe_names, save_recipe

SMALL = "name: small\ngrpo: {steps: 2}\n"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.yaml"
    path.write_text(SMALL, "utf-8")
    return path


def test_an_override_changes_one_value_and_nothing_else(small: Path) -> None:
    plain, changed = load_recipe(small), load_recipe(small, ["grpo.lr=2e-4"])
    assert changed.grpo.lr == 2e-4
    assert changed.model_copy(update={"grpo": plain.grpo}) == plain


def test_a_number_with_an_exponent_is_a_number_in_options_too(small: Path) -> None:
    assert load_recipe(small, ["env.options.conflicts=1e-1"]).env.options == {"conflicts": 0.1}


def test_options_are_merged_and_lists_replaced(small: Path) -> None:
    made = load_recipe(small, ["env.options={capacity: 4, kinds: [bridge]}", "env.options.kinds=[yesno]"])
    assert made.env.options == {"capacity": 4, "kinds": ["yesno"]}


def test_a_section_can_be_taken_out(small: Path) -> None:
    assert load_recipe(small, ["sft={}", "sft=null"]).sft is None


@pytest.mark.parametrize(
    ("override", "near"),
    [("grpo.lrr=1", "grpo.lr"), ("gpro.lr=1", "grpo.lr"), ("sft.tacher=llm", "sft.teacher"), ("env.idd=x", "env.id")],
)
def test_an_unknown_key_proposes_the_nearest(small: Path, override: str, near: str) -> None:
    with pytest.raises(UnknownName, match=f"Did you mean.*'{near}'"):
        load_recipe(small, [override])


@pytest.mark.parametrize("override", ["grpo.lr", "=3", "grpo.=3", "a: b: c"])
def test_what_is_no_override_is_shown(small: Path, override: str) -> None:
    with pytest.raises(ValueError, match="is no override"):
        load_recipe(small, [override])


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("grpo.group=1", "greater than or equal to 2"),
        ("reward.name=emm", "Did you mean 'em'"),
        ("reward.name=judge", "reward.model"),
        ("env.id=MemGym/Sinthetic-50doc", "MemGym/Synthetic-50doc"),
        ("env.operations=w/o updates", "w/o update"),
        ("env.options.split=test", "data.split"),
        ("rollout.mode=colocate", "colocate_async"),
        ("rollout.device_tokens=100", "prompt_tokens"),
        ("agent.name=llmm", "llm"),
        ("test.masks=[w/o everything]", "w/o"),
        ("data.samples=3", "fewer than one batch"),
    ],
)
def test_a_wrong_value_says_what_was_expected(small: Path, override: str, said: str) -> None:
    with pytest.raises((ValidationError, UnknownName), match=said):
        load_recipe(small, [override])


def test_a_recipe_extends_the_one_beside_it(small: Path) -> None:
    mine = small.with_name("mine.yaml")
    mine.write_text("extends: small.yaml\nseed: 7\n", "utf-8")
    assert load_recipe(mine) == load_recipe(small, ["seed=7", "name=mine"])


def test_recipes_in_a_circle_are_an_error(tmp_path: Path) -> None:
    for one, other in (("a", "b"), ("b", "a")):
        (tmp_path / f"{one}.yaml").write_text(f"extends: {other}.yaml\n", "utf-8")
    with pytest.raises(ValueError, match="circle"):
        load_recipe(tmp_path / "a.yaml")


@pytest.mark.parametrize("text", ["", "[1, 2]", "a: [", "3: x"])
def test_a_file_that_is_no_recipe_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(ValueError, match=r"broken\.yaml"):
        load_recipe(path)


def test_an_unknown_recipe_proposes_the_nearest() -> None:
    with pytest.raises(UnknownName, match="synthetic-cpu"):
        load_recipe("sinthetic-cpu")


def test_a_recipe_of_ours_is_found_as_a_file_of_the_folder_recipes() -> None:
    assert load_recipe("recipes/synthetic-cpu.yaml") == load_recipe("synthetic-cpu")


@pytest.mark.parametrize("text", ["ünïcode", "記憶", "🧠", "a: b # c", "\u0000x"])
def test_a_saved_recipe_reads_back_equal(tmp_path: Path, text: str) -> None:
    made = load_recipe("synthetic-cpu", ["seed=3"]).model_copy(update={"about": text})
    save_recipe(made, tmp_path / "recipe.yaml")
    assert load_recipe(tmp_path / "recipe.yaml") == made


@pytest.mark.parametrize("name", recipe_names())
def test_every_recipe_says_what_it_is_and_is_called_as_its_file(name: str) -> None:
    made = load_recipe(name)
    assert made.about
    assert made.name == name.removeprefix("ablations/")


@pytest.mark.parametrize("name", recipe_names())
def test_the_world_of_every_recipe_can_be_made(name: str) -> None:
    """Real data and encoders apart: benchmarks read their files, and encoders load, when the first episode begins."""
    env = load_recipe(name).env
    settings = {**env.settings, **({"encoder": "hashing"} if "encoder" in env.settings else {})}
    assert make_env(env.id, **settings).options.dialect == env.dialect


@pytest.mark.parametrize("name", [name for name in recipe_names() if name.startswith("ablations/")])
def test_an_ablation_changes_the_world_and_nothing_else(name: str) -> None:
    made = load_recipe(name)
    parent = load_recipe("synthetic-cpu" if "synthetic" in name else "atommem-hotpotqa-8gpu")
    same = {"name": parent.name, "about": parent.about, "env": parent.env}
    assert made != parent
    assert made.env != parent.env
    assert made.model_copy(update=same) == parent


def test_steps_are_those_of_whole_batches_in_every_epoch() -> None:
    made = Recipe.model_validate({"name": "x", "data": {"samples": 20, "epochs": 3}, "grpo": {"batch": 8}})
    assert (made.steps, made.samples) == (6, 20)


def test_training_without_an_end_is_refused() -> None:
    with pytest.raises(ValidationError, match=r"grpo\.steps or data\.samples"):
        Recipe.model_validate({"name": "x"})
