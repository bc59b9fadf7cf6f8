"""What verl is told: in Hydra's grammar, composed by Hydra, and passed by verl's own checks, without a GPU."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memgym.train.recipe_files import load_recipe, recipe_names
from memgym.train.verl.config import Places, UntestedMode, check_mode, compose, overrides, settings, validate

HOSTILE = Path("a folder/it's [new], {odd}=100% \\ $HOME 記憶")


def told(name: str, *changes: str, folder: Path = Path("run")) -> dict[str, Any]:
    return settings(load_recipe(name, changes), Places.within(folder, "policy"))


def test_every_value_is_written_as_one_override() -> None:
    values = told("synthetic-cpu")
    assert len(overrides(values)) == len(values)
    assert "++actor_rollout_ref.rollout.n=8" in overrides(values)


def test_kl_zero_needs_no_reference() -> None:
    assert told("synthetic-cpu", "grpo.kl=0")["actor_rollout_ref.actor.use_kl_loss"] is False


def test_a_cpu_is_told_of_our_engine_and_a_gpu_is_not() -> None:
    cpu, gpu = told("synthetic-cpu"), told("atommem-hotpotqa-8gpu")
    assert cpu["actor_rollout_ref.rollout.name"] == "hf_cpu"
    assert gpu["actor_rollout_ref.rollout.name"] == "vllm"
    assert "actor_rollout_ref.model.external_lib" not in gpu


def test_rows_come_in_the_order_of_the_schedule() -> None:
    assert told("synthetic-cpu")["data.shuffle"] is False


def test_metrics_are_always_written_to_a_file() -> None:
    assert told("synthetic-cpu", "tracking.backends=[tensorboard]")["trainer.logger"] == ["tensorboard", "file"]


@pytest.mark.parametrize("mode", ["colocate_async", "separate_async"])
def test_a_mode_that_was_never_run_is_refused_by_name(mode: str) -> None:
    recipe = load_recipe("synthetic-cpu", [f"rollout.mode={mode}"])
    with pytest.raises(UntestedMode, match=rf"rollout\.mode={mode}.*--untested"):
        check_mode(recipe)
    check_mode(recipe, untested=True)


@pytest.mark.parametrize("name", [name for name in recipe_names() if "/" not in name])
def test_verl_composes_what_it_is_told_and_passes_it(name: str) -> None:
    omegaconf = pytest.importorskip("omegaconf", reason="the extra train is not installed")
    pytest.importorskip("verl.trainer", reason="the extra train is not installed")
    values = told(name, folder=HOSTILE)
    config = compose(values)
    validate(config)
    container = omegaconf.OmegaConf.to_container(config, resolve=False)
    assert {key: at(container, key) for key in values} == values


@pytest.mark.parametrize("name", [name for name in recipe_names() if "/" in name])
def test_an_ablation_tells_verl_what_its_parent_does(name: str) -> None:
    parent = "synthetic-cpu" if "synthetic" in name else "atommem-hotpotqa-8gpu"
    assert {**told(name), "trainer.experiment_name": parent} == told(parent)


def test_a_key_that_verl_does_not_have_is_named() -> None:
    pytest.importorskip("verl.trainer", reason="the extra train is not installed")
    with pytest.raises(ValueError, match=r"has no key trainer\.nodes"):
        compose({"trainer.nodes": 1})


def test_verl_refuses_what_its_checks_forbid() -> None:
    pytest.importorskip("verl.trainer", reason="the extra train is not installed")
    values = {**told("synthetic-cpu"), "actor_rollout_ref.actor.loss_agg_mode": "mean"}
    with pytest.raises(Exception, match="loss_agg_mode"):
        validate(compose(values))


def test_a_config_is_made_without_torch_or_verl() -> None:
    """The table of keys needs neither, so that a dry run is quick and a laptop can write a cluster's job."""
    code = (
        "import sys; from pathlib import Path; from memgym.train.recipe_files import load_recipe; "
        "from memgym.train.verl.config import Places, overrides, settings; "
        "overrides(settings(load_recipe('atommem-hotpotqa-8gpu'), Places.within(Path('x'), 'm'))); "
        "sys.exit(bool({'torch', 'verl', 'ray', 'hydra', 'transformers'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def at(values: Any, key: str) -> Any:
    for part in key.split("."):
        values = values[part]
    return values
